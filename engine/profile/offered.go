package profile

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Shape is a set of action strings that a tool can produce: one text, or every
// text that begins with it.
type Shape struct {
	Text string
	// Exact means Text alone; else Text is a prefix, possibly the whole action.
	Exact bool
}

// shapes are the action strings of the Chorus seed's tools, and under the names
// that agents use. Source: its table "Action Strings by Tool", design section 5.
var shapes = map[string]Shape{
	"git_init":                {"tool:git:init", true},
	"git_commit":              {"tool:git:commit", true},
	"git_push":                {"tool:git:push ", false},
	"git_branch":              {"tool:git:branch ", false},
	"git_merge_request":       {"tool:git:merge_request ", false},
	"self_edit_system_prompt": {"tool:self_edit:system_prompt", true},
	"self_edit_docs":          {"tool:self_edit:docs:", false},
	"self_edit_permissions":   {"tool:self_edit:permissions:", false},
	"self_edit_model":         {"tool:self_edit:model:", false},
	"Bash":                    {"tool:bash:", false},
	"Read":                    {"tool:view:", false},
	"LS":                      {"tool:view:", false},
	"ReadMany":                {"tool:view:", false},
	"Write":                   {"tool:create_file:", false},
	"Edit":                    {"tool:str_replace:", false},
	"MultiEdit":               {"tool:str_replace:", false},
	"NotebookEdit":            {"tool:str_replace:", false},
	"ApplyPatch":              {"tool:str_replace:", false},
	"Delete":                  {"tool:delete_file:", false},
	"Glob":                    {"tool:glob:", false},
	"Grep":                    {"tool:grep:", false},
	"WebFetch":                {"tool:web_fetch:", false},
	"WebSearch":               {"tool:web_search:", false},
}

// Bounds of the search for an action that is not denied.
const (
	maxProductStates = 4000
	maxLetterWork    = 2_000_000 // sets times the places where one begins or ends
)

// ShapeOf returns what the actions of a tool look like. tool is a name of the
// Chorus seed, an agent's own, or any other, whose actions then begin with
// "tool:NAME:".
func ShapeOf(tool string) Shape {
	if s, ok := shapes[tool]; ok {
		return s
	}
	return Shape{Text: "tool:" + tool + ":"}
}

// Offered reports whether a tool is worth offering to the model, by
// [ShapeOf] its actions.
func (c *Compiled) Offered(tool string) bool { return c.Offers(ShapeOf(tool)) }

// Offers reports whether a tool that produces actions of these shapes is worth
// offering to the model: false only when every such action is provably denied.
// What is too clever to tell is offered, because each call is decided anyway.
// Without a shape nothing is.
func (c *Compiled) Offers(shapes ...Shape) bool {
	return slices.ContainsFunc(shapes, c.offers)
}

func (c *Compiled) offers(s Shape) bool {
	if s.Exact {
		a := c.Decide([]string{s.Text})
		return a.Behavior != engine.Deny || a.Note != ""
	}
	b := &budget{left: maxSteps}
	text := []rune(s.Text)
	room := maxAllInstructions
	var start product
	for _, p := range slices.Concat(c.allow, c.ask) {
		prog := p.prog
		if prog == nil {
			prog = compileLinear(p.root, true, &room)
		}
		if prog == nil {
			return true
		}
		f := newFrontier(prog, text, b)
		start.allow = append(start.allow, f.after())
		if f.err != nil {
			return true
		}
	}
	for _, p := range c.deny {
		if p.prog == nil {
			continue // what it denies is not known: count on nothing
		}
		f := newFrontier(p.prog, text, b)
		start.deny = append(start.deny, f.after())
		if f.err != nil {
			return true
		}
	}
	return start.alive(b)
}

// truth is what is known of a position before the rest of the text is: no,
// maybe, or surely.
type truth uint8

const (
	never truth = iota
	maybe
	surely
)

func (t truth) not() truth { return surely - t }

// frontier runs a program over the known beginning of a text of which more may
// follow. Each instruction is reached never, maybe, or surely.
type frontier struct {
	prog  *program
	text  []rune
	spent *budget
	reach []truth // by instruction, at the current position
	err   error
}

// states are the instructions of one program that wait for a character or
// match, and how surely they are reached.
type states struct {
	prog  *program
	reach map[int]truth
}

