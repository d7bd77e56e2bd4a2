package convert

import (
	"strings"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

type kind int

const (
	object kind = iota
	array
	text
	number
	boolean
	null
)

func (k kind) String() string {
	return [...]string{"a mapping", "a list", "a text", "a number", "true or false", "null"}[k]
}

// node is one value of a JSON or TOML file, with its place.
type node struct {
	at   strictyaml.Position
	kind kind
	// text is a text's value, or the literal of a number or a boolean.
	text string
	keys []member
	list []*node
}

// member is one key of an object.
type member struct {
	name  string
	at    strictyaml.Position
	value *node
}

// get returns the value of a key, nil when there is none.
func (n *node) get(name string) *node {
	if m := n.member(name); m != nil {
		return m.value
	}
	return nil
}

func (n *node) member(name string) *member {
	if n == nil || n.kind != object {
		return nil
	}
	for i := range n.keys {
		if n.keys[i].name == name {
			return &n.keys[i]
		}
	}
	return nil
}

// is reports whether a value has the kind, and notes an error otherwise. An absent value has no
// kind and is no error.
func (b *builder) is(n *node, field string, want kind) bool {
	if n != nil && n.kind != want {
		b.errorf(n.at, field, "got %s, want %s", n.kind, want)
	}
	return n != nil && n.kind == want
}

// texts returns the texts of a list; items of another kind are errors.
func (b *builder) texts(n *node, field string) []*node {
	if !b.is(n, field, array) {
		return nil
	}
	var out []*node
	for _, item := range n.list {
		if b.is(item, field, text) {
			out = append(out, item)
		}
	}
	return out
}

// rest lists the unread keys of an object. Their values are not shown.
func (b *builder) rest(n *node, field string, known []string, why map[string]string) {
	for _, m := range n.keys {
		name := join(field, m.name)
		if has(known, m.name) {
			continue
		}
		note, told := why[m.name]
		if !told {
			note = "not carried: Callgate knows no such setting; its value is not shown"
		}
		b.entry(m.at, name).is(LeftOut, "%s", note)
	}
}

func has(list []string, name string) bool {
	for _, l := range list {
		if l == name {
			return true
		}
	}
	return false
}

func join(field, name string) string { return strings.TrimPrefix(field+"."+name, ".") }

// tooDeep finds where brackets nest too deep, those in texts counted as well.
func tooDeep(data []byte) (strictyaml.Position, bool) {
	depth := 0
	for i, c := range data {
		switch c {
		case '[', '{', '(':
			if depth++; depth > maxNesting {
				return position(data, i), true
			}
		case ']', '}', ')':
			depth = max(0, depth-1)
		}
	}
	return strictyaml.Position{}, false
}

// position turns an offset into a place.
func position(data []byte, offset int) strictyaml.Position {
	before := string(data[:min(max(offset, 0), len(data))])
	return strictyaml.Position{Line: strings.Count(before, "\n") + 1, Column: len(before) - strings.LastIndexByte(before, '\n')}
}
