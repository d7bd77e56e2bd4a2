package convert

import (
	"errors"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// readTOML reads TOML. The package's decoder judges the file, its parser tells
// the places.
func (b *builder) readTOML(data []byte) (*node, error) {
	var whole map[string]any
	if err := toml.Unmarshal(data, &whole); err != nil {
		e := &strictyaml.Error{File: b.file, Msg: "not TOML: " + err.Error()}
		var at *toml.DecodeError
		if errors.As(err, &at) {
			e.Line, e.Column = at.Position()
			e.Msg = "not TOML: " + at.Error() + ": correct it in the program the file is from"
		}
		return nil, e
	}
	t := &tomlReader{places: newPlaces(data)}
	root := &node{kind: object, at: strictyaml.Position{Line: 1, Column: 1}}
	table := root
	t.parser.Reset(data)
	for t.parser.NextExpression() {
		switch e := t.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = t.table(root, t.keys(e.Key()), e.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			t.pair(table, e)
		}
	}
	if err := t.parser.Error(); err != nil {
		return nil, &strictyaml.Error{File: b.file, Msg: "not TOML: " + err.Error()}
	}
	return root, nil
}

type tomlReader struct {
	parser unstable.Parser
	places *places
	last   strictyaml.Position
}

type tomlKey struct {
	name string
	at   strictyaml.Position
}

// at tells where a node stands; one without a place of its own is where the
// last one was.
func (t *tomlReader) at(n *unstable.Node) strictyaml.Position {
	if n.Raw.Length > 0 {
		t.last = t.places.of(int(n.Raw.Offset))
	}
	return t.last
}

func (t *tomlReader) keys(it unstable.Iterator) []tomlKey {
	var out []tomlKey
	for it.Next() {
		out = append(out, tomlKey{string(it.Node().Data), t.at(it.Node())})
	}
	return out
}

// table walks to the table at path and makes missing ones. In an array of tables it takes the last
// one.
func (t *tomlReader) table(n *node, path []tomlKey, more bool) *node {
	for i, k := range path {
		next := n.get(k.name)
		switch last := i == len(path)-1; {
		case next == nil && last && more:
			next = &node{kind: array, at: k.at}
			n.keys = append(n.keys, member{k.name, k.at, next})
		case next == nil:
			next = &node{kind: object, at: k.at}
			n.keys = append(n.keys, member{k.name, k.at, next})
		}
		if next.kind == array {
			if i == len(path)-1 && more || len(next.list) == 0 {
				next.list = append(next.list, &node{kind: object, at: k.at})
			}
			next = next.list[len(next.list)-1]
		}
		n = next
	}
	return n
}

func (t *tomlReader) pair(table *node, e *unstable.Node) {
	path := t.keys(e.Key())
	last := path[len(path)-1]
	table = t.table(table, path[:len(path)-1], false)
	table.keys = append(table.keys, member{last.name, last.at, t.value(e.Value())})
}

func (t *tomlReader) value(v *unstable.Node) *node {
	n := &node{at: t.at(v), text: string(v.Data)}
	it := v.Children()
	switch v.Kind {
	case unstable.Array:
		n.kind = array
		for it.Next() {
			n.list = append(n.list, t.value(it.Node()))
		}
	case unstable.InlineTable:
		n.kind = object
		for it.Next() {
			t.pair(n, it.Node())
		}
	case unstable.String:
		n.kind = text
	case unstable.Bool:
		n.kind = boolean
	default:
		n.kind = number // dates too: no permission is one
	}
	return n
}
