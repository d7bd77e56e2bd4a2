package bash

import "strings"

// sedCommand is what the arguments of sed amount to.
type sedCommand struct {
	scripts []Word
	files   []Word
	inPlace bool
	// strange says which option or form is not understood; empty when all is.
	strange string
}

// readSed reads the arguments of GNU sed.
func readSed(args []Word) sedCommand {
	var out sedCommand
	var operands []Word
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			operands = append(operands, args[i+1:]...)
			i = len(args)
		case !strings.HasPrefix(t, "-") || t == "-":
			operands = append(operands, args[i])
		case strings.HasPrefix(t, "--"):
			name, value, given := strings.Cut(t[2:], "=")
			switch {
			case name == "in-place":
				out.inPlace = true
			case name == "expression" && given:
				out.scripts = append(out.scripts, Word{Text: value, Literal: args[i].Literal})
			case name == "quiet" || name == "silent" || name == "regexp-extended" || name == "separate" || name == "unbuffered" || name == "null-data" || name == "posix" || name == "sandbox":
			default:
				out.strange = t
			}
		default:
			i = out.cluster(args, i)
		}
	}
	if len(out.scripts) == 0 && len(operands) > 0 {
		out.scripts, operands = operands[:1], operands[1:]
	}
	out.files = operands
	return out
}

// cluster reads the letters of args[i] and returns the index it consumed up to.
func (s *sedCommand) cluster(args []Word, i int) int {
	letters := args[i].Text[1:]
	for at, r := range letters {
		switch r {
		case 'n', 'E', 'r', 's', 'u', 'z':
		case 'i':
			s.inPlace = true // the rest of the word is a suffix
			return i
		case 'e':
			rest := letters[at+1:]
			if rest != "" {
				s.scripts = append(s.scripts, Word{Text: rest, Literal: args[i].Literal})
				return i
			}
			if i+1 < len(args) {
				s.scripts = append(s.scripts, args[i+1])
				return i + 1
			}
			s.strange = "-e without a script"
			return i
		default:
			s.strange = "-" + string(r)
			return i
		}
	}
	return i
}

func sedInPlace(args []Word) bool { return readSed(args).inPlace }

// harmless reports whether every script only prints, deletes, substitutes
// and quits: nothing that writes a file or runs a command. What it does not
// know is not harmless (the AgentScope seed refuses more, never less).
func (s sedCommand) harmless() bool {
	if s.strange != "" || len(s.scripts) == 0 {
		return false
	}
	for _, script := range s.scripts {
		if !script.Literal || !sedScript(script.Text) {
			return false
		}
	}
	return true
}

// sedScript reads a script of commands separated by ";" or line feeds.
func sedScript(s string) bool {
	for {
		s = strings.TrimLeft(s, " \t\n;")
		if s == "" {
			return true
		}
		rest, ok := sedAddress(s)
		if !ok || rest == "" {
			return false
		}
		rest, ok = sedFunction(rest)
		if !ok {
			return false
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest != "" && rest[0] != ';' && rest[0] != '\n' {
			return false
		}
		s = rest
	}
}

// sedAddress skips an address or a pair of them.
func sedAddress(s string) (rest string, ok bool) {
	for n := 0; n < 2; n++ {
		switch {
		case s != "" && (s[0] >= '0' && s[0] <= '9' || n == 1 && strings.IndexByte("+~", s[0]) >= 0):
			s = strings.TrimLeft(s[1:], "0123456789~")
		case strings.HasPrefix(s, "$"):
			s = s[1:]
		case strings.HasPrefix(s, "/"):
			if s, ok = sedPattern(s[1:], '/', true); !ok {
				return "", false
			}
			s = strings.TrimLeft(s, "I")
		default:
			return s, n == 0
		}
		s = strings.TrimLeft(s, " \t")
		if n == 0 && strings.HasPrefix(s, ",") {
			s = strings.TrimLeft(s[1:], " \t")
			continue
		}
		return s, true
	}
	return s, true
}

// sedPattern skips to behind the next unescaped delimiter. In a regular
// expression a delimiter between brackets is an ordinary character. A sed that
// saw the end there would be left with an open bracket and refuse the script.
func sedPattern(s string, delimiter byte, regex bool) (rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n':
			return "", false
		case regex && s[i] == '[':
			end := bracketEnd(s, i)
			if end < 0 {
				return "", false
			}
			i = end
		case s[i] == delimiter:
			return s[i+1:], true
		}
	}
	return "", false
}

// bracketEnd returns where the bracket expression beginning at s[i] ends, or -1.
func bracketEnd(s string, i int) int {
	i++
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s); i++ {
		switch {
		case s[i] == ']':
			return i
		case s[i] == '\n' || s[i] == '\\' && i+1 < len(s) && s[i+1] == ']':
			return -1 // the two readings of \] end in different places
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], string(s[i+1])+"]")
			if end < 0 {
				return -1
			}
			i += 2 + end + 1
		}
	}
	return -1
}

// sedFunction skips one harmless command: p, d, =, q, h, n and their like,
// y///, and s/// with harmless flags.
func sedFunction(s string) (rest string, ok bool) {
	switch s[0] {
	case 'p', 'd', 'D', 'P', '=', 'n', 'N', 'h', 'H', 'g', 'G', 'x', 'q':
		return s[1:], true
	case 's', 'y':
		if len(s) < 2 || strings.IndexByte("/|#,:@!%_;", s[1]) < 0 {
			return "", false
		}
		rest, ok = sedPattern(s[2:], s[1], s[0] == 's')
		if !ok {
			return "", false
		}
		rest, ok = sedPattern(rest, s[1], false)
		if !ok {
			return "", false
		}
		if s[0] == 's' {
			rest = strings.TrimLeft(rest, "gpiI0123456789")
		}
		return rest, true
	}
	return "", false
}
