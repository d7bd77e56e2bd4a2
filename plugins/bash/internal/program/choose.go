package program

import (
	"slices"
	"strings"
	"unicode"
)

// Choice is a word choosing the code to run, the configuration, the output file or the machine
// of a use. An allow rule without the word was not written for it.
type Choice struct {
	// At is the index in Words of the word.
	At   int
	Kind ChoiceKind
	// Value is the chosen path or address, where the option has one.
	Value Word
}

// ChoiceKind is the subject of a Choice.
type ChoiceKind byte

// The kinds of choices.
const (
	// Chosen is other code or other configuration.
	Chosen ChoiceKind = iota
	// Coded is other code for an interpreter that takes any.
	Coded
	// Written is a written file, Filled a directory written into.
	Written
	Filled
	// Begun is the directory to start in.
	Begun
	// Reached is a machine.
	Reached
	// Placed is a file, or a directory, that the program works on.
	Placed
)

// Choices returns the choosing words of the use, as far as its row and the names of its options
// say. The command inside a wrapper is a use of its own.
func (u *Use) Choices() []Choice {
	var out []Choice
	for _, o := range u.Options {
		if kind, ok := u.choice(o); ok {
			out = append(out, Choice{o.At, kind, u.given(o)})
		} else if value, away := u.leadsAway(o); away {
			out = append(out, Choice{o.At, Placed, value})
		}
	}
	out = append(out, u.chosenOperands()...)
	for _, g := range u.grammars() {
		if g.ChoosesIf == nil {
			continue
		}
		for _, at := range g.ChoosesIf(u) {
			out = append(out, Choice{At: at})
		}
	}
	return out
}

// grammars are those of the program, of its sub-command, and of all between.
func (u *Use) grammars() []*grammar { return append(slices.Clip(u.above), u.grammar) }

// choosing returns the choosing options of the row, or of the next one above it with a value.
func (u *Use) choosing() Choosing {
	all := u.grammars()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Chooses != 0 {
			return all[i].Chooses
		}
	}
	return 0
}

// choice tells whether and how an option chooses.
func (u *Use) choice(o Option) (ChoiceKind, bool) {
	if !u.Known {
		return u.choiceByName(o)
	}
	s := u.specOf(o)
	switch {
	case s.is(chooses) && u.interprets():
		return Coded, true
	case s.is(runsCode) && u.grammar.Terminal:
		return 0, false // an interpreter is called for its code
	case slices.Contains(strings.Fields(u.grammars()[0].In), o.Name) && (len(u.Sub) == 0 || o.At < u.At):
		return Begun, true
	case s.is(chooses | runsCode):
		return Chosen, true
	case s.is(writesInto):
		return Filled, o.Has
	case s.is(writesPath):
		return Written, o.Has && !discards(o.Value)
	case s.is(setsValue):
		return Chosen, !plainSetting(o.Value.from(strings.TrimPrefix(o.Value.Text, ":")))
	case s.is(namesHost):
		return Reached, o.Has
	case s.is(readsPath):
		return Placed, o.Has && u.Kindred()
	case o.Known:
		return 0, false
	}
	switch u.choosing() {
	case Marked:
		return Chosen, !u.negates(o)
	case Named:
		return u.choiceByName(o)
	}
	return 0, false
}

// Kindred reports whether a rule for the program's kind is written with this project in mind: it
// runs the project's code, has sub-commands, or checks and formats files. A rule for cat or cp has
// any file in mind.
func (u *Use) Kindred() bool {
	return u.Projects() || len(u.Sub) > 0 || offers[u.Program] == "tool"
}

// leadsAway returns the value of an option, or the part of it, that may name code or files outside
// of the project, whatever the name of the option. A letter in a row has its meaning there, and a
// pattern is for names.
func (u *Use) leadsAway(o Option) (Word, bool) {
	name, _, _ := strings.Cut(u.Words[o.At].Text, "=")
	parts := nameParts(name)
	if !u.Projects() || o.Known && len(o.Name) == 2 || u.isProse(o) || len(parts) == 0 || says(parts, patternParts) || strings.HasSuffix(parts[len(parts)-1], "flags") {
		return Word{}, false
	}
	value := u.given(o)
	if text := u.Words[o.At].Text; !o.Has && len(text) > 2 && text[1] != '-' {
		value = u.Words[o.At].from(text[2:]) // -I/tmp/x
	}
	for _, part := range append([]string{value.Text}, strings.FieldsFunc(value.Text, func(r rune) bool { return strings.ContainsRune("=,;:", r) })...) {
		if word := value.from(part); u.strays(word) {
			return word, true
		}
	}
	return Word{}, false
}

// patternParts are words in the names of options for a pattern of names.
var patternParts = []string{"pattern", "patterns", "grep", "regex", "regexp", "match", "ignore", "exclude", "run", "skip", "bench", "list", "fuzz"}

