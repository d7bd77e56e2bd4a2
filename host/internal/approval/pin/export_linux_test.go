package pin

// ParseStat is parseStat, in parts.
func ParseStat(text string) (terminal string, leader int, born string, err error) {
	s, err := parseStat(text)
	return s.terminal, s.leader, s.born, err
}