func newFrontier(p *program, text []rune, b *budget) *frontier {
	return &frontier{prog: p, text: text, spent: b}
}

// after returns the states behind the known text.
func (f *frontier) after() states {
	f.reach = make([]truth, len(f.prog.insts))
	f.add(f.prog.start, 0, surely)
	for i, c := range f.text {
		before := f.reach
		f.reach = make([]truth, len(f.prog.insts))
		for pc, t := range before {
			if in := &f.prog.insts[pc]; t != never && in.code == codeSet && in.set.has(c) {
				f.add(in.x, i+1, t)
			}
		}
	}
	return f.waiting()
}

func (f *frontier) waiting() states {
	s := states{f.prog, map[int]truth{}}
	for pc, t := range f.reach {
		if code := f.prog.insts[pc].code; t != never && (code == codeSet || code == codeMatch) {
			s.reach[pc] = t
		}
	}
	return s
}

// add reaches pc and what follows it without a character.
func (f *frontier) add(pc, pos int, t truth) {
	if f.err == nil {
		f.err = f.spent.spend(1)
	}
	if f.reach[pc] >= t || f.err != nil {
		return
	}
	f.reach[pc] = t
	switch in := &f.prog.insts[pc]; in.code {
	case codeSplit:
		f.add(in.x, pos, t)
		f.add(in.y, pos, t)
	case codeAt:
		f.add(in.x, pos, min(t, f.at(in.place, pos)))
	case codeLook:
		f.add(in.x, pos, min(t, f.look(&f.prog.looks[in.look], pos)))
	}
}

// at tells whether a place holds before the rest of the text is known.
func (f *frontier) at(p place, pos int) truth {
	known := pos < len(f.text) && !strings.ContainsRune("\n", f.text[pos])
	start := p == atStart || p == atLineStart
	if !start && !known {
		return maybe
	}
	// A character that is no line feed follows, or what follows is not asked:
	// any text that goes on tells the same.
	if p.holds(append(f.text[:len(f.text):len(f.text)], 'x', 'x'), pos) {
		return surely
	}
	return never
}

// look tells whether a look-around holds before the rest of the text is known.
func (f *frontier) look(l *look, pos int) truth {
	t := maybe
	room := maxInstructions
	body := &compiler{prog: &program{}, room: &room}
	match := body.emit(instruction{code: codeMatch})
	body.prog.start = body.node(l.node, match)
	if !body.memory && !body.tooLarge {
		from := pos
		if l.behind {
			from -= l.node.lo
		}
		t = f.body(body.prog, from, pos, l.behind)
	}
	if l.negate {
		return t.not()
	}
	return t
}

// body runs the body of a look-around from a position of the known text: up to
// pos when it looks behind, else as far as the text is known.
func (f *frontier) body(p *program, from, pos int, behind bool) truth {
	if from < 0 {
		return never
	}
	sub := &frontier{prog: p, text: f.text, spent: f.spent, reach: make([]truth, len(p.insts))}
	sub.add(p.start, from, surely)
	best := sub.matched()
	for i := from; i < len(f.text) && (!behind || i < pos); i++ {
		before := sub.reach
		sub.reach = make([]truth, len(p.insts))
		for pc, t := range before {
			if in := &p.insts[pc]; t != never && in.code == codeSet && in.set.has(f.text[i]) {
				sub.add(in.x, i+1, t)
			}
		}
		best = max(best, sub.matched())
	}
	if f.err == nil {
		f.err = sub.err
	}
	if !behind && best != surely && len(sub.waiting().reach) > 0 {
		return maybe
	}
	return best
}

func (f *frontier) matched() truth {
	for pc, t := range f.reach {
		if f.prog.insts[pc].code == codeMatch && t != never {
			return t
		}
	}
	return never
}

// product is where all patterns stand at once, behind the known text. From here
// on every assertion counts as holding for allow and ask patterns, and as
// failing for deny patterns, so that the search errs towards offering.
type product struct{ allow, deny []states }

