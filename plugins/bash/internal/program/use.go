package program

import (
	"path"
	"slices"
	"strings"
)

// Use is one command, read by its row.
type Use struct {
	// Words are the program and its arguments.
	Words []Word
	// Program is the program's name, without its directory, as rows know it
	// (python3.12 is python).
	Program string
	// Known tells that the program has a row. Options and operands of one that
	// has none are read as most programs mean them.
	Known bool
	// Sub are the sub-command words; At is the index in Words behind the last of
	// them, 1 without any. Strange tells that the last one has no row.
	Sub     []string
	At      int
	Strange bool
	// Options are the options, in order, those before the sub-command included.
	Options []Option
	// Operands are the operands, Roles what each of them is.
	Operands []Word
	Roles    []Role
	// Inner is the index in Words at which the command that this one runs begins;
	// 0 when it runs none.
	Inner int

	// ats are the operands' indices in Words.
	ats     []int
	grammar *grammar
}

// Option is one option of a use.
type Option struct {
	// Name is the first spelling of the option's row; as given, without its
	// value, when the row does not know it.
	Name string
	// Value is its value, if Has.
	Value Word
	Has   bool
	// Known tells that the row has it.
	Known bool
	// At is the index in Words of the word that it stands in.
	At   int
	spec *spec
}

// generic is the row of programs that have none: what most of them mean.
var generic = compile(Row{Options: "-o|--output|--output-file|--outfile=> --out-dir|--outdir|--output-dir=/ -C|--directory=<", Operands: "r*"}, "")

// Name returns the name under which rows know a program given by its path or
// name: without its directory and version.
func Name(text string) string {
	base := path.Base(text)
	if rows[base] != nil {
		return base
	}
	if bare := strings.TrimRight(base, "0123456789."); bare != base && rows[bare] != nil && versioned[bare] {
		return bare
	}
	return base
}

// versioned are the programs that are installed under names with a version.
var versioned = map[string]bool{
	"python": true, "pip": true, "ruby": true, "perl": true, "php": true, "lua": true, "node": true, "gcc": true, "g++": true, "clang": true, "clang++": true,
	"go": true, "java": true, "tclsh": true, "ipython": true, "irb": true, "gem": true, "psql": true,
}

// Read reads the words of a command, the program first.
func Read(words []Word) *Use {
	u := &Use{Words: words, At: 1, grammar: generic}
	if len(words) == 0 {
		return u
	}
	u.Program = Name(words[0].Text)
	if g := rows[u.Program]; g != nil && !strings.Contains(u.Program, " ") {
		u.grammar, u.Known = g, true
	}
	i := 1
	for i < len(words) {
		i = u.read(i)
	}
	u.assign()
	return u
}

// read reads from Words[i] on and returns where to go on.
func (u *Use) read(i int) int {
	word := u.Words[i]
	text := word.Text
	switch {
	case text == "--" && word.Literal:
		if u.grammar.Commands && i+1 < len(u.Words) {
			return i + 1
		}
		for i++; i < len(u.Words); i++ {
			u.operand(i)
		}
		return i
	case u.grammar.digits && len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "0123456789") == "":
		return i + 1
	case u.grammar.plus != "" && len(text) > 1 && text[0] == '+' && strings.Trim(text[1:], u.grammar.plus) == "":
		return i + 1
	case len(text) > 1 && text[0] == '-' && !u.ended():
		return u.option(i)
	}
	if u.grammar.Commands && !u.Strange {
		u.sub(i)
		return i + 1
	}
	u.operand(i)
	return i + 1
}

// ended tells that options have ended: behind the first operand, where the row
// says so, and in a command that is to be run.
func (u *Use) ended() bool {
	if len(u.Operands) == 0 {
		return false
	}
	return u.grammar.Stop || slices.ContainsFunc(u.grammar.roles, func(r role) bool { return r.Role == Command })
}

// sub reads a sub-command.
func (u *Use) sub(i int) {
	word := u.Words[i]
	g := rows[u.grammar.key+" "+word.Text]
	if !word.Literal || word.Glob || strings.ContainsAny(word.Text, " \t\n") {
		g = nil
	}
	u.Sub = append(u.Sub, word.Text)
	u.At = i + 1
	if g == nil {
		u.Strange = true
		u.grammar = &grammar{Row: Row{Name: u.grammar.key, Verb: true}, key: u.grammar.key, specs: generic.specs, long: generic.long, roles: generic.roles}
		return
	}
	u.grammar = g
}

func (u *Use) operand(i int) {
	u.Operands, u.ats = append(u.Operands, u.Words[i]), append(u.ats, i)
}

