package settings

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// editor changes a text in small steps. Each step looks at the text anew, so no
// offset is ever out of date; settings files are small. RATIONALE.md, "Why are Claude
// Code's settings edited as bytes?".
type editor struct {
	client Client
	file   string
	text   []byte
}

func (e *editor) parse() (*document, error) { return parse(e.file, e.text) }

// splice replaces text[from:to].
func (e *editor) splice(from, to int, with []byte) {
	e.text = slices.Concat(e.text[:from], with, e.text[to:])
}

// add puts an item behind the last of a collection: a member with this name, or
// an element when in is an array.
func (e *editor) add(d *document, in *node, name string, value jsontext.Value) error {
	s := d.style()
	if len(in.items) == 0 {
		return e.addFirst(d, s, in, name, value)
	}
	last := len(in.items) - 1
	gapStart := in.start + 1
	if last > 0 {
		gapStart = in.items[last-1].value.end
	}
	gap := d.text[gapStart:in.items[last].start]
	end := in.items[last].value.end
	if !bytes.ContainsRune(gap, '\n') {
		text, err := inline(value)
		e.splice(end, end, slices.Concat([]byte(", "), label(in, name), text))
		return err
	}
	indent := indentation(gap)
	text, err := s.pretty(value, indent)
	e.splice(end, end, slices.Concat([]byte(","+s.newline+indent), label(in, name), text))
	return err
}

// addFirst fills an empty collection.
func (e *editor) addFirst(d *document, s style, in *node, name string, value jsontext.Value) error {
	if s.flat {
		text, err := inline(value)
		e.splice(in.start+1, in.end-1, append(label(in, name), text...))
		return err
	}
	outer := d.lineIndent(in.start)
	text, err := s.pretty(value, outer+s.unit)
	e.splice(in.start+1, in.end-1, slices.Concat([]byte(s.newline+outer+s.unit), label(in, name), text, []byte(s.newline+outer)))
	return err
}

// label is a member's name with its colon; nothing for an element.
func label(in *node, name string) []byte {
	if in.kind == '[' {
		return nil
	}
	return append(quoted(name), ": "...)
}

// quoted writes a string as JSON. Invalid bytes of UTF-8 cannot be written, and become the
// replacement character.
func quoted(s string) []byte {
	out, _ := jsontext.AppendQuote(nil, s) // the error only says bytes were replaced
	return out
}

// remove removes an item, with its comma, so add's insertion is undone to the byte.
func (e *editor) remove(in *node, i int) {
	switch {
	case i > 0:
		e.splice(in.items[i-1].value.end, in.items[i].value.end, nil)
	case len(in.items) > 1:
		e.splice(in.items[0].start, in.items[1].start, nil)
	default:
		e.splice(in.start+1, in.end-1, nil)
	}
}

// replace replaces a value by another one, in the same layout.
func (e *editor) replace(d *document, old *node, value jsontext.Value) error {
	var text []byte
	var err error
	if bytes.ContainsRune(d.raw(old), '\n') {
		text, err = d.style().pretty(value, d.lineIndent(old.start))
	} else {
		text, err = inline(value)
	}
	e.splice(old.start, old.end, text)
	return err
}