// interprets reports whether the program is an interpreter: its code is an operand.
func (u *Use) interprets() bool {
	return u.grammar.Terminal && slices.ContainsFunc(u.grammar.roles, func(r role) bool { return r.Role == Runs })
}

// specOf describes an option: one missing in the sub-command's row may be the program's own.
func (u *Use) specOf(o Option) *spec {
	for i := len(u.above) - 1; i >= 0 && o.spec == nil; i-- {
		o.spec = u.above[i].options.find(o.Name)
	}
	return o.spec
}

// given is the value of an option; for an unknown option it may be the next word.
func (u *Use) given(o Option) Word {
	if !o.Has && !o.Known && o.At+1 < len(u.Words) {
		return u.Words[o.At+1]
	}
	return o.Value
}

// negates tells whether an unknown option switches a known one off.
func (u *Use) negates(o Option) bool {
	rest, ok := strings.CutPrefix(o.Name, "--no-")
	return ok && !o.Has && len(u.grammar.spelled("--"+rest)) > 0
}

// discards reports whether output to value leaves no file behind.
func discards(value Word) bool {
	return value.Literal && (value.Text == "-" || value.Text == "/dev/null")
}

// chosenOperands are the choosing operands: settings, other machines, and words that could turn
// into a choosing option.
func (u *Use) chosenOperands() []Choice {
	var out []Choice
	ended := slices.IndexFunc(u.Words, func(w Word) bool { return w.Text == "--" && w.Literal })
	for i, word := range u.Operands {
		at := u.ats[i]
		switch {
		case u.setsByOperand(word):
			out = append(out, Choice{At: at})
		case u.Roles[i] == Host && !(i > 0 && slices.Contains(withItems, u.Program)):
			out = append(out, Choice{at, Reached, word})
		case u.Projects() && (ended < 0 || at < ended) && (i == 0 || !u.grammar.Stop) && opensAny(word):
			out = append(out, Choice{At: at})
		case u.Projects() && (ended < 0 || at < ended) && u.strays(word):
			out = append(out, Choice{at, Placed, word})
		case strings.HasPrefix(word.Text, "@") && slices.Contains(responseReaders, u.Program):
			out = append(out, Choice{At: at})
		case u.Kindred() && slices.Contains(placedRoles, u.Roles[i]) && !(u.Projects() && ended >= 0 && at > ended):
			out = append(out, Choice{at, Placed, word})
		}
	}
	return out
}

// placedRoles are those of operands for files.
var placedRoles = []Role{Reads, Writes, Removes, Into, Place, Extra}

// strays tells whether a word may name something outside of the project.
func (u *Use) strays(word Word) bool {
	return Strays(word.Text) && !(strings.HasPrefix(word.Text, "//") && slices.Contains(labelled, u.Program))
}

// Strays tells whether a text may name something outside of the project: an address, a registry's
// package (deno test npm:x), or a path that begins elsewhere or leads up.
func Strays(text string) bool {
	return Elsewhere(text) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || slices.Contains(strings.Split(text, "/"), "..")
}

// labelled are programs that take //x for a name in the project.
var labelled = []string{"bazel", "buck", "buck2", "pants", "please", "plz"}

// Elsewhere reports whether a text is the address of code on another machine.
func Elsewhere(text string) bool {
	scheme, rest, ok := strings.Cut(text, ":")
	return ok && (strings.HasPrefix(rest, "//") || slices.Contains([]string{"npm", "jsr", "http", "https", "data", "blob"}, strings.ToLower(scheme)))
}

