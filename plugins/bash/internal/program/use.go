package program

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
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
	// Inner is the index in Words at which the command that this one runs begins,
	// 0 when it runs none; End is the index behind its last word. Joined tells
	// that the words are joined to a command line that a shell runs.
	Inner, End int
	Joined     bool
	// Spans are the commands that options name, in Words from the first index to
	// the one before the second (find -exec).
	Spans [][2]int

	// stopped tells that an option ended the options.
	stopped bool
	// lines are the commands that attached has read.
	lines []Word
	// ats are the operands' indices in Words.
	ats     []int
	grammar *grammar
	// above are the grammars of the program and of the sub-commands before the
	// last one.
	above []*grammar
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
	if strings.HasPrefix(base, "mkfs.") || strings.HasPrefix(base, "newfs_") {
		return "mkfs"
	}
	if find(base) != nil {
		return base
	}
	if bare := strings.TrimRight(base, "0123456789."); bare != base && find(bare) != nil && versioned[bare] {
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
	if g := find(u.Program); g != nil && !strings.Contains(u.Program, " ") {
		u.grammar, u.Known = g, true
	}
	i := 1
	if u.grammar.Bundle && len(words) > 1 && words[1].Literal && words[1].Text != "" && strings.IndexByte("-/.~", words[1].Text[0]) < 0 {
		i = u.bundle()
	}
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
	case u.grammar.Bare, slices.Contains(u.grammar.signs, text):
	case text == "--" && word.Literal && !u.stopped:
		if u.grammar.Commands && i+1 < len(u.Words) {
			return i + 1
		}
		for i++; i < len(u.Words); i++ {
			u.operand(i)
		}
		return i
	case u.grammar.digits && len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "0123456789") == "":
		return i + 1
	case u.grammar.plus != "" && len(text) > 1 && text[0] == '+' && strings.Trim(text[1:], u.grammar.plus) == "" && !u.ended():
		if strings.ContainsAny(text[1:], u.grammar.plusValue) {
			i++
		}
		return min(i+1, len(u.Words))
	case len(text) > 1 && text[0] == '-' && !u.ended():
		return u.option(i)
	}
	if u.grammar.Commands && !u.Strange {
		u.sub(i)
		return i + 1
	}
	if !slices.Contains(u.grammar.signs, text) {
		u.operand(i)
	}
	return i + 1
}

// ended tells that options have ended: behind the first operand, where the row
// says so, and in a command that is to be run.
func (u *Use) ended() bool {
	if len(u.Operands) == 0 || u.stopped {
		return u.stopped
	}
	return u.grammar.Stop || u.commands()
}

// commands tells whether one of the operands so far begins a command.
func (u *Use) commands() bool {
	roles := u.form()
	if !slices.ContainsFunc(roles, func(r role) bool { return r.Role == Command || r.Role == Joined }) {
		return false
	}
	so := Use{Words: u.Words, grammar: u.grammar, Options: u.Options, Operands: slices.Clone(u.Operands), ats: slices.Clone(u.ats)}
	so.assign()
	return so.Inner > 0
}

// form returns the roles that the options so far leave the operands.
func (u *Use) form() []role {
	for _, f := range u.grammar.forms {
		if u.Has(f.options...) {
			return f.roles
		}
	}
	return u.grammar.roles
}

// bundle reads the first word as letters of options, whose values follow it.
func (u *Use) bundle() int {
	next := 2
	for _, r := range u.Words[1].Text {
		name := "-" + string(r)
		s := u.grammar.options.find(name)
		o := Option{Name: name, At: 1, Known: s != nil, spec: s}
		if s != nil {
			o.Name = s.name
		}
		if s.is(takesValue) && !s.is(onlyAttached) && next < len(u.Words) {
			o.Value, o.Has = u.Words[next], true
			next++
		}
		u.Options = append(u.Options, o)
	}
	return next
}

// attached reads a command whose first word stands in the option's own word
// (fd --exec=rm FILE): it is told as one line.
func (u *Use) attached(o *Option, first Word, i int) int {
	n := len(u.Spans)
	end := u.value(o, i)
	line := first
	for _, span := range u.Spans[n:] {
		for _, word := range u.Words[span[0]:span[1]] {
			line.Text += " " + word.Text
			line.Literal = line.Literal && word.Literal && !word.Glob
		}
	}
	u.Spans = u.Spans[:n]
	u.lines = append(u.lines, line)
	o.Value, o.Has = first, true
	return end
}