// option reads the option word Words[i].
func (u *Use) option(i int) int {
	word := u.Words[i]
	if strings.HasPrefix(word.Text, "--") || u.grammar.OneDash {
		return u.longOption(i)
	}
	letters := word.Text[1:]
	for at, r := range letters {
		name := "-" + string(r)
		s := u.grammar.specs[name]
		o := Option{Name: name, At: i, Known: s != nil, spec: s}
		if s != nil {
			o.Name = s.name
		}
		if !s.is(takesValue) {
			u.Options = append(u.Options, o)
			continue
		}
		if rest := letters[at+len(string(r)):]; rest != "" {
			o.Value, o.Has = word.from(rest), true
		} else if !s.is(onlyAttached) && i+1 < len(u.Words) {
			i++
			o.Value, o.Has = u.Words[i], true
		}
		u.Options = append(u.Options, o)
		return i + 1
	}
	return i + 1
}

func (u *Use) longOption(i int) int {
	word := u.Words[i]
	name, value, has := strings.Cut(word.Text, "=")
	if u.grammar.OneDash {
		name = "-" + strings.TrimLeft(name, "-")
	}
	found := u.grammar.spelled(name)
	if len(found) == 0 {
		u.Options = append(u.Options, Option{Name: name, At: i, Value: word.from(value), Has: has})
		return i + 1
	}
	next := i + 1
	for _, s := range found { // several: an abbreviation that can mean any of them
		o := Option{Name: s.name, At: i, Known: len(found) == 1, spec: s, Has: has}
		switch {
		case has:
			o.Value = word.from(value)
			o.Known = o.Known && s.is(takesValue)
		case s.is(takesValue) && !s.is(onlyAttached) && i+1 < len(u.Words):
			o.Value, o.Has = u.Words[i+1], true
			next = i + 2
		}
		u.Options = append(u.Options, o)
	}
	return next
}

// assign gives each operand its role.
func (u *Use) assign() {
	list := slices.Clone(u.grammar.roles)
	for _, o := range u.Options {
		if o.spec.is(standsFirst) && len(list) > 0 && list[0].Role != Command && (list[0].Role == Text || list[0].Role == Script) {
			list = list[1:]
		}
		if n := len(list); o.spec.is(standsLast) && n > 0 && list[n-1].Role == Place {
			list = list[:n-1]
		}
	}
	u.Roles = make([]Role, 0, len(u.Operands))
	for i := 0; i < len(u.Operands); i++ {
		left := len(u.Operands) - i
		for len(list) > 0 && list[0].Role == Assign && !strings.Contains(u.Operands[i].Text, "=") {
			list = list[1:]
		}
		for len(list) > 0 && list[0].optional && left <= needed(list[1:]) {
			list = list[1:]
		}
		for len(list) > 0 && list[0].many && list[0].Role != Assign && left <= needed(list[1:]) {
			list = list[1:]
		}
		if len(list) == 0 {
			u.Roles = append(u.Roles, Extra)
			continue
		}
		one := list[0]
		if one.Role == Command {
			u.Inner = u.ats[i]
			u.Operands, u.ats = u.Operands[:i], u.ats[:i]
			return
		}
		u.Roles = append(u.Roles, one.Role)
		if !one.many {
			list = list[1:]
		}
	}
}

// needed is how many operands the roles want at least.
func needed(list []role) int {
	n := 0
	for _, r := range list {
		if !r.many && !r.optional {
			n++
		}
	}
	return n
}

// Has tells whether one of the named options may be present: an abbreviation
// that several options share counts for each of them.
func (u *Use) Has(names ...string) bool {
	return slices.ContainsFunc(u.Options, func(o Option) bool { return slices.Contains(names, o.Name) })
}

// Values returns the values of the named options.
func (u *Use) Values(names ...string) []Word {
	var out []Word
	for _, o := range u.Options {
		if o.Has && slices.Contains(names, o.Name) {
			out = append(out, o.Value)
		}
	}
	return out
}

// With returns the operands of the roles.
func (u *Use) With(list ...Role) []Word {
	var out []Word
	for i, r := range u.Roles {
		if slices.Contains(list, r) {
			out = append(out, u.Operands[i])
		}
	}
	return out
}

// Args are the words behind the program and its sub-command.
func (u *Use) Args() []Word { return u.Words[min(u.At, len(u.Words)):] }

// Row returns the row that the use was read by; that of a program which has none
// is empty.
func (u *Use) Row() Row { return u.grammar.Row }

// Command names the program and its sub-command: "git branch".
func (u *Use) Command() string { return strings.Join(append([]string{u.Program}, u.Sub...), " ") }

// Scripts are the command lines that a shell runs on behalf of the options.
func (u *Use) Scripts() []Word {
	var out []Word
	for _, o := range u.Options {
		if o.Has && o.spec.is(runsScript) {
			out = append(out, o.Value)
		}
	}
	return out
}
