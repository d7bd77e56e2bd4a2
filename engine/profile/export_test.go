package profile

// Backtracks reports whether a pattern of the profile is matched by regexp2.
func Backtracks(c *Compiled) bool {
	for _, p := range append(append(c.deny, c.allow...), c.ask...) {
		if p.prog == nil {
			return true
		}
	}
	return false
}

// Translated matches a pattern by its translation, whether it needs one or not.
func Translated(pattern string) (func(text string) (bool, error), error) {
	root, err := parse(pattern)
	if err != nil {
		return nil, err
	}
	room := maxTranslation
	b, err := compileBacktracker(root, &room)
	if err != nil {
		return nil, err
	}
	return func(text string) (bool, error) { return b.fullMatch([]rune(text), &budget{left: maxSteps}) }, nil
}