// value gives an option its value from the words behind Words[i], and returns
// the index of the last one that it takes.
func (u *Use) value(o *Option, i int) int {
	s := o.spec
	u.stopped = u.stopped || s.is(endsOptions)
	switch {
	case s.is(runsWords):
		end := i + 1
		for end < len(u.Words) && u.Words[end].Text != ";" && !(u.Words[end].Text == "+" && u.Words[end-1].Text == "{}") {
			end++
		}
		if end > i+1 {
			u.Spans = append(u.Spans, [2]int{i + 1, end})
			o.Value, o.Has = u.Words[i+1], true
		}
		return min(end, len(u.Words)-1)
	case s.is(onlyAttached):
		return i
	}
	if s.is(twoWords) && i+1 < len(u.Words) {
		i++
	}
	if i+1 < len(u.Words) {
		i++
		o.Value, o.Has = u.Words[i], true
	}
	return i
}

// sub reads a sub-command.
func (u *Use) sub(i int) {
	word := u.Words[i]
	g := find(u.grammar.key + " " + word.Text)
	if !word.Literal || word.Glob || strings.ContainsAny(word.Text, " \t\n") {
		g = nil
	}
	u.Sub = append(u.Sub, word.Text)
	u.At = i + 1
	u.above = append(u.above, u.grammar)
	if g == nil {
		u.Strange = true
		parent := u.grammar
		u.grammar = &grammar{Row: Row{Name: parent.key, Verb: true, Sweeps: parent.Sweeps}, key: parent.key, options: generic.options, roles: generic.roles}
		if len(parent.roles) > 0 {
			u.grammar.options, u.grammar.roles = parent.options, parent.roles
			u.grammar.OneDash, u.grammar.Abbreviates = parent.OneDash, parent.Abbreviates
		}
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
	letters, last := word.Text[1:], i
letters:
	for rest := letters; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest) // a byte that is no letter is one by itself
		name := "-" + rest[:size]
		rest = rest[size:]
		s := u.grammar.options.find(name)
		if s == nil && u.grammar.digits && name[1] >= '0' && name[1] <= '9' {
			continue // the number of tail -20f
		}
		o := Option{Name: name, At: i, Known: s != nil, spec: s}
		if s != nil {
			o.Name = s.name
		}
		switch {
		case !s.is(takesValue):
			u.Options = append(u.Options, o)
			continue
		case s.is(onlyNext):
			last = u.value(&o, last)
			u.Options = append(u.Options, o)
			continue
		case rest != "" && s.is(runsWords):
			last = u.attached(&o, word.from(rest), last)
		case rest != "":
			o.Value, o.Has = word.from(rest), true
			u.stopped = u.stopped || s.is(endsOptions)
		default:
			last = u.value(&o, last)
		}
		u.Options = append(u.Options, o)
		break letters
	}
	return last + 1
}

func (u *Use) longOption(i int) int {
	word := u.Words[i]
	name, value, has := strings.Cut(word.Text, "=")
	if u.grammar.OneDash {
		name = "-" + strings.TrimLeft(name, "-")
	}
	found := u.grammar.spelled(name)
	if letter := name[:min(2, len(name))]; len(found) == 0 && u.grammar.OneDash && word.Text[1] != '-' && u.grammar.options.find(letter).is(takesValue) {
		// The value of a short option, in the same word (xxd -c16).
		found, value, has = u.grammar.spelled(letter), word.Text[2:], true
	}
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
			o.Known = o.Known && s.is(takesValue) && !s.is(twoWords)
			if s.is(runsWords) {
				next = max(next, u.attached(&o, word.from(value), i)+1)
			}
			u.stopped = u.stopped || s.is(endsOptions)
		case s.is(takesValue):
			next = max(next, u.value(&o, i)+1)
		}
		u.Options = append(u.Options, o)
	}
	return next
}

