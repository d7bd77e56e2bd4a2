package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// services are the hosts of programs that name none on their line.
var services = map[string]string{
	"gh": "github.com", "glab": "gitlab.com", "npm": "registry.npmjs.org", "pnpm": "registry.npmjs.org", "yarn": "registry.npmjs.org", "bun": "registry.npmjs.org",
	"pip": "pypi.org", "uv": "pypi.org", "poetry": "pypi.org", "twine": "pypi.org", "cargo": "crates.io", "gem": "rubygems.org", "docker": "docker.io", "podman": "docker.io", "nerdctl": "docker.io",
	"go": "proxy.golang.org", "bundle": "rubygems.org", "composer": "packagist.org", "brew": "brew.sh", "conda": "anaconda.org", "mamba": "anaconda.org", "npx": "registry.npmjs.org", "bunx": "registry.npmjs.org", "pnpx": "registry.npmjs.org", "pnx": "registry.npmjs.org", "uvx": "pypi.org", "pipx": "pypi.org", "pipenv": "pypi.org", "pdm": "pypi.org",
	"dotnet": "nuget.org", "mix": "hex.pm", "apt": "apt", "apt-get": "apt", "dnf": "dnf", "yum": "dnf", "apk": "alpinelinux.org", "pacman": "archlinux.org", "snap": "snapcraft.io", "rustup": "rust-lang.org", "cpan": "cpan.org", "cpanm": "cpan.org", "code": "visualstudio.com",
	"aws": "amazonaws.com", "gcloud": "googleapis.com", "gsutil": "googleapis.com", "az": "azure.com", "vercel": "vercel.com", "netlify": "netlify.com", "wrangler": "cloudflare.com", "fly": "fly.io", "flyctl": "fly.io", "heroku": "heroku.com",
}

// network adds hosts, and whether something is sent to them.
func (e *effector) network(cmd *Command, u *program.Use) {
	how, reads := direction(u)
	var hosts []string
	unknown := false
	for _, w := range append(u.Hosts(), remotes(cmd)...) {
		switch {
		case !w.Literal:
			unknown = true
		case !isURL(w.Text):
			hosts = append(hosts, bareHost(w.Text))
		}
	}
	for _, w := range u.Words[min(1, len(u.Words)):] {
		if file, ok := strings.CutPrefix(w.Text, "file://"); ok {
			e.certain(tool.Shows, file, "")
			continue
		}
		if host := hostOf(w.Text); host != "" && !strings.HasPrefix(w.Text, "s3://") && !strings.HasPrefix(w.Text, "gs://") {
			hosts = append(hosts, host)
			unknown = unknown || !w.Literal
		}
	}
	known := u.Connects() || how != ""
	hosts = slices.DeleteFunc(hosts, func(h string) bool { return h != "" && strings.Trim(h, "0123456789") == "" }) // a port
	slices.Sort(hosts)
	for _, host := range slices.Compact(hosts) {
		e.add(tool.Reaches, host, how, known && !unknown)
		if reads && !thisMachine(host) {
			e.add(tool.Takes, host, "", known && !unknown && !u.Has("-o", "-O"))
		}
	}
	switch {
	case len(hosts) > 0:
	case u.Program == "git" && how != "":
		e.add(tool.Reaches, remoteOf(u), how, true)
		if reads {
			e.maybe(tool.Takes, remoteOf(u), "")
		}
	case unknown, known && u.Connects() && len(u.Operands) > 0 && u.Program != "git" && !strings.HasPrefix(unnamed(u), "file:"):
		e.maybe(tool.Reaches, unnamed(u), how)
		if reads {
			e.maybe(tool.Takes, unnamed(u), "")
		}
	case how == "" && slices.Contains([]string{"aws", "gcloud", "gsutil", "az", "kubectl", "helm", "heroku"}, u.Program), how == "" && deploying(u) != "":
		if place := services[u.Program]; place != "" {
			e.maybe(tool.Reaches, place, "")
		} else {
			e.maybe(tool.Reaches, u.Program, "")
		}
	case how != "" && services[u.Program] != "":
		e.add(tool.Reaches, services[u.Program], how, u.Program == "gh")
		if reads {
			e.add(tool.Takes, services[u.Program], "", u.Program == "gh")
		}
	}
	if u.Program == "gh" || u.Program == "glab" {
		if u.Command() == u.Program+" auth" || strings.HasPrefix(u.Command(), u.Program+" auth token") || slices.ContainsFunc(u.Operands, func(w Word) bool { return w.Text == "token" }) {
			e.certain(tool.Shows, "store:"+u.Program, "")
		}
	}
	if store := storeOf(u); store != "" {
		e.certain(tool.Shows, "store:"+store, "")
	}
}

