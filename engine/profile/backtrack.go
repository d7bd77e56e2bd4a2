package profile

import "errors"

// errDeep ends a match that would need too much stack.
var errDeep = errors.New("the pattern repeats too deep for this action")

// maxMatchDepth bounds the recursion of one match, about 300 bytes a level.
const maxMatchDepth = 30000

// backtrackCost is what one step of backtracking counts beside one of a
// program, as it was measured.
const backtrackCost = 8

// matcher tries a pattern with memory as Python's matcher does, in its order,
// so that groups hold what they hold there.
type matcher struct {
	text  []rune
	spent *budget
	// from and to are what each group took part with; from -1 when it did not.
	from, to []int
	depth    int
	err      error
}

// then is what must match after a node.
type then func(pos int) bool

// fullMatch reports whether root matches the whole text.
func fullMatch(root *node, groups int, text []rune, b *budget) (bool, error) {
	m := &matcher{text: text, spent: b, from: make([]int, groups), to: make([]int, groups)}
	for i := range m.from {
		m.from[i] = -1
	}
	ok := m.match(root, 0, func(pos int) bool { return pos == len(text) })
	return ok && m.err == nil, m.err
}

// enter counts a step; it is false when the match must end.
func (m *matcher) enter() bool {
	if m.err == nil {
		m.err = m.spent.spend(backtrackCost)
	}
	if m.depth++; m.depth > maxMatchDepth && m.err == nil {
		m.err = errDeep
	}
	return m.err == nil
}

func (m *matcher) match(n *node, pos int, k then) bool {
	defer func() { m.depth-- }()
	if !m.enter() {
		return false
	}
	switch n.op {
	case opSet:
		return pos < len(m.text) && n.set.has(m.text[pos]) && k(pos+1)
	case opCat:
		return m.sequence(n.subs, pos, k)
	case opAlt:
		for _, sub := range n.subs {
			if m.match(sub, pos, k) {
				return true
			}
		}
		return false
	case opRepeat:
		return m.repeat(n, pos, k)
	case opGroup:
		return m.group(n, pos, k)
	case opRef:
		return m.ref(n, pos, k)
	case opCond:
		if n.group < len(m.from) && m.from[n.group] >= 0 {
			return m.match(n.subs[0], pos, k)
		}
		return m.match(n.subs[1], pos, k)
	case opAtomic:
		return m.once(n.subs[0], pos, k)
	case opLook:
		return m.look(n, pos) && k(pos)
	case opAt:
		return n.place.holds(m.text, pos) && k(pos)
	}
	return k(pos)
}

func (m *matcher) sequence(subs []*node, pos int, k then) bool {
	if len(subs) == 0 {
		return k(pos)
	}
	return m.match(subs[0], pos, func(p int) bool { return m.sequence(subs[1:], p, k) })
}

// group remembers where its part began and ended, and forgets it again when
// the rest does not match.
func (m *matcher) group(n *node, pos int, k then) bool {
	from, to := m.from[n.group], m.to[n.group]
	if m.match(n.subs[0], pos, func(end int) bool {
		oldFrom, oldTo := m.from[n.group], m.to[n.group]
		m.from[n.group], m.to[n.group] = pos, end
		if k(end) {
			return true
		}
		m.from[n.group], m.to[n.group] = oldFrom, oldTo
		return false
	}) {
		return true
	}
	m.from[n.group], m.to[n.group] = from, to
	return false
}

func (m *matcher) ref(n *node, pos int, k then) bool {
	from, to := m.from[n.group], m.to[n.group]
	if from < 0 || pos+to-from > len(m.text) {
		return false
	}
	for i := range to - from {
		if n.fold.lower(m.text[from+i]) != n.fold.lower(m.text[pos+i]) {
			return false
		}
	}
	return k(pos + to - from)
}

// look matches the body without taking it. What groups a positive one sets,
// they keep.
func (m *matcher) look(n *node, pos int) bool {
	if n.behind {
		if pos -= n.subs[0].lo; pos < 0 {
			return n.negate
		}
	}
	from, to := append([]int(nil), m.from...), append([]int(nil), m.to...)
	found := m.match(n.subs[0], pos, func(int) bool { return true })
	if !found || n.negate {
		copy(m.from, from)
		copy(m.to, to)
	}
	return m.err == nil && found != n.negate
}

// once matches n in its first way only.
func (m *matcher) once(n *node, pos int, k then) bool {
	from, to := append([]int(nil), m.from...), append([]int(nil), m.to...)
	end := -1
	if m.match(n, pos, func(p int) bool { end = p; return true }) && k(end) {
		return true
	}
	copy(m.from, from)
	copy(m.to, to)
	return false
}

func (m *matcher) repeat(n *node, pos int, k then) bool {
	switch {
	case n.appetite == possessive:
		return m.possessive(n, pos, k)
	case n.subs[0].op == opSet && n.appetite == greedy:
		return m.longest(n, pos, k)
	}
	return m.again(n, 0, pos, -1, k)
}

// longest is a greedy repeat of one character: no recursion while it takes.
func (m *matcher) longest(n *node, pos int, k then) bool {
	end := pos
	for end < len(m.text) && (n.max == unlimited || end-pos < n.max) && n.subs[0].set.has(m.text[end]) {
		end++
	}
	if m.err = m.spent.spend(end - pos); m.err != nil {
		return false
	}
	for ; end >= pos+n.min; end-- {
		if k(end) {
			return true
		}
		if m.err != nil || !m.enter() {
			return false
		}
		m.depth--
	}
	return false
}

// again tries one more time, or the rest. A time that began where the last one
// did adds nothing and is not tried. Source: MAX_UNTIL and MIN_UNTIL.
func (m *matcher) again(n *node, count, pos, last int, k then) bool {
	more := func(last int) bool {
		return m.match(n.subs[0], pos, func(p int) bool { return m.again(n, count+1, p, last, k) })
	}
	if count < n.min {
		return more(last)
	}
	mayRepeat := (n.max == unlimited || count < n.max) && pos != last
	if n.appetite == lazy {
		return k(pos) || (mayRepeat && m.err == nil && more(pos))
	}
	return (mayRepeat && more(pos)) || (m.err == nil && k(pos))
}

// possessive takes as often as it can, each time in the first way only.
func (m *matcher) possessive(n *node, pos int, k then) bool {
	from, to := append([]int(nil), m.from...), append([]int(nil), m.to...)
	last := -1
	for count := 0; n.max == unlimited || count < n.max; count++ {
		end := -1
		if count >= n.min && pos == last {
			break
		}
		if !m.match(n.subs[0], pos, func(p int) bool { end = p; return true }) {
			if count < n.min || m.err != nil {
				copy(m.from, from)
				copy(m.to, to)
				return false
			}
			break
		}
		last, pos = pos, end
	}
	if k(pos) {
		return true
	}
	copy(m.from, from)
	copy(m.to, to)
	return false
}
