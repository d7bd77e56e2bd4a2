package ask

// extent measures a JSON text as a card lays it out: in bytes of its decoded
// characters, blanks between tokens left out, and in lines.
func extent(input []byte) (size, lines int) {
	inText := false
	for i := 0; i < len(input); i++ {
		c := input[i]
		switch {
		case inText && c == '\\':
			taken, bytes, feed := escapeExtent(input[i:])
			size += bytes
			lines += feed
			i += taken - 1
			continue
		case c == '"':
			inText = !inText
		case inText:
			lines += count(c == '\n')
		case c == ' ', c == '\t', c == '\n', c == '\r':
			continue
		default:
			lines += count(c == ',' || c == '{' || c == '[')
		}
		size++
	}
	return size, lines
}

// escapeExtent measures the escape at the start of text.
func escapeExtent(text []byte) (taken, size, lines int) {
	switch {
	case len(text) < 2:
		return 1, 1, 0
	case text[1] != 'u' || len(text) < 6:
		return 2, 1, count(text[1] == 'n')
	}
	switch hex := string(text[2:6]); {
	case hex <= "001f":
		return 6, len("‹U+0000›"), count(hex == "000a" || hex == "000A")
	case hex <= "007f":
		return 6, 1, 0
	case hex <= "07ff":
		return 6, 2, 0
	}
	return 6, 3, 0
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