// alive reports whether some text that may follow is matched by an allow or ask
// pattern and by no deny pattern.
func (p product) alive(b *budget) bool {
	p = p.waiting()
	letters, ok := p.letters()
	if !ok {
		return true
	}
	seen := map[string]bool{p.key(): true}
	queue := []product{p}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at.accepts() || len(seen) > maxProductStates {
			return true
		}
		for _, c := range letters {
			next, err := at.step(c, b)
			if err != nil {
				return true
			}
			if key := next.key(); !seen[key] && next.open() {
				seen[key] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// waiting leaves out the patterns that can match no more.
func (p product) waiting() product {
	ended := func(s states) bool { return len(s.reach) == 0 }
	return product{slices.DeleteFunc(p.allow, ended), slices.DeleteFunc(p.deny, ended)}
}

func (p product) accepts() bool {
	return hasMatch(p.allow, maybe) && !hasMatch(p.deny, surely)
}

func hasMatch(all []states, atLeast truth) bool {
	return slices.ContainsFunc(all, func(s states) bool {
		for pc, t := range s.reach {
			if t >= atLeast && s.prog.insts[pc].code == codeMatch {
				return true
			}
		}
		return false
	})
}

// open reports whether an allow or ask pattern may still match.
func (p product) open() bool {
	return slices.ContainsFunc(p.allow, func(s states) bool { return len(s.reach) > 0 })
}

// step takes one character.
func (p product) step(c rune, b *budget) (product, error) {
	var next product
	var err error
	if next.allow, err = stepAll(p.allow, c, maybe, b); err != nil {
		return next, err
	}
	next.deny, err = stepAll(p.deny, c, never, b)
	return next, err
}

// stepAll moves each program; assertion is what a place or look-around counts.
func stepAll(all []states, c rune, assertion truth, b *budget) ([]states, error) {
	out := make([]states, len(all))
	for i, s := range all {
		out[i] = states{s.prog, map[int]truth{}}
		b.left -= len(s.reach)
		for pc, t := range s.reach {
			if in := &s.prog.insts[pc]; in.code == codeSet && in.set.has(c) {
				out[i].follow(in.x, t, assertion, map[int]truth{}, b)
			}
		}
		if b.left < 0 {
			return nil, errSteps
		}
	}
	return out, nil
}

func (s states) follow(pc int, t, assertion truth, seen map[int]truth, b *budget) {
	if t == never || seen[pc] >= t || b.spend(1) != nil {
		return
	}
	seen[pc] = t
	switch in := &s.prog.insts[pc]; in.code {
	case codeSplit:
		s.follow(in.x, t, assertion, seen, b)
		s.follow(in.y, t, assertion, seen, b)
	case codeAt, codeLook:
		s.follow(in.x, min(t, assertion), assertion, seen, b)
	default:
		s.reach[pc] = max(s.reach[pc], t)
	}
}

// key names a product for the search.
func (p product) key() string {
	var k strings.Builder
	for _, all := range [][]states{p.allow, p.deny} {
		for _, s := range all {
			pcs := make([]int, 0, len(s.reach))
			for pc := range s.reach {
				pcs = append(pcs, pc)
			}
			slices.Sort(pcs)
			for _, pc := range pcs {
				k.WriteRune(rune(pc))
				k.WriteRune(rune(s.reach[pc]))
			}
			k.WriteByte(';')
		}
	}
	return k.String()
}

// letters returns one character for each way the patterns' sets tell characters
// apart; false when there are too many sets to tell.
func (p product) letters() ([]rune, bool) {
	known := map[*set]bool{}
	var sets []*set
	cuts := []rune{0, 0xe000} // surrogates are in no text
	for _, s := range slices.Concat(p.allow, p.deny) {
		for _, in := range s.prog.insts {
			if in.code == codeSet && !known[in.set] {
				known[in.set] = true
				sets = append(sets, in.set)
				for i := 0; i < len(in.set.ranges); i += 2 {
					cuts = append(cuts, in.set.ranges[i], in.set.ranges[i+1]+1)
				}
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if len(cuts)*len(sets) > maxLetterWork {
		return nil, false
	}
	seen := map[string]bool{}
	var out []rune
	for _, c := range cuts {
		if c > maxRune || (c >= 0xd800 && c <= 0xdfff) {
			continue
		}
		if sig := signature(sets, c); !seen[sig] {
			seen[sig] = true
			out = append(out, c)
		}
	}
	return out, true
}

func signature(sets []*set, c rune) string {
	sig := make([]byte, len(sets))
	for i, s := range sets {
		if s.has(c) {
			sig[i] = 1
		}
	}
	return string(sig)
}
