package inline

import (
	"slices"
	"strings"
)

// script is a JavaScript program in tokens.
type script struct {
	list []token
	// pair is, for a bracket, the index of its partner.
	pair []int
}

// scriptSigns are JavaScript's operators of more than one sign, the longest first.
var scriptSigns = []string{">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**"}

// The signs around the code of a template.
const (
	beginCode = "${"
	endCode   = "}$"
)

// lexer reads a program from left to right.
type lexer struct {
	code  string
	i     int
	out   script
	open  []int
	fresh bool // a line ended since the last token
}

// scriptTokens parts a JavaScript program; ok is false where it is not understood. Outside of
// texts it may hold ASCII only: JavaScript ends lines and names at other characters, too.
func scriptTokens(code string) (script, bool) {
	if strings.Contains(code, "\r") {
		return script{}, false
	}
	l := &lexer{code: code}
	if !l.program(false) || len(l.open) != 0 {
		return script{}, false
	}
	return l.out, true
}

func (l *lexer) add(t token) {
	t.fresh, l.fresh = l.fresh, false
	t.depth = len(l.open)
	l.out.list = append(l.out.list, t)
	l.out.pair = append(l.out.pair, -1)
}

func (l *lexer) opens(what string) {
	l.add(token{kind: sign, text: what})
	l.open = append(l.open, len(l.out.list)-1)
}

func (l *lexer) closes(what string) bool {
	if len(l.open) == 0 {
		return false
	}
	at := l.open[len(l.open)-1]
	if want := map[string]string{"(": ")", "[": "]", "{": "}", beginCode: endCode}[l.out.list[at].text]; want != what {
		return false
	}
	l.open = l.open[:len(l.open)-1]
	l.add(token{kind: sign, text: what})
	end := len(l.out.list) - 1
	l.out.pair[at], l.out.pair[end] = end, at
	return true
}

// program reads to the end of the code, or of a template's part of it.
func (l *lexer) program(inTemplate bool) bool {
	floor := len(l.open)
	for l.i < len(l.code) {
		if inTemplate && l.code[l.i] == '}' && len(l.open) == floor {
			return true
		}
		if !l.step() || len(l.open) < floor {
			return false
		}
	}
	return !inTemplate
}

func (l *lexer) step() bool {
	rest := l.code[l.i:]
	switch c := rest[0]; {
	case c == '\n':
		l.fresh = true
		l.i++
	case c == ' ' || c == '\t':
		l.i++
	case strings.HasPrefix(rest, "<!--"), strings.HasPrefix(rest, "-->"):
		return false // comments of old browsers
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		return l.comment()
	case letter(c) || c == '$':
		from := l.i
		for l.i < len(l.code) && (letter(l.code[l.i]) || digit(l.code[l.i]) || l.code[l.i] == '$') {
			l.i++
		}
		l.add(token{kind: name, text: l.code[from:l.i]})
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		from := l.i
		l.i = numberEnd(l.code, l.i)
		if l.i < len(l.code) && l.code[l.i] == 'n' {
			l.i++
		}
		if l.i < len(l.code) && (letter(l.code[l.i]) || l.code[l.i] == '$') {
			return false
		}
		l.add(token{kind: number, text: l.code[from:l.i]})
	case c == '"' || c == '\'':
		return l.quoted(c)
	case c == '`':
		return l.template()
	case c == '/' && l.regular() == yes:
		return l.regex()
	case c == '/' && l.regular() == maybe:
		return false
	default:
		return l.sign(rest)
	}
	return true
}

func (l *lexer) sign(rest string) bool {
	one := rest[:1]
	for _, s := range scriptSigns {
		if strings.HasPrefix(rest, s) && !(s == "?." && len(rest) > 2 && digit(rest[2])) {
			one = s
			break
		}
	}
	l.i += len(one)
	switch {
	case strings.Contains("([{", one):
		l.opens(one)
		return true
	case strings.Contains(")]}", one):
		return l.closes(one)
	case len(one) == 1 && !strings.Contains("+-*/%&|^~<>=,:;.!?", one):
		return false
	}
	l.add(token{kind: sign, text: one})
	return true
}

func (l *lexer) comment() bool {
	end := "\n"
	if l.code[l.i+1] == '*' {
		end = "*/"
	}
	text, _, closed := strings.Cut(l.code[l.i+2:], end)
	if strings.ContainsAny(text, "\u2028\u2029") || !closed && end == "*/" {
		return false
	}
	l.i += 2 + len(text)
	if end == "*/" {
		l.i += len(end)
		l.fresh = l.fresh || strings.Contains(text, "\n")
	}
	return true
}

