package program

import (
	"slices"
	"strings"
)

// nothingNamed accepts a command that lists when it is given nothing.
func nothingNamed(u *Use) string {
	if len(u.Operands) > 0 {
		return u.Command() + " " + u.Operands[0].Text + " runs code of the project"
	}
	return ""
}

// needs is a judge that wants one of the options, by the names of the row.
func needs(options ...string) func(*Use) string {
	return func(u *Use) string {
		if u.Has(options...) {
			return ""
		}
		return u.Command() + " without " + strings.Join(options[:min(3, len(options))], " or ") + " may change something"
	}
}

// usualToolchain refuses cargo +NAME, which may fetch another toolchain first.
func usualToolchain(u *Use) string {
	if slices.ContainsFunc(u.Words[1:u.At], func(w Word) bool { return strings.HasPrefix(w.Text, "+") }) {
		return "cargo with a toolchain of its own may install it"
	}
	return ""
}

// rustcPrints wants questions about the compiler, and nothing to compile.
func rustcPrints(u *Use) string {
	if len(u.Operands) > 0 || !u.Has("-V", "--print", "--explain") {
		return "rustc compiles"
	}
	for _, what := range u.Values("--print") {
		if strings.Contains(what.Text, "=") {
			return "rustc --print " + what.Text + " writes to a file"
		}
	}
	return ""
}

// goEnvPrints refuses what looks like a setting.
func goEnvPrints(u *Use) string {
	if slices.ContainsFunc(u.Operands, func(w Word) bool { return strings.Contains(w.Text, "=") }) {
		return "go env with a value sets it"
	}
	return ""
}

// pacmanQueries wants -Q, with which -s and -i look at what is installed.
func pacmanQueries(u *Use) string {
	if !u.Has("-Q") {
		return "pacman without -Q may change something"
	}
	return ""
}

// goModFile wants go.mod left as it is.
func goModFile(u *Use) string {
	for _, mode := range u.Values("-mod") {
		if mode.Text != "readonly" && mode.Text != "vendor" {
			return u.Command() + " -mod=" + mode.Text + " may write go.mod"
		}
	}
	for _, word := range u.Operands {
		if strings.Contains(word.Text, "@") {
			return u.Command() + " " + word.Text + " asks the network for a version"
		}
	}
	return ""
}

// rpmQueries wants -q, and a format that runs nothing.
func rpmQueries(u *Use) string {
	for _, format := range u.Values("--qf") {
		if strings.Contains(format.Text, "%(") {
			return "rpm with the format " + format.Text + " may run a program"
		}
	}
	for _, word := range u.Operands {
		if strings.Contains(word.Text, "%") {
			return "rpm with " + word.Text + " may expand a macro"
		}
	}
	return needs("-q")(u)
}

// asking is a row with what a person must look at.
func asking(judge func(*Use) string, r Row) Row {
	r.AsksIf = judge
	return r
}

// npmHarmless, yarnHarmless and pipHarmless are settings by which nothing else is run or
// fetched than without them.
var (
	npmHarmless = []string{
		"audit", "audit-level", "color", "depth", "engine-strict", "fund", "init-author-email", "init-author-name", "init-author-url", "init-license", "init-version", "init.author.name", "init.author.email",
		"init.license", "install-strategy", "legacy-peer-deps", "loglevel", "maxsockets", "message", "package-lock", "prefer-offline", "progress", "save-exact", "save-prefix", "strict-peer-deps", "tag-version-prefix",
		"timing", "unicode", "update-notifier", "fetch-retries", "fetch-timeout", "ignore-scripts", "workspaces-update",
	}
	yarnHarmless = slices.Concat(npmHarmless, []string{
		"nodelinker", "enabletelemetry", "enableglobalcache", "enableprogressbars", "enablecolors", "enablehyperlinks", "enabletimers", "enablemessagenames", "nmhoistinglimits", "nmmode", "compressionlevel",
		"defaultsemverrangeprefix", "preferinteractive", "network-timeout", "httptimeout", "version-git-message", "version-tag-prefix", "init-private",
	})
	pipHarmless = []string{"timeout", "retries", "disable-pip-version-check", "no-color", "progress-bar", "quiet", "verbose", "require-virtualenv", "no-cache-dir", "break-system-packages", "no-input", "no-python-version-warning"}
)

// settingsAsk returns a judge that asks about a setting that is none of these:
// others name what is run, where it is fetched, and who is believed.
func settingsAsk(harmless []string) func(*Use) string {
	return func(u *Use) string {
		if len(u.Sub) > 0 && u.Sub[len(u.Sub)-1] == "edit" {
			return u.Command() + " opens an editor"
		}
		for i, o := range u.Operands {
			key, _, pair := strings.Cut(o.Text, "=")
			if i > 0 && !pair && !strings.Contains(u.Operands[0].Text, "=") {
				break // the value
			}
			if strings.HasPrefix(u.Program, "pip") {
				key = key[strings.IndexByte(key, '.')+1:]
			}
			if !slices.Contains(harmless, strings.ToLower(key)) {
				return u.Command() + " " + key + " may change what is run or where it is fetched"
			}
		}
		return ""
	}
}

// npmShows refuses settings that hold what lets one in.
func npmShows(u *Use) string {
	for _, o := range u.Operands {
		text := strings.ToLower(o.Text)
		if slices.ContainsFunc([]string{"//", "auth", "token", "password", "key", "otp", "proxy", "cert", "user"}, func(s string) bool { return strings.Contains(text, s) }) {
			return u.Command() + " " + o.Text + " may show a secret"
		}
	}
	return ""
}

// brewNames wants plain names: others are files of Ruby, or of somebody's tap.
func brewNames(u *Use) string {
	for _, o := range u.Operands {
		if strings.ContainsAny(o.Text, "/:") || strings.HasSuffix(o.Text, ".rb") {
			return "brew reads the Ruby of " + o.Text
		}
	}
	return ""
}

// npmAsksNobody refuses the selectors for which npm query asks the registry.
func npmAsksNobody(u *Use) string {
	for _, word := range u.Operands {
		if strings.Contains(word.Text, ":outdated") || strings.Contains(word.Text, ":vuln") {
			return "npm query " + word.Text + " asks the registry"
		}
	}
	return ""
}

// aptAsks asks about settings by which apt runs a program, or takes another one
// for its own.
func aptAsks(u *Use) string {
	for _, setting := range u.Values("-o") {
		key := strings.ToLower(setting.Text)
		if !setting.Literal || strings.Contains(key, "invoke") || strings.Contains(key, "::bin") || strings.Contains(key, "::tools") || strings.Contains(key, "proxy") || strings.Contains(key, "dpkg::options") {
			return "apt -o " + setting.Text + " can make apt run a program"
		}
	}
	return ""
}
