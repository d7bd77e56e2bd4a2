package program

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// effect is the effect of an option, or the meaning of its value.
type effect uint32

const (
	takesValue effect = 1 << iota
	onlyAttached
	readsPath
	writesPath
	writesInto
	runsScript
	namesHost
	standsFirst
	standsLast
	runsCode
	runsWords
	twoWords
	onlyNext
	endsOptions
	acts
	// chooses is "~": see Row.Options.
	chooses
	// setsValue is "*": see Row.Options.
	setsValue
)

// spec is one option of a row.
type spec struct {
	name   string
	effect effect
}

func (s *spec) is(e effect) bool { return s != nil && s.effect&e != 0 }

// grammar is a row, compiled.
type grammar struct {
	Row
	key     string
	options *options
	roles   []role
	forms   []form
	digits  bool
	plus    string
	// plusValue are the letters behind a plus with a value in the next word.
	plusValue string
	// signs are words other than operands.
	signs []string
	deep  []string
}

// form is a Form, compiled.
type form struct {
	options []string
	roles   []role
}

// Role is the role of an operand; see Row.Operands.
type Role byte

// The roles of operands.
const (
	Text    Role = 't'
	Script  Role = 's'
	Reads   Role = 'r'
	Writes  Role = 'w'
	Removes Role = 'm'
	Runs    Role = 'x'
	Into    Role = 'd'
	Place   Role = 'p'
	Host    Role = 'h'
	Assign  Role = 'a'
	Command Role = 'c'
	Line    Role = 'l'
	Joined  Role = 'j'
	// Extra is an operand beyond those of the row.
	Extra Role = 'e'
)

type role struct {
	Role
	many, optional bool
}

// compile reads the row's texts. It panics on a mistake in them: rows are part
// of the program, and a test reads all of them.
func compile(r Row, key string) *grammar {
	g := &grammar{Row: r, key: key, options: newOptions(r.Options, r.All), deep: strings.Fields(r.Deep)}
	for token := range tokens(r.Options) {
		g.option(token)
	}
	for token := range tokens(r.All) {
		if !g.taken(token) {
			g.option(token)
		}
	}
	g.roles = roles(r.Name, r.Operands)
	for _, f := range r.With {
		g.forms = append(g.forms, form{strings.Fields(f.Options), roles(r.Name, f.Operands)})
	}
	return g
}

// tokens are the parts of a text between blanks.
func tokens(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			token, rest, _ := strings.Cut(text, " ")
			if text = rest; token != "" && !yield(token) {
				return
			}
		}
	}
}

// roles reads the roles of operands.
func roles(name, text string) []role {
	var out []role
	starred := false
	for _, token := range strings.Fields(text) {
		one := role{Role: Role(token[0]), many: strings.HasSuffix(token, "*"), optional: strings.HasSuffix(token, "?")}
		if !strings.ContainsRune("tsrwmxdpachlj", rune(token[0])) || len(token) > 2 || len(token) == 2 && !one.many && !one.optional || one.many && starred {
			panic(fmt.Sprintf("program: row %q: operands %q", name, text))
		}
		starred = starred || one.many && one.Role != Assign
		out = append(out, one)
	}
	return out
}

// taken tells whether the row itself has an option of one of the token's names.
func (g *grammar) taken(token string) bool {
	names, _, _ := strings.Cut(strings.TrimRight(token, "!~"), "=")
	for name := range strings.SplitSeq(names, "|") {
		if g.OneDash {
			name = oneDash(name)
		}
		if g.options.find(name) != nil {
			return true
		}
	}
	return false
}