// unnamed stands for a host that is not on the line: the words for it.
func unnamed(u *program.Use) string {
	for _, w := range u.Words[min(1, len(u.Words)):] {
		if !w.Literal {
			return w.Text
		}
	}
	return u.Operands[0].Text
}

// thisMachine reports whether a host is this machine, whose pages are not by strangers.
func thisMachine(host string) bool {
	return host == "localhost" || host == "::1" || host == "0.0.0.0" || strings.HasPrefix(host, "127.") || strings.HasSuffix(host, ".localhost")
}

// direction is how a command uses its host: tool.Get, tool.Send, or "" where that is not
// known. reads tells that the answer is text by strangers.
func direction(u *program.Use) (how string, reads bool) {
	switch u.Program {
	case "curl":
		return curlDirection(u)
	case "wget", "wget2":
		if u.Has("--post-data", "--post-file", "--body-data", "--body-file") || u.Has("--method") && !slices.Contains([]string{"GET", "HEAD"}, lastValue(u, "--method")) {
			return tool.Send, true
		}
		return tool.Get, true
	case "http", "https", "xh", "xhs":
		for _, o := range u.Operands {
			if slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, strings.ToUpper(o.Text)) || strings.Contains(strings.ReplaceAll(o.Text, "==", ""), "=") {
				return tool.Send, true
			}
		}
		return tool.Get, true
	case "git":
		switch strings.Join(u.Sub[:min(1, len(u.Sub))], "") {
		case "push", "send-email", "send-pack":
			return tool.Send, false
		case "clone", "pull":
			return tool.Get, true
		case "fetch", "ls-remote":
			return tool.Get, false
		}
		if strings.HasPrefix(u.Command(), "git submodule") && slices.ContainsFunc(u.Words, func(w Word) bool { return w.Text == "update" || w.Text == "add" }) || u.Command() == "git remote update" {
			return tool.Get, true
		}
		return "", false
	case "scp", "rsync":
		if n := len(u.Operands); n > 0 && strings.Contains(u.Operands[n-1].Text, ":") {
			return tool.Send, false
		}
		return tool.Get, false
	case "gh", "glab":
		return ghDirection(u)
	case "docker", "podman", "nerdctl":
		switch {
		case saysFirst(u, "push"):
			return tool.Send, false
		case saysFirst(u, "pull", "run", "create", "build"):
			return tool.Get, false
		}
	case "nc", "ncat", "netcat", "telnet", "mail", "mailx", "sendmail", "ftp", "lftp":
		return tool.Send, false
	}
	switch {
	case publishing(u) != "":
		return tool.Send, false
	case installing(u) != "":
		return tool.Get, false
	}
	return "", false
}

// curlDirection reads what curl does with its addresses.
func curlDirection(u *program.Use) (string, bool) {
	if u.Has("-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "-F", "--form", "--form-string", "-T", "--upload-file", "--mail-from") && !u.Has("-G", "--get") {
		return tool.Send, true
	}
	switch method := strings.ToUpper(lastValue(u, "-X", "--request")); method {
	case "", "GET", "HEAD", "OPTIONS":
		return tool.Get, !u.Has("-I", "--head")
	default:
		return tool.Send, true
	}
}

func lastValue(u *program.Use, names ...string) string {
	values := u.Values(names...)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1].Text
}

