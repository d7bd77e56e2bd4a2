package bash

import (
	"strings"
)

// safeNames are the variables that change how programs print and nothing else.
var safeNames = map[string]bool{
	"LANG": true, "LC_ALL": true, "LC_CTYPE": true, "LC_COLLATE": true, "LC_MESSAGES": true, "LC_NUMERIC": true, "LC_TIME": true, "LANGUAGE": true,
	"TZ": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true, "CLICOLOR_FORCE": true, "COLUMNS": true, "LINES": true, "TERM": true,
	"CI": true, "NODE_ENV": true, "PYTHONUNBUFFERED": true, "RUST_LOG": true, "RUST_BACKTRACE": true, "DEBUG": true, "VERBOSE": true,
	"GIT_TERMINAL_PROMPT": true, "GIT_OPTIONAL_LOCKS": true, "PYTHONDONTWRITEBYTECODE": true, "DEBIAN_FRONTEND": true,
}

// safeAssigns reports whether every assignment of cmd is of a safe name to a
// plain value.
func safeAssigns(cmd *Command) bool {
	for _, a := range cmd.Assigns {
		if (a.Name == "GIT_PAGER" || a.Name == "PAGER") && a.Value.Literal && (a.Value.Text == "cat" || a.Value.Text == "") {
			continue
		}
		if !safeNames[a.Name] || !a.Value.Literal || strings.ContainsAny(a.Value.Text, "/%$`") {
			return false
		}
	}
	return true
}

// surroundings is what the host knows about the paths of a line.
type surroundings interface {
	// repoRuns reports whether repository configuration could make a reading
	// program run another.
	repoRuns() bool
	// secret reports whether a touched path may hold a secret.
	secret(touch) bool
	// unresolved reports whether the host could not follow a touched path.
	unresolved(touch) bool
}

// readsOnly reports whether the whole line provably changes nothing, and why.
func (l *Line) readsOnly(world surroundings) (bool, string) {
	switch {
	case l.Opaque != "":
		return false, l.Opaque
	case l.Hidden != "":
		return false, "it uses " + l.Hidden
	case len(l.Commands) == 0:
		return false, "there is no command"
	}
	reason := ""
	for _, cmd := range l.Commands {
		ok, why := l.readOnly(cmd, world)
		if !ok {
			return false, why
		}
		reason = why
	}
	if len(l.Commands) > 1 {
		reason = "every command of the line only reads"
	}
	return true, reason
}

// readOnly judges one command; what it wraps is judged as a command of its own.
func (l *Line) readOnly(cmd *Command, world surroundings) (bool, string) {
	name := cmd.Name()
	label := name
	if label == "" {
		label = "an assignment or redirection"
	}
	if !safeAssigns(cmd) {
		return false, label + " with an environment that may change what runs"
	}
	for _, r := range cmd.Redirects {
		if r.Write && !(r.Word.Literal && harmlessDevice(r.Word.Text)) {
			return false, label + " writes to " + r.Word.Text
		}
		if !r.Word.Literal || strings.HasPrefix(r.Word.Text, "/dev/tcp/") || strings.HasPrefix(r.Word.Text, "/dev/udp/") {
			return false, label + " reads from something that is not a plain file"
		}
	}
	if name == "" {
		return true, "nothing is run"
	}
	if cmd.Qualified() && cmd.Words[0].Text != "/bin/"+name && cmd.Words[0].Text != "/usr/bin/"+name {
		return false, cmd.Words[0].Text + " is a program of its own"
	}
	if cmd.Wraps {
		if wrappers[name].plain && (cmd.Inner > 0 && !hasFileOption(cmd) || len(cmd.Words) == 1) {
			return true, name + " only measures"
		}
		return false, name + " runs another program"
	}
	r, args := lookup(cmd)
	if r == nil {
		if isVersionCall(cmd) {
			return true, name + " prints its version"
		}
		return false, label + " is not known to only read"
	}
	if !r.accepts(cmd, args) {
		return false, strings.Join(texts(cmd.Words), " ") + " is not a form known to only read"
	}
	if !r.names {
		for _, t := range l.touches(cmd) {
			if t.access != read {
				continue
			}
			if t.path == "" && t.word.Text != "" && !r.loose {
				return false, name + " reads something that cannot be named"
			}
			if world.unresolved(t) {
				return false, name + " reads " + t.path + ", which cannot be followed"
			}
			if world.secret(t) {
				return false, name + " reads " + t.path + ", which may hold a secret"
			}
		}
	}
	if r.repo && world.repoRuns() {
		return false, "the repository is configured to run a program when " + name + " reads it"
	}
	return true, r.reason
}

