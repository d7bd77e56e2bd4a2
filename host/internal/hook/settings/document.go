package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSize bounds a settings file, in bytes. The largest seen is a few KiB.
const maxSize = 4 << 20

// maxDepth bounds how deep its values nest.
const maxDepth = 200

// Error is a settings file other than strict JSON of Claude Code's documented shape.
type Error struct {
	// File is the path it was given as; Line and Column count from 1, columns
	// in characters.
	File         string
	Line, Column int
	Text         string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// byteOrderMark begins texts of some editors.
var byteOrderMark = []byte("\xef\xbb\xbf")

// document is the text of a settings file and where in it each value stands.
type document struct {
	file string
	text []byte
	root *node // nil when the text holds nothing but blanks
}

// node is one value: text[start:end].
type node struct {
	start, end int
	kind       jsontext.Kind
	items      []item // of an object or array
}

// item is one member of an object or one element of an array.
type item struct {
	// name is the member's, decoded; start is where the name begins, or the
	// element.
	name  string
	start int
	value *node
}

// parse reads a text. A name twice in one object, comments, invalid UTF-8, and
// anything behind the value are errors, because the client might read them
// otherwise than we do.
func parse(file string, text []byte) (*document, error) {
	d := &document{file: file, text: text}
	if len(text) > maxSize {
		return nil, d.fault(0, fmt.Sprintf("larger than %d MiB", maxSize>>20))
	}
	skip := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		skip = len(byteOrderMark)
	}
	p := parser{d: d, skip: skip, in: jsontext.NewDecoder(bytes.NewReader(text[skip:]))}
	if len(bytes.Trim(text[skip:], " \t\r\n")) == 0 {
		return d, nil
	}
	root, err := p.value(0)
	if err != nil {
		return nil, p.explain(err)
	}
	if root.kind != '{' {
		return nil, d.fault(root.start, "the file contains "+kindName(root.kind)+", want an object")
	}
	if rest := bytes.TrimLeft(text[root.end:], " \t\r\n"); len(rest) > 0 {
		return nil, d.fault(len(text)-len(rest), "text after the object")
	}
	d.root = root
	return d, nil
}

// parser builds the nodes of a document.
type parser struct {
	d    *document
	in   *jsontext.Decoder
	skip int // bytes before the decoder's first
}

func (p *parser) offset() int { return p.skip + int(p.in.InputOffset()) }

var errDeep = errors.New("nested too deeply")

func (p *parser) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	switch p.in.PeekKind() {
	case '{', '[':
		return p.collection(depth)
	}
	v, err := p.in.ReadValue()
	if err != nil {
		return nil, err
	}
	end := p.offset()
	return &node{start: end - len(v), end: end, kind: v.Kind()}, nil
}

func (p *parser) collection(depth int) (*node, error) {
	open, err := p.in.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{start: p.offset() - 1, kind: open.Kind()}
	for {
		switch p.in.PeekKind() {
		case '}', ']':
			_, err := p.in.ReadToken()
			n.end = p.offset()
			return n, err
		}
		it, err := p.item(n.kind, depth)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, it)
	}
}

func (p *parser) item(in jsontext.Kind, depth int) (it item, err error) {
	if in == '{' {
		raw, err := p.in.ReadValue()
		if err != nil {
			return it, err
		}
		it.start = p.offset() - len(raw)
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return it, err
		}
		it.name = string(name)
	}
	it.value, err = p.value(depth + 1)
	if err == nil && in == '[' {
		it.start = it.value.start
	}
	return it, err
}

// explain turns the decoder's error into an *Error.
func (p *parser) explain(err error) error {
	var syntactic *jsontext.SyntacticError
	at, text := p.offset(), err.Error()
	if errors.As(err, &syntactic) {
		at = p.skip + int(syntactic.ByteOffset)
		if syntactic.Err != nil {
			text = syntactic.Err.Error()
		}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		at, text = len(p.d.text), "the file ends too early"
	}
	return p.d.fault(at, "invalid JSON: "+text)
}

// fault is an error at an offset of the text.
func (d *document) fault(at int, text string) *Error {
	before := d.text[:min(at, len(d.text))]
	line := bytes.Count(before, []byte("\n"))
	last := before[bytes.LastIndexByte(before, '\n')+1:]
	return &Error{File: d.file, Line: line + 1, Column: utf8.RuneCount(last) + 1, Text: text}
}

// raw is the text of a value.
func (d *document) raw(n *node) []byte { return d.text[n.start:n.end] }

// str decodes a string value; ok is false for any other.
func (d *document) str(n *node) (s string, ok bool) {
	if n == nil || n.kind != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, d.raw(n))
	return string(text), err == nil
}

// member finds a member of an object; nil when there is none.
func (n *node) member(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.items[i].value
	}
	return nil
}

// index finds a member's place among the others; -1 when there is none.
func (n *node) index(name string) int {
	if n == nil || n.kind != '{' {
		return -1
	}
	for i, it := range n.items {
		if it.name == name {
			return i
		}
	}
	return -1
}

// kindName names a kind of value for people.
func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}
