// Command discord makes the tables of this directory from Discord's description of its
// API (openapi.json, https://github.com/discord/discord-api-spec), which is not kept
// here. Run it from the root of the repository:
//
//	go run ./testdata/discord openapi.json
//
// routes.tsv keeps its routes; to have another, add a line with its method and path and
// run it again. schemas.tsv holds what those routes lead to.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const home = "testdata/discord"

// object is one of the description's.
type object = map[string]any

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./testdata/discord openapi.json")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "discord:", err)
		os.Exit(1)
	}
}

func run(description string) error {
	text, err := os.ReadFile(description)
	if err != nil {
		return err
	}
	var api object
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // limits of 2^63
	if err := d.Decode(&api); err != nil {
		return fmt.Errorf("%s: %w", description, err)
	}
	old, err := os.ReadFile(filepath.Join(home, "routes.tsv"))
	if err != nil {
		return err
	}
	f := &facts{api: api, reached: map[string]bool{}}
	var routes strings.Builder
	for line := range strings.Lines(string(old)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if len(cells) < 2 || strings.HasPrefix(line, "#") {
			routes.WriteString(line)
			continue
		}
		request, answers, err := f.route(cells[0], cells[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(&routes, "%s\t%s\t%s\t%s\n", cells[0], cells[1], request, answers)
	}
	var schemas strings.Builder
	schemas.WriteString("# schema\tmember\trequired\twhat it takes\n")
	for i := 0; i < len(f.queue); i++ {
		f.reach(f.schema(f.queue[i]))
	}
	for _, name := range slices.Sorted(slices.Values(f.queue)) {
		f.rows(&schemas, name)
	}
	if err := os.WriteFile(filepath.Join(home, "routes.tsv"), []byte(routes.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, "schemas.tsv"), []byte(schemas.String()), 0o644)
}

type facts struct {
	api     object
	queue   []string // the schemas, as they are met
	reached map[string]bool
}

// route is what an operation takes as JSON, and its answers by their status: null where
// there is no body.
func (f *facts) route(method, path string) (request, answers string, err error) {
	op, ok := at(f.api, "paths", path, strings.ToLower(method)).(object)
	if !ok {
		return "", "", fmt.Errorf("%s %s is not in the description", method, path)
	}
	byStatus := object{}
	for status, answer := range op["responses"].(object) {
		a := answer.(object)
		if ref, ok := a["$ref"].(string); ok {
			a = at(f.api, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
		}
		byStatus[status] = f.body(a)
	}
	takes, _ := op["requestBody"].(object)
	return line(f.body(takes)), line(byStatus), nil
}

// body is the schema of a JSON body; nil for none.
func (f *facts) body(from object) any {
	schema, ok := at(from, "content", "application/json", "schema").(object)
	if !ok {
		return nil
	}
	f.reach(schema)
	return shortened(schema)
}

func (f *facts) schema(name string) object {
	return at(f.api, "components", "schemas", name).(object)
}

// rows writes a schema: first what it is, then its members.
func (f *facts) rows(w *strings.Builder, name string) {
	schema := f.schema(name)
	members, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	whole := maps.Clone(schema)
	delete(whole, "properties")
	delete(whole, "required")
	fmt.Fprintf(w, "%s\t\t\t%s\n", name, line(shortened(whole)))
	for _, r := range required {
		if _, known := members[r.(string)]; !known {
			panic(name + " requires what is no member of it: " + r.(string))
		}
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		must := ""
		if slices.Contains(required, any(member)) {
			must = "required"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, member, must, line(shortened(members[member])))
	}
}

// reach notes the schemas that a part of the description refers to.
func (f *facts) reach(part any) {
	switch part := part.(type) {
	case object:
		if ref, ok := part["$ref"].(string); ok {
			if name := filepath.Base(ref); !f.reached[name] {
				f.reached[name] = true
				f.queue = append(f.queue, name)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(part)) {
			f.reach(part[key])
		}
	case []any:
		for _, p := range part {
			f.reach(p)
		}
	}
}

// shortened is a schema without what constrains nothing: words for people, and formats.
// References are names of this table's schemas.
func shortened(schema any) any {
	s, ok := schema.(object)
	if !ok {
		return schema
	}
	out := object{}
	for key, value := range s {
		switch key {
		case "title", "description", "format", "contentEncoding", "x-discord-union", "deprecated", "nullable":
		case "$ref":
			out[key] = filepath.Base(value.(string))
		case "properties":
			members := object{}
			for name, m := range value.(object) {
				members[name] = shortened(m)
			}
			out[key] = members
		case "oneOf", "anyOf", "allOf":
			list := make([]any, len(value.([]any)))
			for i, v := range value.([]any) {
				list[i] = shortened(v)
			}
			if constants, only := constantsOf(list); only && key == "oneOf" {
				key, list = "enum", constants
			}
			out[key] = list
		case "items", "additionalProperties", "propertyNames":
			out[key] = shortened(value)
		case "type", "required", "enum", "const", "pattern", "uniqueItems", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum":
			out[key] = value
		default:
			panic("the description has a new word: " + key)
		}
	}
	return out
}

// constantsOf are the values of alternatives that are one value each, all different.
func constantsOf(alternatives []any) (values []any, only bool) {
	for _, a := range alternatives {
		value, ok := a.(object)["const"]
		if !ok || len(a.(object)) != 1 || slices.Contains(values, value) {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

func at(from object, path ...string) any {
	var node any = from
	for _, key := range path {
		children, ok := node.(object)
		if !ok {
			return nil
		}
		node = children[key]
	}
	return node
}

func line(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}