// hasFileOption reports whether time writes its measurement to a file.
func hasFileOption(cmd *Command) bool {
	for _, a := range cmd.Words[1:cmd.Inner] {
		if strings.HasPrefix(a.Text, "-") && (strings.HasPrefix(a.Text, "--o") || !strings.HasPrefix(a.Text, "--") && strings.Contains(a.Text, "o")) {
			return true
		}
	}
	return false
}

func isVersionCall(cmd *Command) bool {
	args := cmd.Args()
	if !versionPrograms[cmd.Name()] || len(args) != 1 || !args[0].Literal || cmd.Stdin {
		return false
	}
	switch t := args[0].Text; t {
	case "--version", "-V", "-version":
		return true
	case "-v":
		return cmd.Name() == "node" || cmd.Name() == "npm" || cmd.Name() == "pnpm" || cmd.Name() == "yarn"
	}
	return false
}

// tables indexes readOnlyRows by their command, options parsed.
var tables = indexRows(readOnlyRows)

type table struct {
	row
	allowed map[string]byte // "-x" or "--name" to 'n'one, 'v'alue, 'o'ptional
	digits  bool
	plus    string
	short   string
	long    []string
}

func indexRows(rows []row) map[string]*table {
	out := make(map[string]*table, len(rows))
	for _, r := range rows {
		t := &table{row: r, allowed: map[string]byte{}}
		for _, token := range strings.Fields(r.options) {
			t.token(token)
		}
		out[r.command] = t
	}
	return out
}

func (t *table) token(token string) {
	kind := byte('n')
	if rest, ok := strings.CutSuffix(token, "=?"); ok {
		token, kind = rest, 'o'
	} else if rest, ok := strings.CutSuffix(token, "="); ok {
		token, kind = rest, 'v'
	}
	switch {
	case token == "-#":
		t.digits = true
	case strings.HasPrefix(token, "+"):
		t.plus += token[1:]
	case strings.HasPrefix(token, "--"):
		t.allowed[token] = kind
		if kind == 'v' {
			t.long = append(t.long, token[2:])
		}
	case kind == 'v':
		t.allowed[token] = kind
		t.short += token[1:]
	default:
		for _, r := range token[min(1, len(token)):] {
			if _, set := t.allowed["-"+string(r)]; !set {
				t.allowed["-"+string(r)] = kind
			}
		}
	}
}

// lookup finds the row of a command: the longest of its leading words that the
// table knows. git's own options before the sub-command are skipped where they
// only choose a directory or switch the pager off.
func lookup(cmd *Command) (*table, []Word) {
	words := cmd.Words
	name := cmd.Name()
	at := 1
	if strings.ContainsAny(name, " \t\n") {
		return nil, nil // one word with a blank in it is no sub-command
	}
	if name == "git" {
		for at < len(words) {
			t := words[at]
			if t.Literal && (t.Text == "--no-pager" || t.Text == "--no-optional-locks" || t.Text == "-P" || t.Text == "--literal-pathspecs") {
				at++
				continue
			}
			if t.Literal && t.Text == "-C" && at+1 < len(words) && words[at+1].Literal && !words[at+1].Glob {
				at += 2
				continue
			}
			break
		}
	}
	for n := min(len(words), at+2); n >= at; n-- {
		key := name
		plain := true
		for _, word := range words[at:n] {
			plain = plain && word.Literal && !word.Glob && !strings.ContainsAny(word.Text, " \t\n")
			key += " " + word.Text
		}
		if r := tables[key]; r != nil && plain {
			return r, words[n:]
		}
	}
	return nil, nil
}