func (l *lexer) quoted(quote byte) bool {
	for k := l.i + 1; k < len(l.code); k++ {
		switch l.code[k] {
		case '\\':
			k++
		case '\n':
			return false
		case quote:
			l.add(token{kind: text, text: l.code[l.i+1 : k]})
			l.i = k + 1
			return true
		}
	}
	return false
}

// template reads a template: a text, and the code of its parts in brackets of their own.
func (l *lexer) template() bool {
	l.add(token{kind: text, prefix: "`"})
	for l.i++; l.i < len(l.code); l.i++ {
		switch {
		case l.code[l.i] == '\\':
			l.i++
		case l.code[l.i] == '`':
			l.i++
			l.add(token{kind: text, prefix: "`end"})
			return true
		case strings.HasPrefix(l.code[l.i:], "${"):
			l.opens(beginCode)
			l.i += 2
			if !l.program(true) || !l.closes(endCode) {
				return false
			}
		}
	}
	return false
}

// answer is yes, no, or not to be told.
type answer int

const (
	no answer = iota
	yes
	maybe
)

// regular tells whether a slash begins a regular expression here.
func (l *lexer) regular() answer {
	n := len(l.out.list)
	if n == 0 {
		return yes
	}
	t := l.out.list[n-1]
	switch {
	case t.kind == number, t.kind == text:
		return no
	case t.kind == name && n > 1 && l.out.list[n-2].is(sign, ".", "?."):
		return no
	case t.is(name, "return", "typeof", "case", "in", "instanceof", "new", "delete", "void", "throw", "else", "do"):
		return yes
	case t.is(name, "of", "let", "async", "await", "yield", "static", "get", "set"):
		return maybe
	case t.kind == name:
		return no
	case t.is(sign, ")"):
		if at := l.out.pair[n-1]; at > 0 && l.out.list[at-1].is(name, "if", "while", "for", "with", "await") {
			return maybe
		}
		return no
	case t.is(sign, "]"):
		return no
	case t.is(sign, "}", "++", "--"):
		return maybe
	}
	return yes
}

func (l *lexer) regex() bool {
	class := false
	for k := l.i + 1; k < len(l.code); k++ {
		switch c := l.code[k]; {
		case c == '\\':
			if k++; k < len(l.code) && l.code[k] == '\n' {
				return false
			}
		case c == '\n':
			return false
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			if strings.ContainsAny(l.code[l.i:k], "\u2028\u2029") {
				return false
			}
			for k++; k < len(l.code) && (letter(l.code[k]) || digit(l.code[k])); k++ {
			}
			l.i = k
			l.add(token{kind: text, prefix: "/"})
			return true
		}
	}
	return false
}

// at returns a token; an empty sign beyond the ends.
func (s *script) at(i int) token {
	if i < 0 || i >= len(s.list) {
		return token{kind: sign, fresh: true}
	}
	return s.list[i]
}

// end returns the index behind an expression, or with statement a statement, that begins at i:
// where its bracket closes, where a comma, a semicolon or another's colon stands, where a new line
// could end it, or a statement's block does.
func (s *script) end(i int, statement bool) int {
	depth, questions := s.at(i).depth, 0
	for k := i; k < len(s.list); k++ {
		t := s.list[k]
		switch {
		case t.depth < depth:
			return k
		case t.depth > depth:
			continue
		case k > i && t.fresh, t.is(sign, ",", ";"), t.is(sign, ")", "]", "}", endCode) && s.pair[k] < i, statement && t.is(sign, "}"):
			return k
		case t.is(sign, "?"):
			questions++
		case t.is(sign, ":"):
			if questions--; questions < 0 {
				return k
			}
		}
	}
	return len(s.list)
}

// around returns the indexes of the brackets around the token i; -1 and the length for none.
func (s *script) around(i int) (from, to int) {
	for k := i - 1; k >= 0; k-- {
		if s.list[k].is(sign, "(", "[", "{", beginCode) && s.pair[k] > i {
			return k, s.pair[k]
		}
	}
	return -1, len(s.list)
}

// safeText reports whether a text can be read as it stands.
func safeText(t token) bool {
	return t.kind == text && t.prefix == "" && t.text != "" && !strings.ContainsAny(t.text, "\\\n") && !slices.Contains(hidden, t.text)
}
