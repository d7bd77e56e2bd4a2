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
	// Known means: the program has a row. Without one, options and operands are read as by most
	// programs.
	Known bool
	// Sub are the sub-command words; At is the index in Words behind the last of them, 1
	// without any. Strange means: the last one has no row.
	Sub     []string
	At      int
	Strange bool
	// Options are the options, in order, those before the sub-command included.
	Options []Option
	// Operands are the operands, Roles their roles.
	Operands []Word
	Roles    []Role
	// Inner is the index in Words of the beginning of the command inside, 0 without one; End is
	// the index behind its last word. Joined means: the words are joined to a command line for
	// a shell.
	Inner, End int
	Joined     bool
	// Spans are the commands named by options, in Words from the first index to the one before
	// the second (find -exec).
	Spans [][2]int

	// stopped means: an option ended the options.
	stopped bool
	// lines are the commands read by attached.
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
	// Known means: the row has it.
	Known bool
	// At is the index in Words of its word.
	At   int
	spec *spec
}

// generic is the row of unknown programs, with the common meanings.
var generic = compile(Row{Options: "-o|--output|--output-file|--outfile=> --out-dir|--outdir|--output-dir=/ -C|--directory=<", Operands: "r*"}, "")

// Name returns the name of a program in rows, given its path or name: without its directory and
// version.
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

// Known tells whether a name has a row.
func Known(name string) bool { return find(name) != nil }

// versioned are programs installed under names with a version.
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
	i := u.passes()
	if u.grammar.Bundle && len(words) > 1 && words[1].Literal && words[1].Text != "" && strings.IndexByte("-/.~", words[1].Text[0]) < 0 {
		i = u.bundle()
	}
	for i < len(words) {
		i = u.read(i)
	}
	u.assign()
	return u
}

// passes returns the index of the next word to read. Behind a program with Passes only a
// name of that list is read as a command.
func (u *Use) passes() int {
	if u.grammar.Passes == "" || len(u.Words) < 2 {
		return 1
	}
	switch next := u.Words[1]; {
	case strings.HasPrefix(next.Text, "-"):
	case next.Literal && !next.Glob && find(u.grammar.key+" "+next.Text) != nil:
		u.sub(1)
		return 2
	case !next.Literal || next.Glob || !slices.Contains(strings.Fields(u.grammar.Passes), next.Text):
		u.grammar, u.Known = generic, false
	}
	return 1
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

// ended reports that options have ended: behind the first operand, where the row says so, and
// inside a command to run.
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

// form returns the roles left for the operands by the options so far.
func (u *Use) form() []role {
	for _, f := range u.grammar.forms {
		if u.Has(f.options...) {
			return f.roles
		}
	}
	return u.grammar.roles
}

// bundle reads the first word as letters of options, with their values behind it.
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

// attached reads a command with its first word in the option's own word (fd --exec=rm FILE), as
// one line.
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

// value gives an option its value from the words behind Words[i], and returns the index of the
// last word used.
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
		_, size := utf8.DecodeRuneInString(rest) // an invalid byte counts by itself
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
	for _, s := range found { // several: an ambiguous abbreviation
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

// Has reports whether one of the named options may be present: an ambiguous abbreviation counts
// for each of its options.
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

// Row returns the row of the use; empty for an unknown program.
func (u *Use) Row() Row { return u.grammar.Row }

// Asked says why the use always needs a person, for any rules; empty when it does not. The
// program's own row counts, too, beside a sub-command's.
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

// Runs reports whether operands of the use, or of others of its kind, are commands, scripts or
// programs to run.
func (u *Use) Runs() bool {
	runs := func(list []role) bool {
		return slices.ContainsFunc(list, func(r role) bool { return strings.IndexByte("cljxs", byte(r.Role)) >= 0 })
	}
	return runs(u.grammar.roles) || slices.ContainsFunc(u.grammar.forms, func(f form) bool { return runs(f.roles) })
}

// Index returns where operand i stands in Words.
func (u *Use) Index(i int) int { return u.ats[i] }

// Means reports whether the use has the named option, or is an equivalent spelling.
func (u *Use) Means(name string) bool {
	return u.Has(name) || u.grammar.Means != nil && slices.Contains(u.grammar.Means(u), name)
}

// EditsOnly reports whether the use changes the named files and nothing else, as far as its
// words say.
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

// Scripts are the command lines for a shell in options and operands, each in one word; Inner
// and Joined hold those of many.
func (u *Use) Scripts() []Word {
	return slices.Concat(u.valued(runsScript), u.With(Line), u.lines)
}

// Code are the texts in other languages than the shell's to run.
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

// Commanded reports whether the program takes its commands from its terminal or input: its row
// has Terminal, and nothing on the line replaces them.
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
// else. RATIONALE.md, "Why does `pytest -v` ask, and `make --version` not?".
func (u *Use) asksVersion() bool {
	g := append(slices.Clip(u.above), u.grammar)[0]
	return len(u.Words) == 2 && u.Words[1].Literal && !u.Words[1].Glob && g.printsVersion(u.Program, u.Words[1].Text)
}

// AsksUsage reports whether a program without a row, called by its name alone, only has to
// print its help or version.
func (u *Use) AsksUsage() bool {
	if u.Known || len(u.Words) != 2 || !u.Words[0].Literal || u.Words[0].Glob || u.Words[0].Quoted || !u.Words[1].Literal {
		return false
	}
	name := u.Words[0].Text
	for i, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune("_-.+", r))) {
			return false
		}
	}
	return name != "" && (u.Words[1].Text == "--help" || u.Words[1].Text == "--version")
}

// asksHelp tells whether the use asks how a sub-command is used, and nothing else.
func (u *Use) asksHelp() bool {
	last := u.Words[len(u.Words)-1]
	return len(u.above) > 0 && u.above[0].Helps && !u.Strange && u.At == len(u.Sub)+1 && u.At == len(u.Words)-1 && last.Literal && last.Text == "--help"
}

// Heeds tells whether configuration beside the working tree, or the user's own, can
// make the use run a program, and names it (Row.Repo).
func (u *Use) Heeds() (repo bool, names string) {
	g := u.grammar
	if u.asksHelp() {
		g = u.above[0]
	}
	return g.Repo, g.Heeds
}

// printsVersion reports whether a program of the row prints its version for word alone; see
// Row.Version.
func (g *grammar) printsVersion(program, word string) bool {
	for token := range tokens(g.Version) {
		names, words, named := strings.Cut(token, ":")
		if token == word || named && slices.Contains(strings.Split(names, ","), program) && slices.Contains(strings.Split(words, ","), word) {
			return !g.Project || g.VersionAlone != ""
		}
	}
	return false
}

// Fed reports whether a program taking commands from its input does so although its words ask
// for the version only: with an input, only its manual promises to ignore it.
func (u *Use) Fed() bool { return u.grammar.Terminal && u.asksVersion() }
