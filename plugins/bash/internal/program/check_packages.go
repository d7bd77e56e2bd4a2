package program

import (
	"slices"
	"strings"
)

// nothingNamed accepts a command that lists when it has no operands.
func nothingNamed(u *Use) string {
	if len(u.Operands) > 0 {
		return u.Command() + " " + u.Operands[0].Text + " runs code of the project"
	}
	return ""
}

// needs is a judge requiring one of the options, by the names of the row.
func needs(options ...string) func(*Use) string {
	return func(u *Use) string {
		if u.Has(options...) {
			return ""
		}
		return u.Command() + " without " + strings.Join(options[:min(3, len(options))], " or ") + " may change something"
	}
}

// usualToolchain refuses cargo +NAME: it may fetch another toolchain first.
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

// goEnvPrints refuses words looking like a setting.
func goEnvPrints(u *Use) string {
	if slices.ContainsFunc(u.Operands, func(w Word) bool { return strings.Contains(w.Text, "=") }) {
		return "go env with a value sets it"
	}
	return ""
}

// pacmanQueries requires -Q: with it, -s and -i look at installed packages.
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

// rpmQueries requires -q, and a format without programs.
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

// asking is a row with a judge for a person's decisions.
func asking(judge func(*Use) string, r Row) Row {
	r.AsksIf = judge
	return r
}

// npmHarmless, yarnHarmless and pipHarmless are settings without influence on the code run or
// fetched.
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

// settingsAsk returns a judge that asks about any other setting: it may name code to run, a
// source to fetch from, or an authority to trust.
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

// npmShows refuses settings holding credentials.
func npmShows(u *Use) string {
	for _, o := range u.Operands {
		text := strings.ToLower(o.Text)
		if slices.ContainsFunc([]string{"//", "auth", "token", "password", "key", "otp", "proxy", "cert", "user"}, func(s string) bool { return strings.Contains(text, s) }) {
			return u.Command() + " " + o.Text + " may show a secret"
		}
	}
	return ""
}

// pipShows wants a setting without a secret: the address of an index may have a
// password in it.
func pipShows(u *Use) string {
	for _, o := range u.Operands {
		_, key, _ := strings.Cut(o.Text, ".")
		if !slices.Contains(pipHarmless, key) {
			return "pip config get " + o.Text + " may show a secret"
		}
	}
	return ""
}

// brewNames requires plain names: others are files of Ruby, or of a third party's tap.
func brewNames(u *Use) string {
	for _, o := range u.Operands {
		if strings.ContainsAny(o.Text, "/:") || strings.HasSuffix(o.Text, ".rb") {
			return "brew reads the Ruby of " + o.Text
		}
	}
	return ""
}

// npmAsksNobody refuses selectors that make npm query call the registry.
func npmAsksNobody(u *Use) string {
	for _, word := range u.Operands {
		if strings.Contains(word.Text, ":outdated") || strings.Contains(word.Text, ":vuln") {
			return "npm query " + word.Text + " asks the registry"
		}
	}
	return ""
}

// aptAsks asks about settings that make apt run a program, or replace one of its own.
func aptAsks(u *Use) string {
	for _, setting := range u.Values("-o") {
		key := strings.ToLower(setting.Text)
		if !setting.Literal || strings.Contains(key, "invoke") || strings.Contains(key, "::bin") || strings.Contains(key, "::tools") || strings.Contains(key, "proxy") || strings.Contains(key, "dpkg::options") {
			return "apt -o " + setting.Text + " can make apt run a program"
		}
	}
	return ""
}

// npmChooses finds settings wherever npm reads them: in any place before "--", of
// npm exec behind the command too, and with one dash as well as with two
// (-script-shell=x). Source: nopt.
func npmChooses(u *Use) []int {
	var out []int
	for i, word := range u.Words[1:] {
		if word.Text == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(word.Text, "-"), "=")
		if !strings.HasPrefix(word.Text, "-") || name == "" || slices.ContainsFunc(u.Options, func(o Option) bool { return o.At == i+1 && o.Known }) {
			continue
		}
		found := u.grammar.spelled("--" + name)
		if len(name) == 1 {
			found = u.grammar.spelled("-" + name)
		}
		if slices.ContainsFunc(found, func(s *spec) bool { return s.is(chooses | runsScript) }) {
			out = append(out, i+1)
		}
	}
	return out
}