// accepts reports whether args are options and operands of the row.
func (t *table) accepts(cmd *Command, args []Word) bool {
	if !t.loose && !t.plainWords(args) || t.loose && !tellable(args) {
		return false
	}
	options, operands := t.split(args)
	if t.options != "" || t.check == nil {
		for _, o := range options {
			if !t.option(o) {
				return false
			}
		}
		switch t.operands {
		case "none":
			if len(operands) > 0 {
				return false
			}
		case "one":
			if len(operands) > 1 {
				return false
			}
		}
	}
	return t.check == nil || t.check(cmd, options, operands)
}

// tellableNames are variables whose values are no secrets.
var tellableNames = map[string]bool{
	"HOME": true, "PWD": true, "OLDPWD": true, "USER": true, "LOGNAME": true, "SHELL": true, "PATH": true, "LANG": true, "TERM": true, "HOSTNAME": true,
	"TMPDIR": true, "EDITOR": true, "PAGER": true, "RANDOM": true, "SECONDS": true, "LINENO": true, "UID": true, "EUID": true, "PPID": true, "COLUMNS": true, "LINES": true,
	"?": true, "$": true, "#": true, "!": true, "0": true, "BASH_VERSION": true, "ZSH_VERSION": true, "SHLVL": true, "OSTYPE": true, "GOPATH": true, "GOROOT": true, "JAVA_HOME": true, "VIRTUAL_ENV": true, "NODE_ENV": true, "CI": true, "DISPLAY": true, "XDG_RUNTIME_DIR": true,
}

// tellable reports whether words that are printed expand no variable that may
// hold a secret.
func tellable(words []Word) bool {
	for _, w := range words {
		for _, name := range w.Vars {
			if !tellableNames[name] && name != strings.ToLower(name) {
				return false
			}
		}
	}
	return true
}

// plainWords reports whether every word is what it looks like: no expansions,
// and no glob that could turn into an option.
func (t *table) plainWords(args []Word) bool {
	for i, a := range args {
		if !a.Literal {
			return false
		}
		if a.Glob && !t.tame && strings.IndexAny(a.Text, "*?[{") == 0 && !(i > 0 && args[i-1].Text == "--") && t.check == nil {
			return false
		}
	}
	return true
}

// split reads args by the row's own list of options with values.
func (t *table) split(args []Word) ([]option, []Word) {
	var options []option
	var operands, plain []Word
	for i, a := range args {
		if a.Text == "--" {
			operands = args[i+1:]
			break
		}
		if t.digits && len(a.Text) > 1 && a.Text[0] == '-' && strings.Trim(a.Text[1:], "0123456789") == "" {
			continue
		}
		if t.plus != "" && strings.HasPrefix(a.Text, "+") && strings.Trim(a.Text[1:], t.plus) == "" {
			continue
		}
		plain = append(plain, a)
	}
	options, first := strictArguments(plain, t.short, t.long)
	return options, append(first, operands...)
}

// strictArguments is arguments without abbreviated long names: an abbreviation
// is an unknown option here.
func strictArguments(args []Word, short string, long []string) (options []option, operands []Word) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		next := func() (Word, bool) {
			if i+1 < len(args) {
				i++
				return args[i], true
			}
			return Word{}, false
		}
		switch {
		case !strings.HasPrefix(text, "-") || text == "-":
			operands = append(operands, args[i])
		case strings.HasPrefix(text, "--"):
			name, value, given := strings.Cut(text, "=")
			o := option{name: name, has: given, value: Word{Text: value, Literal: args[i].Literal}}
			for _, l := range long {
				if !given && "--"+l == name {
					o.value, o.has = next()
				}
			}
			options = append(options, o)
		default:
			options = append(options, cluster(args[i], short, next)...)
		}
	}
	return options, operands
}

func (t *table) option(o option) bool {
	kind, known := t.allowed[o.name]
	if !known {
		return false
	}
	return !o.has || kind != 'n'
}
