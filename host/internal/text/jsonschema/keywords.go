package jsonschema

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// form is what a value must be, in words.
type form string

const (
	anything  form = ""
	text      form = "a string"
	boolean   form = "a boolean"
	number    form = "a number"
	positive  form = "a number above 0"
	count     form = "an integer from 0 to 2147483647" // as in the library
	list      form = "a list"
	names     form = "a list of strings, none twice"
	types     form = "one or more of array, boolean, integer, null, number, object, string, none twice"
	reference form = "# or #/..., a part of the schema itself"
	absent    form = "absent, because this keyword is not judged"
	part      form = "a schema: an object or a boolean"
	parts     form = "a list of schemas, at least one"
	items     form = "a schema, or a list of them in draft 7"
	needs     form = "a schema or a list of strings"
	namesBy   form = "an object of lists of strings"
	partsBy   form = "an object of schemas"
	needsBy   form = "an object of schemas and lists of strings"
)

// keywords are those that the library reads.
var keywords = [...]struct {
	form  form
	words string
}{
	{anything, "const default"},
	{text, "$anchor $comment $dynamicAnchor $schema contentEncoding contentMediaType description format pattern title"},
	{boolean, "deprecated readOnly uniqueItems writeOnly"},
	{number, "exclusiveMaximum exclusiveMinimum maximum minimum"},
	{positive, "multipleOf"},
	{count, "maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties"},
	{list, "enum examples"},
	{names, "required"},
	{types, "type"},
	{reference, "$ref"},
	{absent, "$dynamicRef $id $vocabulary"},
	{part, "additionalItems additionalProperties contains contentSchema else if not propertyNames then unevaluatedItems unevaluatedProperties"},
	{parts, "allOf anyOf oneOf prefixItems"},
	{items, "items"},
	{namesBy, "dependentRequired"},
	{partsBy, "$defs definitions dependentSchemas patternProperties properties"},
	{needsBy, "dependencies"},
}

// keyword finds a keyword by its name in any case, as the library does; empty for none.
func keyword(name string) (form, string) {
	for _, k := range keywords {
		for word := range strings.FieldsSeq(k.words) {
			if strings.EqualFold(word, name) {
				return k.form, word
			}
		}
	}
	return anything, ""
}

// checker checks the forms in a schema.
type checker struct{ draft7 bool }

// check returns the first fault of a value; place is where it is in the schema.
func (c checker) check(place string, f form, value any) error {
	array, isArray := value.([]any)
	object, isObject := value.(map[string]any)
	ok, each := true, anything
	switch f {
	case text:
		_, ok = value.(string)
	case boolean:
		_, ok = value.(bool)
	case number, positive, count:
		n, isNumber := floats(value).(float64)
		ok = isNumber && (f != positive || n > 0) && (f != count || n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n))
	case list:
		ok = isArray
	case names:
		ok = isArray && differ(array)
	case types:
		if !isArray {
			array = []any{value}
		}
		ok = len(array) > 0 && differ(array) && !slices.ContainsFunc(array, func(v any) bool {
			return !slices.Contains([]any{"array", "boolean", "integer", "null", "number", "object", "string"}, v)
		})
	case reference:
		ref, _ := value.(string)
		ok = ref == "#" || strings.HasPrefix(ref, "#/")
	case absent:
		ok = false
	case part:
		_, isBoolean := value.(bool)
		if ok = isObject || isBoolean; isObject {
			return c.schema(place, object)
		}
	case parts:
		ok, each = len(array) > 0, part
	case items, needs:
		switch {
		case isArray && f == needs:
			return c.check(place, names, value)
		case isArray && c.draft7:
			return c.check(place, parts, value)
		}
		return c.check(place, part, value)
	case namesBy:
		ok, each = isObject, names
	case partsBy:
		ok, each = isObject, part
	case needsBy:
		ok, each = isObject, needs
	}
	if !ok {
		return fmt.Errorf("%s: want %s", place, f)
	}
	if each == anything {
		return nil
	}
	for i, item := range array {
		if err := c.check(place+"/"+strconv.Itoa(i), each, item); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if err := c.check(place+"/"+escape.Replace(name), each, object[name]); err != nil {
			return err
		}
	}
	return nil
}

// schema returns the first fault of a schema's keywords.
func (c checker) schema(place string, of map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		f, word := keyword(name)
		at := place + "/" + escape.Replace(name)
		if word != "" && word != name {
			return fmt.Errorf("%s: the keyword is %s", at, word)
		}
		if err := c.check(at, f, of[name]); err != nil {
			return err
		}
	}
	return nil
}

// differ reports whether all values are strings, none twice.
func differ(list []any) bool {
	seen := map[string]bool{}
	for _, value := range list {
		s, ok := value.(string)
		if !ok || seen[s] {
			return false
		}
		seen[s] = true
	}
	return true
}
