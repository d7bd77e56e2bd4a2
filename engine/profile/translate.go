package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxTranslation bounds the translations of a profile, in bytes. A class of \w is
// about 5,000 of them.
const maxTranslation = 4 << 20

// translation writes a parsed pattern for regexp2. It uses nothing of the library's own classes,
// case, places and empty repeats, and none of its options: sets are spelled out, groups numbered.
// RATIONALE.md, "Why regexp2 v2, and not for every pattern?".
type translation struct {
	out strings.Builder
	// letters is how references without regard to case are told apart from
	// regexp2's; nil without one.
	letters *alphabet
	// limit is how long it may get, in bytes.
	limit int
	// groups is the highest group number.
	groups int
}

// translate returns the regexp2 pattern for exactly root's texts, in letters when it isn't nil. The
// error names an untranslatable part.
func translate(root *node, limit int) (pattern string, letters *alphabet, err error) {
	t := &translation{limit: limit}
	if err := t.check(root, nil); err != nil {
		return "", nil, err
	}
	t.out.WriteString(`\A(?:`)
	t.node(root)
	t.out.WriteString(`)\z`)
	if t.tooLong() {
		return "", nil, unsupported(0, fmt.Sprintf("more than %d bytes of classes in a profile, written out for patterns with memory", maxTranslation), `use fewer \w and \b there, or (?a)`)
	}
	return t.out.String(), t.letters, nil
}

// check finds untranslatable parts, and how references compare letters. open are the groups around
// n.
func (t *translation) check(n *node, open []int) error {
	switch {
	case n.op == opRef && n.fold != foldNone:
		a := alphabets[n.fold]()
		if t.letters != nil && t.letters != a {
			return unsupported(n.pos, "references without regard to case both under (?a) and not", "use one of the two")
		}
		t.letters = a
	case n.op == opCond && slices.Contains(open, n.group):
		return unsupported(n.pos, "a condition on the group that it stands in", "Python's answer depends on what it tried before: ask about a group that is closed")
	case n.op == opGroup:
		t.groups = max(t.groups, n.group)
		open = append(slices.Clip(open), n.group)
	}
	for _, sub := range n.subs {
		if err := t.check(sub, open); err != nil {
			return err
		}
	}
	return nil
}

func (t *translation) tooLong() bool { return t.out.Len() > t.limit }

// node writes n in a form a quantifier may follow.
func (t *translation) node(n *node) {
	if t.tooLong() {
		return
	}
	switch n.op {
	case opSet:
		t.set(n.set)
	case opRepeat:
		t.repeat(n)
	case opGroup:
		t.wrap(fmt.Sprintf("(?<%d>", n.group), n.subs[0])
	case opRef:
		t.ref(n)
	case opAtomic:
		t.wrap("(?>", n.subs[0])
	case opLook:
		t.look(n)
	case opAt:
		t.at(n.place)
	default:
		t.out.WriteString("(?:")
		t.branches(n)
		t.out.WriteString(")")
	}
}

// branches writes the content of parentheses: a sequence, or alternatives.
func (t *translation) branches(n *node) {
	switch n.op {
	case opEmpty:
	case opCat:
		for _, sub := range n.subs {
			t.node(sub)
		}
	case opAlt:
		for i, sub := range n.subs {
			if i > 0 {
				t.out.WriteByte('|')
			}
			t.node(sub)
		}
	case opCond:
		fmt.Fprintf(&t.out, "(?(%d)", n.group)
		t.node(n.subs[0])
		t.out.WriteByte('|')
		t.node(n.subs[1])
		t.out.WriteByte(')')
	default:
		t.node(n)
	}
}

func (t *translation) wrap(open string, body *node) {
	t.out.WriteString(open)
	t.branches(body)
	t.out.WriteByte(')')
}

func (t *translation) ref(n *node) {
	if n.fold == foldNone {
		fmt.Fprintf(&t.out, `(?:\k<%d>)`, n.group)
		return
	}
	fmt.Fprintf(&t.out, `(?i:\k<%d>)`, n.group)
}

