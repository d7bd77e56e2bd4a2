package mask

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// JSON masks the secrets in the strings of a JSON value and keeps its layout, order and every other
// byte. Under a secret's name, each literal word of a string, or of a list of strings, is hidden,
// and so is a number. Other text than JSON is masked as text.
func (m *Masker) JSON(raw []byte) []byte {
	if !json.Valid(raw) {
		return []byte(m.Text(string(raw)))
	}
	w := walker{m: m, raw: raw}
	w.value(false)
	if w.out == nil {
		return raw
	}
	return append(w.out, raw[w.done:]...)
}

// walker goes through valid JSON. Changes are in out, up to done.
type walker struct {
	m    *Masker
	raw  []byte
	i    int
	out  []byte
	done int
}

func (w *walker) space() {
	for w.i < len(w.raw) && bytes.IndexByte([]byte(" \t\r\n"), w.raw[w.i]) >= 0 {
		w.i++
	}
}

// value goes through one value; secret reports whether it has a secret's name.
func (w *walker) value(secret bool) {
	w.space()
	switch c := w.raw[w.i]; {
	case c == '{':
		w.object()
	case c == '[':
		w.array(secret)
	case c == '"':
		w.text(secret)
	default:
		w.scalar(secret && (c == '-' || digit(c)))
	}
	w.space()
}

func (w *walker) object() {
	w.i++
	w.space()
	for w.raw[w.i] != '}' {
		name := w.text(false)
		w.space()
		w.i++ // the colon
		w.value(secretName(name))
		if w.raw[w.i] == ',' {
			w.i++
			w.space()
		}
	}
	w.i++
}

func (w *walker) array(secret bool) {
	w.i++
	w.space()
	for w.raw[w.i] != ']' {
		w.value(secret)
		if w.raw[w.i] == ',' {
			w.i++
		}
		w.space()
	}
	w.i++
}

// text goes through a string and returns its content.
func (w *walker) text(secret bool) string {
	start := w.i
	for w.i++; w.raw[w.i] != '"'; w.i++ {
		if w.raw[w.i] == '\\' {
			w.i++
		}
	}
	w.i++
	s := unquote(w.raw[start:w.i])
	masked := w.m.Text(s)
	if secret {
		masked = w.m.words(s)
	}
	if masked != s {
		w.replace(start, masked)
	}
	return s
}

// unquote returns the content of a valid JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // the whole was valid
	return s
}

func (w *walker) scalar(secret bool) {
	start := w.i
	for w.i < len(w.raw) && bytes.IndexByte([]byte(",]} \t\r\n"), w.raw[w.i]) < 0 {
		w.i++
	}
	if secret {
		w.replace(start, w.m.hide(string(w.raw[start:w.i])))
	}
}

// replace puts a string in the place of the bytes between start and i.
func (w *walker) replace(start int, s string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	w.out = append(w.out, w.raw[w.done:start]...)
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
	w.done = w.i
}

// words hides every word of a text except the scheme before a secret. A text with characters
// special to a shell may be code and is masked as text.
func (m *Masker) words(s string) string {
	var spans []span
	for i := scheme(s); i < len(s); i++ {
		stop := run(s, i)
		if stop < len(s) && s[stop] > ' ' {
			return m.Text(s)
		}
		if stop > i {
			spans = append(spans, span{i, stop})
		}
		i = stop
	}
	return m.replace(s, spans)
}
