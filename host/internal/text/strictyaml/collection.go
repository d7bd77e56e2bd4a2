package strictyaml

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// pair is one key of a mapping with its value.
type pair struct {
	key   string
	at    Position
	value ast.Node
}

// pairs lists a mapping's keys in the file's order, each once.
func (d *decoder) pairs(n ast.Node, field string) ([]pair, bool) {
	var nodes []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		nodes = n.Values
	case *ast.MappingValueNode:
		nodes = []*ast.MappingValueNode{n}
	default:
		d.wrongType(n, field, "a mapping (key: value)")
		return nil, false
	}
	seen := make(map[string]Position, len(nodes))
	var out []pair
	for _, node := range nodes {
		at := tokenPosition(node.Key.GetToken())
		key, ok := node.Key.(*ast.StringNode)
		if !ok {
			d.Add(at, field, "key %q is not plain text: write it out, in quotes if it is a number or a word like true", node.Key.String())
			continue
		}
		if first, twice := seen[key.Value]; twice {
			d.Add(at, join(field, key.Value), "given twice, first on line %d: keep one", first.Line)
			continue
		}
		seen[key.Value] = at
		out = append(out, pair{key.Value, at, node.Value})
	}
	return out, true
}

func (d *decoder) fields(n ast.Node, v reflect.Value, field string) {
	keys := fieldsByKey(v)
	pairs, ok := d.pairs(n, field)
	if !ok {
		return
	}
	for _, p := range pairs {
		target, known := keys[p.key]
		if !known {
			d.unknown.Add(p.at, join(field, p.key), "unknown key%s", fix(p.key, keys))
			continue
		}
		d.value(p.value, target, join(field, p.key))
	}
}

// fieldsByKey finds the settable fields by their yaml tags, those of embedded
// structs too.
func fieldsByKey(v reflect.Value) map[string]reflect.Value {
	keys := map[string]reflect.Value{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && name == "":
			for k, inner := range fieldsByKey(v.Field(i)) {
				keys[k] = inner
			}
		case name != "" && name != "-":
			keys[name] = v.Field(i)
		}
	}
	return keys
}

func (d *decoder) mapping(n ast.Node, v reflect.Value, field string) {
	pairs, ok := d.pairs(n, field)
	if !ok {
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(pairs)))
	for _, p := range pairs {
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(p.value, item, join(field, p.key))
		v.SetMapIndex(reflect.ValueOf(p.key).Convert(v.Type().Key()), item)
	}
}

func (d *decoder) sequence(n ast.Node, v reflect.Value, field string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrongType(n, field, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		d.value(item, v.Index(i), fmt.Sprintf("%s[%d]", field, i))
	}
}

// plain turns a node into maps, slices, strings, numbers, booleans and nil.
func (d *decoder) plain(n ast.Node, field string) (any, bool) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return nil, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.IntegerNode:
		return n.Value, true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for i, item := range n.Values {
			v, ok := d.plain(item, field+"["+strconv.Itoa(i)+"]")
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case *ast.MappingNode, *ast.MappingValueNode:
		return d.plainMap(n, field)
	}
	return d.string(n, field)
}

func (d *decoder) plainMap(n ast.Node, field string) (any, bool) {
	pairs, ok := d.pairs(n, field)
	m := make(map[string]any, len(pairs))
	for _, p := range pairs {
		v, fine := d.plain(p.value, join(field, p.key))
		m[p.key] = v
		ok = ok && fine
	}
	return m, ok
}

func join(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

// fix names the key that was probably meant, or all that exist.
func fix(key string, known map[string]reflect.Value) string {
	return didyoumean.Hint(key, slices.Collect(maps.Keys(known)))
}