// look writes a look-around. One behind steps back by its width and matches forward from there, as
// Python does: this fixes the order of its memory.
func (t *translation) look(n *node) {
	if !n.behind {
		t.wrap(pickText(n.negate, "(?!", "(?="), n.subs[0])
		return
	}
	t.out.WriteString(pickText(n.negate, "(?<!", "(?<="))
	if n.subs[0].op == opSet {
		t.set(n.subs[0].set)
	} else {
		t.wrap("(?=", n.subs[0])
		t.set(anySet)
		fmt.Fprintf(&t.out, "{%d}", n.subs[0].lo)
	}
	t.out.WriteByte(')')
}

// at writes a condition on a position.
func (t *translation) at(p place) {
	words := wordSet
	switch p {
	case atStart:
		t.out.WriteString(`\A`)
		return
	case atLineStart:
		t.out.WriteString(`(?:\A|(?<=\x0A))`)
		return
	case atEnd:
		t.out.WriteString(`\z`)
		return
	case atEndLine:
		t.out.WriteString(`(?=\x0A?\z)`)
		return
	case atLineEnd:
		t.out.WriteString(`(?:\z|(?=\x0A))`)
		return
	case atASCIIWord, atNotASCIIWord:
		words = asciiWordSet
	}
	w := t.class(words)
	if p == atWord || p == atASCIIWord {
		fmt.Fprintf(&t.out, `(?:(?<=%s)(?!%s)|(?<!%s)(?=%s))`, w, w, w, w)
		return
	}
	// Python finds neither \b nor \B in the empty text.
	fmt.Fprintf(&t.out, `(?:(?<=%s)(?=%s)|(?<!%s)(?!%s)(?!\A\z))`, w, w, w, w)
}

// repeat writes a repeat. Python lets a repeat go on after an empty match until its minimum, and
// then once more; regexp2 ends it at once. Written as the minimum, and then a repeat from none,
// both do the same.
func (t *translation) repeat(n *node) {
	body := n.subs[0]
	switch {
	case n.appetite == possessive:
		t.out.WriteString("(?>")
		t.body("(?>", body)
		t.count(n.min, n.max, greedy)
	case body.lo == 0 && n.min > 0 && n.max != n.min:
		t.out.WriteString("(?:")
		t.body("(?:", body)
		t.count(n.min, n.min, greedy)
		rest := n.max
		if rest != unlimited {
			rest -= n.min
		}
		t.body("(?:", body)
		t.count(0, rest, n.appetite)
	default:
		t.out.WriteString("(?:")
		t.body("(?:", body)
		t.count(n.min, n.max, n.appetite)
	}
	t.out.WriteByte(')')
}

// body writes the repeated part. regexp2 2.12 merges a repeat of a repeat, even with an atomic
// inner one, and gives (?>a+)? a meaning of its own; an unused empty group keeps them apart, and
// costs nothing at match time.
func (t *translation) body(open string, n *node) {
	if n.op == opSet {
		t.set(n.set)
		return
	}
	fmt.Fprintf(&t.out, "(?:(?<%d>)", t.groups+1)
	t.wrap(open, n)
	t.out.WriteByte(')')
}

func (t *translation) count(lo, hi int, a appetite) {
	t.out.WriteString("{" + strconv.Itoa(lo))
	if hi != lo {
		t.out.WriteByte(',')
	}
	if hi != lo && hi != unlimited {
		t.out.WriteString(strconv.Itoa(hi))
	}
	t.out.WriteByte('}')
	if a == lazy {
		t.out.WriteByte('?')
	}
}

// set writes one character of a set.
func (t *translation) set(s *set) { t.out.WriteString(t.class(s)) }

func (t *translation) class(s *set) string {
	if t.letters != nil {
		s = t.letters.set(s)
	}
	switch r := s.ranges; {
	case len(r) == 0:
		return "(?!)"
	case len(r) == 2 && r[0] == r[1]:
		return letter(r[0])
	}
	var out strings.Builder
	out.WriteByte('[')
	for i := 0; i < len(s.ranges); i += 2 {
		out.WriteString(letter(s.ranges[i]))
		if lo, hi := s.ranges[i], s.ranges[i+1]; hi > lo {
			out.WriteString("-" + letter(hi))
		}
	}
	out.WriteByte(']')
	return out.String()
}

// letter writes a literal character, in a class or not.
func letter(c rune) string {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return string(c)
	case c < 128:
		return fmt.Sprintf(`\x%02X`, c)
	case c >= 0xd800 && c <= 0xdfff:
		return fmt.Sprintf(`\u%04X`, c)
	}
	return string(c)
}

func pickText(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
