package tool

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// requiredTag is the struct tag of a field required in an input:
//
//	Target string `json:"target" tool:"required"`
const requiredTag = "tool"

// missing names the first required member missing or null in the input. A missing object lacks
// nothing; the input decodes into t.
func missing(t reflect.Type, value jsontext.Value, prefix string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !requires(t, nil) {
		return nil
	}
	switch value.Kind() {
	case '[':
		var items []jsontext.Value
		_ = json.Unmarshal(value, &items) // cannot fail: the same bytes were decoded before
		for i, item := range items {
			if err := missing(t.Elem(), item, fmt.Sprintf("%s%d/", prefix, i)); err != nil {
				return err
			}
		}
	case '{':
		var members map[string]jsontext.Value
		_ = json.Unmarshal(value, &members) // as above
		return missingMember(t, members, prefix)
	}
	return nil
}

func missingMember(t reflect.Type, members map[string]jsontext.Value, prefix string) error {
	if t.Kind() == reflect.Map {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if err := missing(t.Elem(), members[name], prefix+name+"/"); err != nil {
				return err
			}
		}
		return nil
	}
	for _, f := range fieldsOf(t) {
		value, given := members[f.name]
		if f.required && (!given || value.Kind() == 'n') {
			return fmt.Errorf("member %q is missing", prefix+f.name)
		}
		if given {
			if err := missing(f.of, value, prefix+f.name+"/"); err != nil {
				return err
			}
		}
	}
	return nil
}

// needy caches requires, by reflect.Type.
var needy sync.Map

// requires tells whether a value of type t can lack a member. seen are the types
// around it.
func requires(t reflect.Type, seen []reflect.Type) bool {
	if found, ok := needy.Load(t); ok {
		return found.(bool)
	}
	found := false
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		found = requires(t.Elem(), append(seen, t))
	case reflect.Struct:
		if slices.Contains(seen, t) || slices.ContainsFunc(unmarshalers, reflect.PointerTo(t).Implements) {
			return false // decided where it was met first; or it decodes itself
		}
		found = slices.ContainsFunc(fieldsOf(t), func(f field) bool { return f.required || requires(f.of, append(seen, t)) })
	}
	if len(seen) == 0 {
		needy.Store(t, found)
	}
	return found
}

// field is one member decoded by a struct.
type field struct {
	name     string
	of       reflect.Type
	required bool
}

// fieldsOf lists the members of a struct in the order of its fields.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for _, f := range visible(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		fields = append(fields, field{cmp.Or(name, f.Name), f.Type, f.Tag.Get(requiredTag) == "required"})
	}
	return fields
}

// checkTags refuses a misspelled tag of this package: the member would not be required.
func checkTags(t reflect.Type, seen []reflect.Type) error {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return checkTags(t.Elem(), append(seen, t))
	case reflect.Struct:
	default:
		return nil
	}
	if slices.Contains(seen, t) {
		return nil
	}
	for _, f := range visible(t) {
		if tag, ok := f.Tag.Lookup(requiredTag); ok && tag != "required" {
			return fmt.Errorf("field %s: the tag tool:%q: want tool:\"required\"", f.Name, tag)
		}
		if err := checkTags(f.Type, append(seen, t)); err != nil {
			return err
		}
	}
	return nil
}

// visible is reflect.VisibleFields for types of TinyGo too, where the fields it returns have no
// usable type.
func visible(t reflect.Type) []reflect.StructField {
	fields := reflect.VisibleFields(t)
	for i, f := range fields {
		fields[i] = t.FieldByIndex(f.Index)
	}
	return fields
}