// responseReaders are programs that take further options from FILE for an operand @FILE. Others
// read it as a name (npm test @scope/package) or a tag.
var responseReaders = []string{"pytest", "py.test", "tsc", "mypy", "ruff", "java", "javac", "javadoc", "kotlinc", "scalac", "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "ar", "as", "csc", "msbuild", "MSBuild"}

// withItems are programs that send their operands behind the address.
var withItems = []string{"http", "https", "xh", "xhs", "httpie"}

// opensAny tells whether a word could be any option once the shell has expanded
// it.
func opensAny(word Word) bool {
	return !word.Literal && strings.IndexAny(word.Text, "$`") == 0 || word.Glob && strings.IndexAny(word.Text, "*?[{") == 0 && !dotted(word.Text)
}

// setsByOperand reports whether an operand is a choosing setting.
func (u *Use) setsByOperand(word Word) bool {
	name, _, ok := strings.Cut(word.Text, "=")
	if !ok {
		return word.Glob && u.grammar.Sets // a file may be named like a setting
	}
	if u.Known {
		return u.grammar.Sets && !plainSetting(word)
	}
	return isVariable(name) && (namesChoice(nameParts(name)) || slices.Contains(toolVariables, name)) && !plainSetting(word)
}

// toolVariables are the names of programs in makefiles and their like.
var toolVariables = []string{"CC", "CXX", "CPP", "LD", "AR", "AS", "MAKE", "RUSTC", "PYTHON", "NODE", "BASH_ENV", "ENV", "PATH"}

// isVariable tells whether a text can be the name of a variable.
func isVariable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// plainSettings are names of settings for the version built, the verbosity, or the project's
// own tests to run. A name with a dot or an underscore at its end stands for all with this
// prefix.
var plainSettings = []string{
	"V", "Q", "VERBOSE", "QUIET", "DEBUG", "CI", "COLOR", "NO_COLOR", "FORCE_COLOR", "VERSION", "TAG", "REVISION", "COMMIT", "RELEASE", "ENV_NAME", "ENVIRONMENT", "STAGE", "REGION", "NODE_ENV", "RAILS_ENV", "MIX_ENV",
	"ARCH", "OS", "GOOS", "GOARCH", "PLATFORM", "PROFILE", "MODE", "BUILD_TYPE", "BUILD", "JOBS", "N", "COUNT", "SEED", "TIMEOUT", "PORT", "LOG_LEVEL", "RUST_LOG", "NAME", "TESTS", "TEST", "T", "PKG", "PKGS", "PACKAGE", "PACKAGES", "RUN", "FILTER", "MATCH", "SUITE", "MODULE", "SERVICE",
	"test", "it.test", "groups", "tests", "revision", "version", "style.color", "Configuration", "configuration", "CMAKE_BUILD_TYPE", "CMAKE_CXX_STANDARD", "CMAKE_C_STANDARD", "spring.profiles.active", "quarkus.profile", "env", "name", "buildtype", "optimization",
}

// plainSetting tells whether NAME=value chooses neither code nor configuration:
// the value is a number or a switch, or the name is one of plainSettings and the
// value stays in the project and is a single word for a shell.
func plainSetting(word Word) bool {
	name, value, set := strings.Cut(word.Text, "=")
	if !word.Literal || word.Glob {
		return false
	}
	switch strings.ToLower(value) {
	case "", "true", "false", "on", "off", "yes", "no", "y", "n":
		return !set || isSetting(name)
	}
	if strings.Trim(value, "0123456789.") == "" {
		return isSetting(name)
	}
	if !slices.Contains(plainSettings, name) || strings.ContainsAny(value[:1], "-/~@") || slices.Contains(strings.Split(value, "/"), "..") {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.,:/+%#*@", r)
	})
}

// isSetting tells whether a text is the name of a setting: make takes "X!=command"
// and "X:=value" for settings, too.
func isSetting(name string) bool {
	return isVariable(strings.NewReplacer(".", "", "-", "").Replace(name))
}

// choosingParts are words in the names of options for code or configuration.
var choosingParts = []string{
	"shell", "exec", "execute", "executable", "cmd", "command", "under", "wrapper", "wrap", "invoke", "launcher", "interpreter", "eval", "expr", "script", "config", "conf", "cfg", "configfile", "configuration", "rc", "rcfile", "rcpath", "kubeconfig",
	"userconfig", "globalconfig", "settings", "inifile", "ini", "require", "import", "preload", "prelude", "loader", "plugin", "plugins", "plugindir", "extension", "extensions", "hook", "hooks", "editor", "pager", "browser", "askpass",
	"proxy", "prefix", "rootdir", "root", "roots", "toolchains", "bazelrc", "npmrc", "yarnrc", "addon", "addons", "autoload", "load", "listener", "argumentfile", "inventory", "mirror", "override", "sdeps", "xcconfig", "packagepath", "indexurl", "findlinks", "xlinker", "xswiftc", "xcc", "xcxx", "makefile", "justfile", "taskfile", "rakefile", "gemfile", "gulpfile", "gruntfile", "jakefile", "buildfile", "toolchain", "compiler", "linker", "runner", "testrunner", "resolver", "transform", "setup", "bootstrap", "preset", "registry", "cwd", "chdir", "agentpath", "agentlib", "javaagent",
	"options", "execargv", "rsh", "helper", "preprocessor", "postprocessor", "environment", "manifest", "overlay", "sysroot", "rulesdir", "parser", "formatter", "reporter", "reporters", "sequencer", "serializer", "serializers", "processor", "mapper", "checker", "adapter", "provider", "toolset", "libdir", "javabase",
}

// outputParts are those of options for the place of output.
var outputParts = []string{"output", "out", "outfile", "outdir", "outputdir", "outputfile", "dest", "destination", "dist", "distdir", "logfile", "artifacts", "reportsdirectory", "cachedir", "cachedirectory", "modulesfolder", "cachefolder"}

// shownParts are last words in names of options for the form of output.
var shownParts = []string{"format", "type", "style", "mode", "level", "width", "color", "colour", "size", "limit", "lines", "version", "timeout", "count", "only", "stream", "on"}