func (g *grammar) option(token string) {
	fail := func() { panic(fmt.Sprintf("program: row %q: option %q", g.Name, token)) }
	if token == "-#" {
		g.digits = true
		return
	}
	if letters, ok := strings.CutPrefix(token, "+"); ok && letters != "" {
		if letter, value := strings.CutSuffix(letters, "="); value {
			g.plusValue, letters = g.plusValue+letter, letter
		}
		g.plus += letters
		return
	}
	if token[0] != '-' || token == "-" {
		g.signs = append(g.signs, token)
		return
	}
	spellings := strings.TrimRight(token, "!~")
	var e effect
	if strings.Contains(token[len(spellings):], "!") {
		e |= acts
	}
	if strings.Contains(token[len(spellings):], "~") {
		e |= chooses
	}
	spellings, marks, has := strings.Cut(spellings, "=")
	if has {
		e |= takesValue
		for i, mark := range marks {
			switch mark {
			case '?':
				if i > 0 {
					fail()
				}
				e |= onlyAttached
			case '<':
				e |= readsPath
			case '>':
				e |= writesPath
			case '/':
				e |= writesInto
			case '$':
				e |= runsScript
			case '@':
				e |= namesHost
			case '%':
				e |= standsFirst
			case '^':
				e |= standsLast
			case '&':
				e |= runsCode
			case ';':
				e |= runsWords
			case '2':
				e |= twoWords
			case '+':
				e |= onlyNext
			case '.':
				e |= endsOptions
			case '*':
				e |= setsValue
			default:
				fail()
			}
		}
	}
	first, others, more := strings.Cut(spellings, "|")
	if !more && !g.OneDash && !strings.HasPrefix(first, "--") && len(first) > 2 {
		if has {
			fail() // "-abc=": the option with the value is ambiguous
		}
		for _, letter := range first[1:] {
			name := dashed(letter)
			g.put(name, g.options.spec(name, e), fail)
		}
		return
	}
	s := g.options.spec(first, e)
	for name := first; ; {
		if len(name) < 2 || name[0] != '-' || !g.OneDash && name[1] != '-' && len(name) > 2 {
			fail()
		}
		g.put(name, s, fail)
		if !more {
			return
		}
		name, others, more = strings.Cut(others, "|")
	}
}

func (g *grammar) put(name string, s *spec, fail func()) {
	if g.OneDash {
		name = oneDash(name)
	}
	if g.options.find(name) != nil {
		fail()
	}
	g.options.add(name, s)
}

// spelled finds the option of a long name, given in full or abbreviated. An ambiguous
// abbreviation gives all its options.
func (g *grammar) spelled(name string) []*spec {
	if s := g.options.find(name); s != nil {
		return []*spec{s}
	}
	if !g.Abbreviates || len(name) < 3 {
		return nil
	}
	var found []*spec
	for i := range g.options.list {
		long := &g.options.list[i]
		if strings.HasPrefix(long.name, "--") && strings.HasPrefix(long.name, name) && !slices.Contains(found, long.spec) {
			found = append(found, long.spec)
		}
	}
	return found
}

// table is every row; places are where it has the row of each key: the program's
// name and its sub-command words, separated by blanks. A row is compiled when it is
// first asked for: a line needs few of them.
var (
	table    []Row
	places   map[string]int32
	compiled sync.Map // by the key
)

func init() { // judges of rows read commands, by the rows
	table = tables()
	places = make(map[string]int32, 6*len(table))
	for i, r := range table {
		for _, key := range keys(r.Name) {
			if _, taken := places[key]; !taken {
				places[key] = int32(i)
			}
		}
	}
}

// keys are the names of a row, its alternatives multiplied out.
func keys(name string) []string {
	at := strings.LastIndexByte(name, ' ')
	if at < 0 {
		return strings.Split(name, "|")
	}
	var out []string
	for _, key := range keys(name[:at]) {
		for word := range strings.SplitSeq(name[at+1:], "|") {
			out = append(out, key+" "+word)
		}
	}
	return out
}

// find returns the row of a key; nil when there is none.
func find(key string) *grammar {
	i, ok := places[key]
	if !ok {
		return nil
	}
	if g, ok := compiled.Load(key); ok {
		return g.(*grammar)
	}
	g, _ := compiled.LoadOrStore(key, compile(table[i], key))
	return g.(*grammar)
}
