package inline

import "strings"

// kind is the kind of a token.
type kind byte

const (
	name kind = iota
	number
	text
	sign
	newline
)

// token is one token of a program.
type token struct {
	kind kind
	// text is the token as written; of a text, the part between its quotes.
	text string
	// prefix are the letters before a text's quotes, in small letters.
	prefix string
	// depth is how many brackets are open around the token.
	depth int
}

func (t token) is(k kind, texts ...string) bool {
	if t.kind != k {
		return false
	}
	for _, one := range texts {
		if t.text == one {
			return true
		}
	}
	return len(texts) == 0
}

// signs are Python's operators of more than one sign, the longest first.
var signs = []string{"**=", "//=", ">>=", "<<=", "...", "!=", "->", ":=", "==", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "//", "<<", ">>"}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// tokens parts a Python program; ok is false where it is not understood. Outside of
// texts and comments it may hold ASCII only: Python reads many a letter as another.
func tokens(code string) (list []token, ok bool) {
	depth := 0
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == '\n':
			list = append(list, token{kind: newline, depth: depth})
			i++
		case c == ' ' || c == '\t' || c == '\f':
			i++
		case c == '\\' && i+1 < len(code) && code[i+1] == '\n':
			i += 2
		case c == '#':
			for i < len(code) && code[i] != '\n' {
				i++
			}
		case letter(c):
			from := i
			for i < len(code) && (letter(code[i]) || digit(code[i])) {
				i++
			}
			word := code[from:i]
			if i < len(code) && (code[i] == '"' || code[i] == '\'') {
				content, end, closed := quoted(code, i)
				if !closed {
					return nil, false
				}
				list = append(list, token{kind: text, text: content, prefix: strings.ToLower(word), depth: depth})
				i = end
				continue
			}
			list = append(list, token{kind: name, text: word, depth: depth})
		case digit(c) || c == '.' && i+1 < len(code) && digit(code[i+1]):
			from := i
			i = numberEnd(code, i)
			list = append(list, token{kind: number, text: code[from:i], depth: depth})
		case c == '"' || c == '\'':
			content, end, closed := quoted(code, i)
			if !closed {
				return nil, false
			}
			list = append(list, token{kind: text, text: content, depth: depth})
			i = end
		default:
			one := ""
			for _, s := range signs {
				if strings.HasPrefix(code[i:], s) {
					one = s
					break
				}
			}
			if one == "" && strings.IndexByte("()[]{}+-*/%&|^~<>=,:;.", c) >= 0 {
				one = code[i : i+1]
			}
			switch one {
			case "":
				return nil, false
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				if depth--; depth < 0 {
					return nil, false
				}
			}
			list = append(list, token{kind: sign, text: one, depth: depth})
			i += len(one)
		}
	}
	return list, depth == 0
}

// quoted returns the part between the quotes beginning at code[i], and the index behind them.
func quoted(code string, i int) (content string, end int, closed bool) {
	quote := code[i : i+1]
	if strings.HasPrefix(code[i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	from := i + len(quote)
	for i = from; i < len(code); i++ {
		switch {
		case code[i] == '\\':
			i++
		case strings.HasPrefix(code[i:], quote):
			return code[from:i], i + len(quote), true
		case code[i] == '\n' && len(quote) == 1:
			return "", 0, false
		}
	}
	return "", 0, false
}

// numberEnd returns the end of the number beginning at code[i]. No letter of a name belongs to
// it: 1..real is a number, a dot and a name.
func numberEnd(code string, i int) int {
	run := func(digits string) {
		for i < len(code) && strings.IndexByte(digits, code[i]) >= 0 {
			i++
		}
	}
	const decimal = "0123456789_"
	if code[i] == '0' && i+2 < len(code) && strings.IndexByte("xXoObB", code[i+1]) >= 0 {
		i += 2
		run(decimal + "abcdefABCDEF")
		return i
	}
	run(decimal)
	if i < len(code) && code[i] == '.' {
		i++
		run(decimal)
	}
	if exponent := i + 1; i < len(code) && code[i]|0x20 == 'e' {
		if exponent < len(code) && (code[exponent] == '-' || code[exponent] == '+') {
			exponent++
		}
		if exponent < len(code) && digit(code[exponent]) {
			i = exponent
			run(decimal)
		}
	}
	return i
}
