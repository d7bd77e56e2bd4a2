package tool

import (
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads JSON as hosts and clients usually write it, without reflection and nearly
// without allocations: in WebAssembly the complete decoder took half of a simple verb's time.
// It never judges an input. At anything unusual (an escape with \u, a null, a name twice, deep
// nesting, no JSON) it is stuck, and the complete decoder reads the input from its beginning.
// So whatever it reads, the complete decoder reads alike; TestQuickEnvelope holds that.
// RATIONALE.md, "Why does the SDK read JSON by itself?".
type scanner struct {
	raw   []byte
	text  string // raw, as texts of it are wanted
	at    int
	stuck bool
}

func scan(raw []byte) *scanner { return &scanner{raw: raw, text: string(raw)} }

const (
	// mostScanned is how many members of an object a scanner compares by their names.
	mostScanned = 24
	// deepestScanned is how deep values may be nested for a scanner.
	deepestScanned = 16
)

// next returns the next byte behind blanks, without taking it; 0 when stuck or at the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			if s.stuck {
				return 0
			}
			return c
		}
	}
	return 0
}

// take takes the byte c, and is stuck at any other.
func (s *scanner) take(c byte) {
	if s.next() != c {
		s.stuck = true
		return
	}
	s.at++
}

// ended reports whether all is read.
func (s *scanner) ended() bool { return s.next() == 0 && s.at == len(s.text) && !s.stuck }

// string reads a text.
func (s *scanner) string() string {
	s.take('"')
	text, from := s.text, s.at
	i := from
	for i < len(text) && plain[text[i]] {
		i++
	}
	switch {
	case s.stuck || i == len(text):
	case text[i] == '"':
		s.at = i + 1
		return text[from:i]
	default:
		return s.rare(from, i)
	}
	s.stuck = true
	return ""
}

// plain are the bytes of a text that need no thought.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// rare reads a text that is plain up to i, with escapes of one letter.
func (s *scanner) rare(from, i int) string {
	out, high := append(make([]byte, 0, 2*(i-from)+64), s.text[from:i]...), false
	for text := s.text; i < len(text) && text[i] >= ' '; i++ {
		c := text[i]
		if c == '"' {
			s.at = i + 1
			s.stuck = high && !utf8.Valid(out)
			return string(out)
		}
		if c == '\\' {
			if i++; i == len(text) || escapes[text[i]] == 0 {
				break
			}
			c = escapes[text[i]]
		}
		high = high || c >= utf8.RuneSelf
		out = append(out, c)
	}
	s.stuck = true
	return ""
}

// escapes are the letters behind a backslash with a meaning of one byte.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// bool reads true or false.
func (s *scanner) bool() bool {
	if s.next() == 't' {
		s.word("true")
		return true
	}
	s.word("false")
	return false
}

func (s *scanner) word(word string) {
	if len(s.text)-s.at < len(word) || s.text[s.at:s.at+len(word)] != word {
		s.stuck = true
		return
	}
	s.at += len(word)
}

// object reads an object; member reads the value of one name.
func (s *scanner) object(member func(name string)) {
	s.take('{')
	var names [mostScanned]string
	var seen uint64 // a bit for each length and last letter of names
	for n := 0; !s.stuck; n++ {
		if n == 0 && s.next() == '}' {
			break
		}
		if n == mostScanned {
			s.stuck = true
			break
		}
		name := s.string()
		bit := uint64(1)
		if len(name) > 0 {
			bit <<= (uint(len(name))*5 + uint(name[len(name)-1])) % 64
		}
		if seen&bit != 0 && slices.Contains(names[:n], name) {
			s.stuck = true
		}
		seen |= bit
		names[n] = name
		s.take(':')
		if !s.stuck {
			member(name)
		}
		if s.next() != ',' {
			break
		}
		s.at++
	}
	s.take('}')
}

// list reads a list; item reads one of its values.
func (s *scanner) list(item func()) {
	s.take('[')
	for n := 0; !s.stuck; n++ {
		if n == 0 && s.next() == ']' {
			break
		}
		item()
		if s.next() != ',' {
			break
		}
		s.at++
	}
	s.take(']')
}

// value reads any value and returns it as it is written.
func (s *scanner) value() jsontext.Value {
	_ = s.next()
	from := s.at
	s.skip(deepestScanned)
	if s.stuck {
		return nil
	}
	return jsontext.Value(s.raw[from:s.at:s.at])
}

// skip reads any value of at most this depth.
func (s *scanner) skip(depth int) {
	switch c := s.next(); {
	case depth == 0:
		s.stuck = true
	case c == '"':
		_ = s.string()
	case c == '{':
		s.object(func(string) { s.skip(depth - 1) })
	case c == '[':
		s.list(func() { s.skip(depth - 1) })
	case c == 't' || c == 'f':
		_ = s.bool()
	case c == 'n':
		s.word("null")
	default:
		s.number()
	}
}

// number reads a number.
func (s *scanner) number() {
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	if whole := s.at; s.digits() > 1 && s.text[whole] == '0' {
		s.stuck = true
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		s.digits()
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		s.digits()
	}
}

// digits reads at least one digit and returns how many there are.
func (s *scanner) digits() int {
	from := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	s.stuck = s.stuck || s.at == from
	return s.at - from
}