// saysFirst reports whether one of the words stands among the sub-commands, or first among the
// operands.
func saysFirst(u *program.Use, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(u.Sub, w) || len(u.Operands) > 0 && u.Operands[0].Text == w
	})
}

// bareWords are the words of a command behind the program that are no options.
func bareWords(u *program.Use) []string {
	var out []string
	for _, w := range u.Words[min(1, len(u.Words)):] {
		if !strings.HasPrefix(w.Text, "-") {
			out = append(out, w.Text)
		}
	}
	return out
}

// ghDirection reads gh and glab, by the words behind the program.
func ghDirection(u *program.Use) (string, bool) {
	words := bareWords(u)
	switch {
	case len(words) == 0:
		return "", false
	case words[0] == "api":
		method := strings.ToUpper(lastValue(u, "-X", "--method"))
		fields := slices.ContainsFunc(u.Words, func(w Word) bool {
			return slices.Contains([]string{"-f", "-F", "--field", "--raw-field", "--input"}, w.Text) || strings.HasPrefix(w.Text, "--field=") || strings.HasPrefix(w.Text, "--input=")
		})
		if method != "" && method != "GET" || method == "" && fields {
			return tool.Send, true
		}
		return tool.Get, true
	case len(words) < 2:
		return "", false
	case slices.Contains([]string{"auth", "config", "alias", "extension", "completion", "help", "version"}, words[0]):
		return "", false
	case slices.Contains(ghSends, words[1]):
		return tool.Send, false
	}
	return tool.Get, true
}

// ghSends are the second words of commands of gh and glab that change something there.
var ghSends = []string{"create", "edit", "comment", "merge", "close", "reopen", "review", "delete", "upload", "fork", "rename", "archive", "unarchive", "transfer", "lock", "unlock", "pin", "unpin", "ready", "rerun", "run", "cancel", "enable", "disable", "set", "remove", "sync", "approve", "note", "update", "new", "deploy-key", "develop", "retry", "trigger"}

// remoteOf is the remote that git talks to; origin where none is named.
func remoteOf(u *program.Use) string {
	if len(u.Operands) > 0 && u.Operands[0].Literal && !isURL(u.Operands[0].Text) {
		return u.Operands[0].Text
	}
	return "origin"
}

// publishes adds what others see afterwards.
func (e *effector) publishes(u *program.Use) {
	if dryRun(u) {
		return
	}
	if u.Program == "git" && strings.Join(u.Sub, " ") == "push" {
		e.pushes(u)
		return
	}
	if place := publishing(u); place != "" {
		how := ""
		if public(u) {
			how = tool.Public
		}
		e.certain(tool.Publishes, place, how)
		return
	}
	if place := deploying(u); place != "" {
		e.maybe(tool.Publishes, place, "")
	}
}

func dryRun(u *program.Use) bool {
	return slices.ContainsFunc(u.Words, func(w Word) bool {
		return w.Literal && (w.Text == "--dry-run" || strings.HasPrefix(w.Text, "--dry-run=") && !strings.HasSuffix(w.Text, "=false") && !strings.HasSuffix(w.Text, "=none"))
	}) || u.Program == "git" && u.Has("-n")
}

// pushes adds git push: the remote and what is pushed there.
func (e *effector) pushes(u *program.Use) {
	force := u.Has("-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete", "--prune")
	place, sure := remoteOf(u), true
	if len(u.Operands) > 0 {
		place = u.Operands[0].Text
		sure = u.Operands[0].Literal
	}
	for i, o := range u.Operands {
		sure = sure && o.Literal
		if i == 0 {
			continue
		}
		if strings.HasPrefix(o.Text, "+") || strings.HasPrefix(o.Text, ":") {
			force = true
		}
		place += " " + strings.TrimLeft(o.Text, "+:")
	}
	for _, o := range u.Options {
		sure = sure && (o.Known || o.Name == "")
	}
	how := ""
	if force {
		how = tool.Force
	}
	e.add(tool.Publishes, place, how, sure)
}