// assign gives each operand its role.
func (u *Use) assign() {
	list := slices.Clone(u.form())
	for _, o := range u.Options {
		if o.spec.is(standsFirst) && len(list) > 0 && (list[0].Role == Text || list[0].Role == Script) {
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
		if one.Role == Command || one.Role == Joined {
			u.Inner, u.End, u.Joined = u.ats[i], len(u.Words), one.Role == Joined
			for k := u.Inner; k < u.End && u.grammar.Until != ""; k++ {
				if strings.HasPrefix(u.Words[k].Text, u.grammar.Until) {
					u.End = k
				}
			}
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

// Asked says why a person must look at the use, whatever the rules say; empty
// when nobody needs to. The program's own row speaks, too, where a sub-command
// has one.
func (u *Use) Asked() string {
	for _, g := range append(slices.Clip(u.above), u.grammar) {
		if g.Asks != "" {
			return g.Asks
		}
		if g.AsksIf == nil {
			continue
		}
		if why := g.AsksIf(u); why != "" {
			return why
		}
	}
	return ""
}

// Runs tells whether operands of the use, or of others of its kind, are
// commands, scripts or programs that it runs.
func (u *Use) Runs() bool {
	runs := func(list []role) bool {
		return slices.ContainsFunc(list, func(r role) bool { return strings.IndexByte("cljxs", byte(r.Role)) >= 0 })
	}
	return runs(u.grammar.roles) || slices.ContainsFunc(u.grammar.forms, func(f form) bool { return runs(f.roles) })
}

// Index returns where operand i stands in Words.
func (u *Use) Index(i int) int { return u.ats[i] }

// Means tells whether the use has the named option, or is another spelling of
// one that has it.
func (u *Use) Means(name string) bool {
	return u.Has(name) || u.grammar.Means != nil && slices.Contains(u.grammar.Means(u), name)
}

// EditsOnly tells whether the use changes the files that it names and nothing
// else, as far as its words say.
func (u *Use) EditsOnly() bool {
	if !u.grammar.Edits || u.Strange || u.Inner > 0 || len(u.Spans) > 0 || len(u.Scripts()) > 0 {
		return false
	}
	for _, o := range u.Options {
		if !o.Known || o.spec.is(acts|runsCode) {
			return false
		}
	}
	return !slices.Contains(u.Roles, Extra)
}

// Command names the program and its sub-command: "git branch".
func (u *Use) Command() string { return strings.Join(append([]string{u.Program}, u.Sub...), " ") }

// Scripts are the command lines that a shell runs on behalf of the options and
// operands, each in one word; Inner and Joined tell of those that are many.
func (u *Use) Scripts() []Word {
	return slices.Concat(u.valued(runsScript), u.With(Line), u.lines)
}

// Code are the texts in languages that are not the shell's that the program runs.
func (u *Use) Code() []Word { return u.valued(runsCode) }

func (u *Use) valued(e effect) []Word {
	var out []Word
	for _, o := range u.Options {
		if o.Has && o.spec.is(e) {
			out = append(out, o.Value)
		}
	}
	return out
}

// Commanded tells whether the program takes its commands from its terminal or
// input: it is one that does (Row.Terminal), and nothing on the line tells it
// otherwise.
func (u *Use) Commanded() bool {
	g := u.grammar
	if !g.Terminal || u.asksVersion() {
		return false
	}
	for _, o := range u.Options {
		told := o.spec.is(runsScript|runsCode) || slices.Contains(strings.Fields(g.Told), o.Name)
		if told && !(o.Has && IsInput(o.Value.Text)) {
			return false
		}
	}
	for i, r := range u.Roles {
		if (r == Runs || r == Script || r == Line) && !IsInput(u.Operands[i].Text) {
			return false
		}
	}
	return u.Inner == 0
}

// IsInput tells whether a path is the program's own input.
func IsInput(p string) bool {
	return p == "-" || strings.HasPrefix(p, "/dev/stdin") || strings.HasPrefix(p, "/dev/fd/") || strings.HasPrefix(p, "/proc/self/fd/") || strings.HasPrefix(p, "/dev/tty")
}

// asksVersion tells whether the use asks for the version or help, and nothing
// else.
func (u *Use) asksVersion() bool {
	g := append(slices.Clip(u.above), u.grammar)[0]
	return len(u.Words) == 2 && u.Words[1].Literal && !u.Words[1].Glob && slices.Contains(strings.Fields(g.Version), u.Words[1].Text)
}