// plainNames are values for something built in; a path in their place would choose.
var plainNames = []string{
	"json", "yaml", "yml", "wide", "table", "text", "txt", "name", "plain", "pretty", "compact", "csv", "tsv", "xml", "html", "markdown", "md", "toml", "jsonl", "ndjson", "raw", "short", "long", "full", "stdout", "stderr", "none", "default", "auto", "always", "never",
	"sarif", "junit", "tap", "dot", "spec", "list", "line", "progress", "verbose", "basic", "min", "github", "github-actions", "gitlab", "teamcity", "blob", "tap-flat", "hanging-process", "tree", "stylish", "unix", "nyan", "landing", "documentation", "dots",
	"chrome", "chromium", "firefox", "webkit", "safari", "edge", "electron", "node", "jsdom", "happy-dom", "edge-runtime", "v8", "istanbul", "babel", "c8",
}

// nameParts are the words in the name of an option or a variable, in small
// letters: "--outputFile", "OUTPUT_FILE" are "output", "file".
func nameParts(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// says reports whether a list has one of the words of a name, or two adjacent ones.
func says(parts, list []string) bool {
	for i, part := range parts {
		if slices.Contains(list, part) || i > 0 && slices.Contains(list, parts[i-1]+part) {
			return true
		}
	}
	return false
}

// namesChoice reports whether the words of a name mean a choice.
func namesChoice(parts []string) bool {
	return says(parts, choosingParts) || slices.ContainsFunc(parts, func(p string) bool { return strings.HasSuffix(p, "flags") })
}

// choiceByName reports whether and how an unknown option chooses, by its name and its value.
func (u *Use) choiceByName(o Option) (ChoiceKind, bool) {
	name, _, _ := strings.Cut(u.Words[o.At].Text, "=")
	parts, value := nameParts(name), u.given(o)
	if len(name) < 4 || len(parts) == 0 || parts[0] == "no" || slices.Contains(shownParts, parts[len(parts)-1]) {
		return 0, false
	}
	if value.Literal && (slices.Contains(plainNames, value.Text) || discards(value)) {
		return 0, false
	}
	if namesChoice(parts) {
		return Chosen, true
	}
	if slices.ContainsFunc(parts, func(p string) bool { return strings.HasSuffix(p, "dir") || p == "directory" || p == "folder" }) {
		return Filled, says(parts, outputParts)
	}
	return Written, says(parts, outputParts)
}

// Projects tells whether the program runs code of the project.
func (u *Use) Projects() bool {
	return slices.ContainsFunc(u.grammars(), func(g *grammar) bool { return g.Project })
}

// Makes reports whether the program exists to make the files named by its options, or runs code
// of the project; such code may make any.
func (u *Use) Makes() bool {
	return u.Projects() || slices.ContainsFunc(u.grammars(), func(g *grammar) bool { return g.Makes || g.Edits })
}

// productPlaces are the directories of a project for build products.
var productPlaces = []string{
	"bin", "build", "dist", "out", "output", "target", "obj", "coverage", "htmlcov", "tmp", "temp", "artifacts", "reports", "report", "test-results", "test-reports", "playwright-report", "_build", "Debug", "Release", "release", "debug", "logs", "log", ".cache", ".next", ".nuxt", ".output", ".svelte-kit", ".turbo", ".nyc_output", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".gradle", "DerivedData", ".build",
}

// productEndings are the last parts of names of build products.
var productEndings = []string{
	".out", ".test", ".exe", ".o", ".a", ".so", ".dylib", ".dll", ".wasm", ".bin", ".elf", ".hex", ".img", ".prof", ".pprof", ".cov", ".coverprofile", ".lcov", ".info", ".xml", ".html", ".log", ".trace", ".profdata", ".svg", ".png", ".pdf", ".tsbuildinfo", ".eslintcache", ".class", ".jar", ".tgz", ".zip", ".whl", ".map", ".min.js", ".junit", ".sarif",
}

// Product reports whether a path, relative to a project, is a build product: below one of
// productPlaces, or a file with one of productEndings or the plain name of a program.
func Product(p string, directory bool) bool {
	segments := strings.Split(p, "/")
	last := segments[len(segments)-1]
	above := segments
	if !directory {
		above = segments[:len(segments)-1]
	}
	switch {
	case slices.ContainsFunc(above, func(s string) bool { return slices.Contains(productPlaces, s) }):
		return true
	case directory, slices.ContainsFunc(above, func(s string) bool { return strings.HasPrefix(s, ".") }):
		return false
	}
	if slices.ContainsFunc(productEndings, func(end string) bool { return strings.HasSuffix(last, end) }) {
		return true
	}
	return len(segments) == 1 && last != "" && strings.Trim(last, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
