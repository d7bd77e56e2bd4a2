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