// cargoChooses finds a toolchain of one's own, a target described by a file, options for the
// compiler and files behind "--", and the commands of cargo watch.
func cargoChooses(u *Use) []int {
	var out []int
	for i, word := range u.Words[1:u.At] {
		if name, ok := strings.CutPrefix(word.Text, "+"); ok && !releasedToolchain(name) {
			out = append(out, i+1)
		}
	}
	for _, o := range u.Options {
		switch {
		case o.Name == "--target" && o.Has && strings.ContainsAny(o.Value.Text, "/."):
			out = append(out, o.At)
		case u.Command() == "cargo watch" && slices.Contains([]string{"-x", "-s", "-C", "--shell", "--use-shell"}, o.Name):
			out = append(out, o.At)
		}
	}
	ended := slices.IndexFunc(u.Words, func(w Word) bool { return w.Text == "--" })
	if ended < 0 || !slices.Contains([]string{"cargo clippy", "cargo rustc", "cargo rustdoc", "cargo fmt", "cargo miri"}, u.Command()) {
		return out
	}
	for i := ended + 1; i < len(u.Words); i++ {
		text := u.Words[i].Text
		lints := len(text) > 1 && strings.IndexByte("DWAF", text[1]) >= 0 && text[0] == '-' || slices.Contains([]string{"--check", "-v", "-q", "--verbose", "--quiet", "--nocapture", "--test"}, text)
		if strings.HasPrefix(text, "-") && !lints || Strays(text) {
			out = append(out, i)
		}
	}
	return out
}

// releasedToolchain reports whether the name of a Rust toolchain is one of the Rust project's
// releases, for this machine. Any other is a directory that somebody linked under the name.
func releasedToolchain(name string) bool {
	channel, date, _ := strings.Cut(name, "-")
	return (slices.Contains([]string{"stable", "beta", "nightly"}, channel) || channel != "" && strings.Trim(channel, "0123456789.") == "") && strings.Trim(date, "0123456789-") == ""
}

// goChooses judges a build's words for the compiler and the linker: names of variables with
// their values, and debug information. -mod=mod downloads whatever package an operand names.
func goChooses(u *Use) []int {
	var out []int
	for _, o := range u.Options {
		if o.Name == "-mod" && !slices.Contains([]string{"readonly", "vendor"}, o.Value.Text) {
			out = append(out, o.At)
		}
		if (o.Name == "-ldflags" || o.Name == "-gcflags") && !(o.Has && o.Value.Literal && plainFlags(o.Value.Text)) {
			out = append(out, o.At)
		}
	}
	return out
}

// plainFlags tells whether flags of go's compiler or linker choose no program and
// no file.
func plainFlags(text string) bool {
	if before, after, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(before, "- ") {
		text = after // all=-N -l
	}
	fields := quotedFields(text)
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		switch {
		case slices.Contains([]string{"-s", "-w", "-v", "-N", "-l", "-m", "-m=1", "-m=2", "-e", "-S", "-c", "-race", "-linkmode=external", "-linkmode=internal", "-extldflags=-static"}, field), strings.HasPrefix(field, "-X="), strings.HasPrefix(field, "-buildid="):
		case field == "-X":
			i++
		case field == "-extldflags" && i+1 < len(fields) && fields[i+1] == "-static", field == "-linkmode" && i+1 < len(fields) && (fields[i+1] == "external" || fields[i+1] == "internal"):
			i++
		default:
			return false
		}
	}
	return true
}

// quotedFields splits a text at blanks outside of quotes.
func quotedFields(text string) []string {
	var out []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := " "
		if text[0] == '\'' || text[0] == '"' {
			end, text = text[:1], text[1:]
		}
		var field string
		field, text, _ = strings.Cut(text, end)
		out = append(out, field)
	}
	return out
}

// dotnetChooses finds MSBuild's own options, with "-" or "/" in front: properties beyond plain
// settings, and loggers, as they are code.
func dotnetChooses(u *Use) []int {
	var out []int
	for i, word := range u.Words[1:] {
		if strings.HasPrefix(word.Text, "@") {
			out = append(out, i+1) // a file of options
			continue
		}
		name, value, ok := strings.Cut(strings.TrimLeft(word.Text, "-/"), ":")
		if dashed := strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/"); !ok || !dashed {
			continue
		}
		switch strings.ToLower(name) {
		case "p", "property":
			if plainSetting(word.from(value)) {
				continue
			}
		case "t", "target":
			if slices.Contains([]string{"build", "clean", "compile", "rebuild", "restore", "test", "vstest"}, strings.ToLower(value)) {
				continue // any other may publish
			}
		case "v", "verbosity", "m", "maxcpucount", "nologo", "restore", "c", "f":
			continue
		}
		out = append(out, i+1)
	}
	return out
}