// publishing is the place to which a command publishes; empty when it does not.
func publishing(u *program.Use) string {
	words := bareWords(u)
	first, second := at(words, 0), at(words, 1)
	switch u.Program {
	case "npm", "pnpm", "bun":
		if first == "publish" || first == "unpublish" || first == "deprecate" {
			return "npm"
		}
	case "yarn":
		if first == "publish" || first == "npm" && second == "publish" {
			return "npm"
		}
	case "cargo":
		if first == "publish" || first == "yank" {
			return "crates.io"
		}
	case "twine":
		if first == "upload" {
			return "pypi"
		}
	case "uv", "poetry", "flit", "hatch", "pdm":
		if first == "publish" {
			return "pypi"
		}
	case "gem":
		if first == "push" || first == "yank" {
			return "rubygems"
		}
	case "docker", "podman", "nerdctl":
		if first == "push" {
			return "image " + second
		}
		if first == "image" && second == "push" {
			return "image " + at(words, 2)
		}
	case "gh", "glab":
		return ghPublishes(u, first)
	}
	return ""
}

func at(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

// ghPublishes is the place on the forge that others see.
func ghPublishes(u *program.Use, first string) string {
	how, _ := ghDirection(u)
	switch {
	case how != tool.Send:
		return ""
	case first == "api":
		return services[u.Program] + " api"
	}
	switch first {
	case "pr", "mr", "issue", "release", "gist", "snippet", "repo", "label", "project", "discussion", "variable", "secret", "workflow", "run", "ruleset", "ssh-key", "gpg-key":
		return services[u.Program] + " " + first
	}
	return ""
}

// public reports whether everyone may see what a command publishes.
func public(u *program.Use) bool {
	return slices.ContainsFunc(u.Words, func(w Word) bool {
		return w.Text == "--public" || w.Text == "--access=public" || w.Text == "--visibility=public"
	}) || slices.Contains([]string{"public"}, lastValue(u, "--access", "--visibility")) || slices.Contains([]string{"cargo", "gem"}, u.Program) && publishing(u) != ""
}

// deployers are the first words with which programs deploy.
var deployers = map[string][]string{
	"vercel": {"", "deploy", "--prod", "promote", "alias", "rollback"}, "netlify": {"deploy"}, "wrangler": {"deploy", "publish", "pages"}, "firebase": {"deploy"}, "fly": {"deploy", "launch"}, "flyctl": {"deploy", "launch"},
	"kubectl": {"apply", "create", "delete", "patch", "replace", "rollout", "scale", "set", "edit"}, "helm": {"install", "upgrade", "uninstall", "rollback", "push"}, "terraform": {"apply", "destroy", "import"}, "tofu": {"apply", "destroy", "import"},
	"pulumi": {"up", "destroy"}, "serverless": {"deploy", "remove"}, "sls": {"deploy", "remove"}, "cdk": {"deploy", "destroy"}, "ansible-playbook": {"*"}, "eb": {"deploy"}, "sam": {"deploy"}, "railway": {"up", "deploy"}, "render": {"deploy"}, "surge": {"*"}, "gh-pages": {"*"},
	"heroku": {"releases", "container"}, "cap": {"*"}, "dpl": {"*"},
}

// deploying is the place that a command deploys to; empty when it does not.
func deploying(u *program.Use) string {
	words := bareWords(u)
	if firsts, ok := deployers[u.Program]; ok && (slices.Contains(firsts, at(words, 0)) || slices.Contains(firsts, "*")) {
		return u.Program
	}
	switch u.Program {
	case "aws", "gsutil", "gcloud", "az", "rclone":
		for _, w := range words {
			if rest, ok := strings.CutPrefix(w, "s3://"); ok && !strings.HasPrefix(at(words, 1), "ls") && at(words, len(words)-1) == w {
				return "s3://" + rest
			}
			if strings.HasPrefix(w, "gs://") && at(words, len(words)-1) == w && !slices.Contains(words, "ls") {
				return w
			}
			if w == "deploy" {
				return u.Program
			}
		}
	}
	return ""
}

// registries are the registries of package managers, and their words for installing.
var registries = map[string]struct {
	name  string
	words []string
}{
	"npm":  {"npm", []string{"install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "add", "ci", "clean-install", "ic", "install-clean", "install-test", "it", "install-ci-test", "cit", "update", "up", "upgrade", "udpate", "exec", "x", "init", "create", "link", "ln"}},
	"pnpm": {"npm", []string{"install", "i", "add", "update", "up", "upgrade", "dlx", "create", "fetch", "import"}},
	"yarn": {"npm", []string{"", "install", "add", "up", "upgrade", "upgrade-interactive", "dlx", "create", "global"}},
	"bun":  {"npm", []string{"install", "i", "add", "a", "update", "x", "create", "c"}},
	"npx":  {"npm", []string{"*"}}, "bunx": {"npm", []string{"*"}}, "pnx": {"npm", []string{"*"}}, "pnpx": {"npm", []string{"*"}},
	"pip":  {"pip", []string{"install", "download", "wheel"}},
	"pipx": {"pip", []string{"install", "run", "inject", "upgrade", "upgrade-all"}}, "uvx": {"pip", []string{"*"}},
	"uv":      {"pip", []string{"add", "sync", "pip install", "pip sync", "tool install", "tool run", "tool upgrade", "lock", "x"}},
	"poetry":  {"pip", []string{"add", "install", "update", "sync"}},
	"pipenv":  {"pip", []string{"install", "update", "sync"}},
	"pdm":     {"pip", []string{"add", "install", "update", "sync"}},
	"conda":   {"conda", []string{"install", "create", "update", "upgrade"}},
	"mamba":   {"conda", []string{"install", "create", "update"}},
	"cargo":   {"cargo", []string{"install", "add", "fetch", "update", "binstall"}},
	"go":      {"go", []string{"get", "install", "mod download", "mod tidy"}},
	"gem":     {"gem", []string{"install", "update"}},
	"bundle":  {"gem", []string{"install", "update", "add", ""}},
	"brew":    {"brew", []string{"install", "upgrade", "reinstall", "tap", "bundle"}},
	"apt":     {"apt", []string{"install", "upgrade", "full-upgrade", "dist-upgrade", "build-dep"}},
	"apt-get": {"apt", []string{"install", "upgrade", "dist-upgrade", "build-dep"}},
	"dnf":     {"dnf", []string{"install", "upgrade", "update"}}, "yum": {"dnf", []string{"install", "upgrade", "update"}},
	"apk": {"apk", []string{"add", "upgrade"}}, "pacman": {"pacman", []string{"*"}}, "snap": {"snap", []string{"install", "refresh"}},
	"composer": {"composer", []string{"install", "require", "update"}}, "dotnet": {"nuget", []string{"add", "restore", "tool install"}}, "mix": {"hex", []string{"deps.get", "archive.install", "local.hex"}},
	"gh": {"gh", []string{"extension install"}}, "code": {"vscode", []string{"*"}}, "rustup": {"rustup", []string{"install", "update", "toolchain install", "component add", "target add"}}, "cpan": {"cpan", []string{"*"}}, "cpanm": {"cpan", []string{"*"}},
}

// installing is the word with which a command installs; empty when it does not.
func installing(u *program.Use) string {
	r, ok := registries[u.Program]
	if !ok {
		return ""
	}
	words := bareWords(u)
	switch u.Program {
	case "pacman":
		if !u.Has("-S") && !strings.HasPrefix(strings.Join(textsOf(u), " "), "-S") {
			return ""
		}
	case "code":
		if !slices.Contains(textsOf(u), "--install-extension") {
			return ""
		}
	}
	for _, want := range r.words {
		switch {
		case want == "*", want == "" && len(words) == 0:
			return "*"
		case want != "" && (at(words, 0) == want || at(words, 0)+" "+at(words, 1) == want):
			return want
		}
	}
	return ""
}

func textsOf(u *program.Use) []string { return texts(u.Words[min(1, len(u.Words)):]) }

// lockFiles are where package managers find what to install when no package is named.
var lockFiles = map[string]string{"npm": "package.json", "pip": "requirements", "cargo": "Cargo.toml", "go": "go.mod", "gem": "Gemfile", "composer": "composer.json", "nuget": "project", "hex": "mix.exs", "conda": "environment"}

// packages adds what is installed.
func (e *effector) packages(u *program.Use) {
	word := installing(u)
	if word == "" || dryRun(u) {
		return
	}
	r := registries[u.Program]
	var list []Word
	skip := len(strings.Fields(strings.TrimPrefix(word, "*")))
	rest := u.Words[min(1, len(u.Words)):]
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		switch {
		case w.Text == "-r" || w.Text == "--requirement" || w.Text == "-c" || w.Text == "--constraint" || w.Text == "-e" || w.Text == "--editable":
			if i++; i < len(rest) {
				e.maybe(tool.Installs, r.name+":"+rest[i].Text, "")
			}
		case takesValue(w.Text):
			i++
		case strings.HasPrefix(w.Text, "-"):
		case skip > 0:
			skip--
		default:
			list = append(list, w)
		}
	}
	if word == "*" && len(list) > 0 && u.Program != "pacman" && u.Program != "cpanm" && u.Program != "cpan" {
		list = list[:1] // the others are its arguments
		e.maybe(tool.Installs, r.name+":"+packageName(r.name, list[0].Text), "")
		return
	}
	for _, w := range list {
		e.add(tool.Installs, r.name+":"+packageName(r.name, w.Text), "", w.Literal && !w.Glob)
	}
	if len(list) == 0 {
		if file := lockFiles[r.name]; file != "" {
			e.maybe(tool.Installs, r.name+":"+file, "")
		} else {
			e.maybe(tool.Installs, r.name+":*", "")
		}
	}
}

// takesValue reports whether an option of package managers has its value in the next
// word.
func takesValue(option string) bool {
	return slices.Contains([]string{"--registry", "--prefix", "--tag", "--filter", "-F", "--workspace", "-w", "-C", "--dir", "--cwd", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target", "--python", "--features", "--version", "--git", "--branch", "--path", "--group", "--extra", "-p", "--package", "-n", "--name", "--channel", "--index", "--root", "--bin", "--source", "--cache-dir", "--loglevel"}, option)
}

// packageName is a package without its version.
func packageName(registry, text string) string {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") || strings.Contains(text, "://") {
		return text
	}
	cut := "@"
	switch registry {
	case "pip", "conda":
		cut = "=<>!~[; @"
	case "apt", "dnf", "apk":
		cut = "="
	case "composer":
		cut = ":"
	}
	if i := strings.IndexAny(text, cut); i > 0 {
		return text[:i]
	}
	if registry == "npm" {
		if i := strings.LastIndexByte(text, '@'); i > 0 {
			return text[:i]
		}
	}
	return text
}

// testRunners are programs whose runs are tests, by their first words; "*" is any.
var testRunners = map[string][]string{
	"go": {"test"}, "pytest": {"*"}, "py.test": {"*"}, "jest": {"*"}, "vitest": {"*"}, "mocha": {"*"}, "ava": {"*"}, "tap": {"*"}, "karma": {"*"}, "tox": {"*"}, "nox": {"*"}, "rspec": {"*"}, "phpunit": {"*"}, "ctest": {"*"}, "prove": {"*"}, "bats": {"*"}, "busted": {"*"},
	"npm": {"test", "t", "tst", "run test", "run-script test"}, "pnpm": {"test", "t", "run test"}, "yarn": {"test", "run test"}, "bun": {"test", "run test"}, "deno": {"test"},
	"cargo": {"test", "t", "nextest"}, "make": {"test", "check", "tests"}, "gmake": {"test", "check"}, "just": {"test", "check"}, "task": {"test"}, "rake": {"test", "spec"}, "mvn": {"test", "verify"}, "mvnw": {"test", "verify"}, "gradle": {"test", "check"}, "gradlew": {"test", "check"},
	"dotnet": {"test"}, "mix": {"test"}, "swift": {"test"}, "sbt": {"test"}, "lein": {"test"}, "playwright": {"test"}, "cypress": {"run"}, "flutter": {"test"}, "dart": {"test"}, "zig": {"test", "build test"}, "cabal": {"test"}, "stack": {"test"}, "bazel": {"test"}, "rails": {"test"}, "forge": {"test"}, "hardhat": {"test"}, "ginkgo": {"*"}, "gotestsum": {"*"}, "node": {"--test"},
}

// tests adds a run of tests, under the program and its first words.
func (e *effector) tests(cmd *Command, u *program.Use) {
	name := ""
	words := bareWords(u)
	if u.Program == "python" {
		if m := lastValue(u, "-m"); m == "pytest" || m == "unittest" || m == "nose2" || m == "tox" || m == "nox" {
			name = "python -m " + m
		}
	}
	for _, first := range testRunners[u.Program] {
		long := at(words, 0) + " " + at(words, 1)
		switch {
		case first == "*":
			name = u.Program
		case strings.HasPrefix(first, "--"):
			if slices.Contains(textsOf(u), first) {
				name = u.Program + " " + first
			}
		case at(words, 0) == first, long == first, strings.HasPrefix(long, first+":"), strings.HasPrefix(at(words, 0), first+":"), u.Program == "make" && slices.Contains(words, first):
			name = u.Program + " " + first
		}
		if name != "" {
			break
		}
	}
	if name == "" || slices.Contains(textsOf(u), "--collect-only") || u.Program == "go" && u.Has("-c", "-list") || u.Program == "cargo" && u.Has("--no-run") {
		return
	}
	how := ""
	if e.decisive(cmd) {
		how = tool.Decisive
	}
	e.certain(tool.Tests, name, how)
}

// storeOf is the store of secrets that a command prints from; empty when it does not.
func storeOf(u *program.Use) string {
	words := bareWords(u)
	line := strings.Join(words[:min(3, len(words))], " ")
	starts := func(list ...string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return line == s || strings.HasPrefix(line, s+" ") })
	}
	switch u.Program {
	case "aws":
		if starts("secretsmanager get-secret-value", "ssm get-parameter", "ssm get-parameters", "sts get-session-token", "sts assume-role", "ecr get-login-password", "configure export-credentials") {
			return "aws"
		}
	case "gcloud":
		if starts("auth print-access-token", "auth print-identity-token", "secrets versions access", "auth application-default print-access-token") {
			return "gcloud"
		}
	case "az":
		if starts("account get-access-token", "keyvault secret show") {
			return "az"
		}
	case "vault":
		if starts("read", "kv get", "token") {
			return "vault"
		}
	case "op":
		if starts("read", "item get", "signin") {
			return "op"
		}
	case "kubectl":
		if (starts("get secret", "get secrets", "describe secret") || at(words, 0) == "get" && strings.HasPrefix(at(words, 1), "secret")) && lastValue(u, "-o", "--output") != "name" {
			return "kubectl"
		}
	case "pass", "gopass":
		if !starts("insert", "edit", "generate", "rm", "ls", "git", "init", "mv", "cp", "find") && len(words) > 0 {
			return "pass"
		}
	case "security":
		if strings.HasPrefix(line, "find-") && slices.ContainsFunc(textsOf(u), func(s string) bool { return strings.HasPrefix(s, "-") && strings.ContainsAny(s, "wg") }) || starts("dump-keychain") {
			return "keychain"
		}
	case "secret-tool":
		if starts("lookup", "search") {
			return "keyring"
		}
	case "gpg":
		if u.Has("--export-secret-keys", "--export-secret-subkeys") {
			return "gpg"
		}
	case "heroku":
		if starts("config", "auth:token") {
			return "heroku"
		}
	}
	return ""
}
