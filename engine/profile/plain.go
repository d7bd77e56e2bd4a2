package profile

// subject is an action to match.
type subject struct {
	text  string
	runes []rune
}

// characters returns the action as patterns see it: invalid bytes of UTF-8 count as U+FFFD.
func (s *subject) characters() []rune {
	if s.runes == nil {
		s.runes = []rune(s.text)
	}
	return s.runes
}

// plain is the part after the prefix of the simplest patterns: nothing, or from min to max
// characters of one set. Most patterns of profiles are such.
type plain struct {
	set      *set
	min, max int
}

// plainOf takes a pattern apart. prefix begins every match; rest is nil when more follows than a
// plain repeat.
func plainOf(root *node) (prefix string, rest *plain) {
	parts := []*node{root}
	if root.op == opCat {
		parts = root.subs
	}
	var out []rune
	for len(parts) > 0 && parts[0].op == opSet {
		c, single := parts[0].set.single()
		if !single || c == '\ufffd' {
			break
		}
		out = append(out, c)
		parts = parts[1:]
	}
	prefix = string(out)
	switch {
	case len(parts) == 0:
		return prefix, &plain{set: anySet}
	case len(parts) == 1 && parts[0].op == opRepeat && parts[0].subs[0].op == opSet:
		r := parts[0]
		return prefix, &plain{r.subs[0].set, r.min, r.max}
	}
	return prefix, nil
}

// single returns the only character of a set with one.
func (s *set) single() (rune, bool) {
	if len(s.ranges) != 2 || s.ranges[0] != s.ranges[1] {
		return 0, false
	}
	// A surrogate is in no text, and in no string either.
	c := s.ranges[0]
	return c, c < 0xd800 || c > 0xdfff
}

func (p *plain) fullMatch(text string, b *budget) (bool, error) {
	if err := b.spend(len(text)/2 + 1); err != nil {
		return false, err
	}
	n := 0
	for _, c := range text {
		if n++; !p.set.has(c) || (p.max != unlimited && n > p.max) {
			return false, nil
		}
	}
	return n >= p.min, nil
}
