package profile

import (
	"slices"
	"strings"
)

// product holds the places of all patterns at once, after the known text. From here on every
// assertion counts as true for allow and ask patterns, and as false for deny patterns, so the
// search errs towards offering.
type product struct{ allow, deny []states }

// alive reports whether an allow or ask pattern and no deny pattern matches some longer text.
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

// waiting leaves out patterns without a further match.
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

// stepAll moves each program; assertion is the value of a place or look-around.
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
