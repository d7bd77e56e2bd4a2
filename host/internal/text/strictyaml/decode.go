package strictyaml

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Decode reads data into the struct behind into. Keys are the fields' `yaml` tags, compared
// exactly; a field tagged "-" or without a tag is no key. It understands structs, pointers,
// slices, maps with string keys, strings, booleans, integers, encoding.TextUnmarshaler (from a
// string; where it has a method UnmarshalInteger(int64) error, from a whole number as well;
// where it has a method Mapped() any, from a mapping into the struct behind its result; where
// it has methods Switched(bool) and Listed() any, from a boolean, and from a list into the
// result of Listed) and json.RawMessage (any value, kept as JSON). null is refused, except
// inside a json.RawMessage. An empty document leaves into as it is.
//
// The places are the positions of all values, for later complaints. The error joins up to 20
// values of type *Error; the readable parts have been stored nevertheless.
func Decode(file string, data []byte, into any) (Places, error) {
	places, unknown, err := DecodeKnown(file, data, into)
	return places, errors.Join(append([]error{err}, unknown...)...)
}

// DecodeKnown is Decode for files with unknown keys: it returns them apart, each an *Error
// naming the key.
func DecodeKnown(file string, data []byte, into any) (places Places, unknown []error, err error) {
	tree, err := Parse(file, data)
	if err != nil {
		return nil, nil, err
	}
	d := decoder{List: List{File: file}, places: Places{}, unknown: List{File: file}}
	for _, doc := range documents(tree) {
		d.value(doc.Body, reflect.ValueOf(into).Elem(), "")
	}
	return d.places, d.unknown.errs, d.Err()
}

type decoder struct {
	List
	places  Places
	unknown List
}

var (
	textType = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

func (d *decoder) value(n ast.Node, v reflect.Value, field string) {
	if n == nil {
		d.Add(Position{}, field, "no value: remove the key or write one")
		return
	}
	d.places[field] = position(n)
	if v.Type() == rawType {
		d.raw(n, v, field)
		return
	}
	if reflect.PointerTo(v.Type()).Implements(textType) && v.Kind() != reflect.Pointer {
		d.text(n, v, field)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), field)
	case reflect.Struct:
		d.fields(n, v, field)
	case reflect.Map:
		d.mapping(n, v, field)
	case reflect.Slice:
		d.sequence(n, v, field)
	default:
		d.scalar(n, v, field)
	}
}

func (d *decoder) raw(n ast.Node, v reflect.Value, field string) {
	plain, ok := d.plain(n, field)
	if !ok {
		return
	}
	data, err := json.Marshal(plain)
	if err != nil {
		d.Add(position(n), field, "not expressible as JSON: %v", err)
		return
	}
	v.SetBytes(data)
}

// numbered is a text with a form as a whole number.
type numbered interface{ UnmarshalInteger(int64) error }

// mapped is a text with a form as a mapping.
type mapped interface{ Mapped() any }

// switched is a text in the form of a boolean or a list.
type switched interface {
	Switched(on bool)
	Listed() any
}

func (d *decoder) text(n ast.Node, v reflect.Value, field string) {
	want := "text"
	if into, ok := v.Addr().Interface().(switched); ok {
		switch n := n.(type) {
		case *ast.BoolNode:
			into.Switched(n.Value)
			return
		case *ast.SequenceNode:
			d.value(n, reflect.ValueOf(into.Listed()).Elem(), field)
			return
		}
		want = "true, false or a list"
	}
	if into, ok := v.Addr().Interface().(mapped); ok {
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			d.value(n, reflect.ValueOf(into.Mapped()).Elem(), field)
			return
		}
		want = "text or a mapping"
	}
	if i, ok := n.(*ast.IntegerNode); ok {
		if into, ok := v.Addr().Interface().(numbered); ok {
			d.number(i, into, field)
			return
		}
	}
	s, ok := text(n)
	if !ok {
		d.wrongType(n, field, want)
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
		d.Add(position(n), field, "%v", err)
	}
}

func (d *decoder) number(n *ast.IntegerNode, into numbered, field string) {
	num, ok := integer(n)
	if !ok {
		d.Add(position(n), field, "number %s is too large", n.Token.Value)
		return
	}
	if err := into.UnmarshalInteger(num); err != nil {
		d.Add(position(n), field, "%v", err)
	}
}

func (d *decoder) string(n ast.Node, field string) (string, bool) {
	s, ok := text(n)
	if !ok {
		d.wrongType(n, field, "text")
	}
	return s, ok
}

func text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func (d *decoder) wrongType(n ast.Node, field, want string) {
	fix := ""
	switch n.(type) {
	case *ast.NullNode:
		d.Add(position(n), field, "no value: want %s, or remove the key", want)
		return
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		fix = ": anchors, aliases and tags are not read here, write the value out"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if strings.HasPrefix(want, "text") {
			fix = ": put it in quotes"
		}
	}
	d.Add(position(n), field, "want %s, got %s%s", want, kind(n), fix)
}

// kind names the form a person wrote.
func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return "text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	}
	return "a YAML " + strings.ToLower(n.Type().String())
}

func (d *decoder) scalar(n ast.Node, v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := d.string(n, field); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		if b, ok := n.(*ast.BoolNode); ok {
			v.SetBool(b.Value)
			return
		}
		d.wrongType(n, field, "true or false")
	case reflect.Int, reflect.Int64:
		i, ok := n.(*ast.IntegerNode)
		if !ok {
			d.wrongType(n, field, "a whole number")
			return
		}
		num, ok := integer(i)
		if !ok || v.OverflowInt(num) {
			d.Add(position(n), field, "number %s is too large", i.Token.Value)
			return
		}
		v.SetInt(num)
	default:
		panic(fmt.Sprintf("strictyaml: field %s has type %v, which no file can hold", field, v.Type()))
	}
}

func integer(n *ast.IntegerNode) (int64, bool) {
	switch i := n.Value.(type) {
	case int64:
		return i, true
	case uint64:
		return int64(i), i < 1<<63
	}
	return 0, false
}

func position(n ast.Node) Position {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return tokenPosition(m.Values[0].Key.GetToken())
	}
	return tokenPosition(n.GetToken())
}
