// Package discordfacts describes the requests and answers of Discord's API, by the tables of
// testdata/discord.
package discordfacts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/text/jsonschema"
)

// Table holds the routes and schemas. It is safe for concurrent use.
type Table struct {
	routes map[string]map[string]any // by "METHOD path": its body, or the answer with a status
	all    *jsonschema.Set           // those of the table by their names, the routes' by "METHOD path part"
}

// Schema is the schema of a body.
type Schema struct {
	all  *jsonschema.Set
	name string
}

// Validate is why a JSON text does not fit; nil if it does.
func (s *Schema) Validate(text []byte) error { return s.all.Validate(s.name, text) }

// takes stands beside the statuses of a route's answers.
const takes = "takes"

// Load reads the tables once.
var Load = sync.OnceValues(func() (*Table, error) {
	t := &Table{routes: map[string]map[string]any{}}
	schemas := map[string]any{}
	err := rows("schemas.tsv", func(cells []string, value any) error {
		name, member := cells[0], cells[1]
		if member == "" {
			schema, ok := value.(map[string]any)
			if !ok {
				return fmt.Errorf("%s is no schema", name)
			}
			schema["properties"], schema["required"] = map[string]any{}, []any{}
			schemas[name] = schema
			return nil
		}
		schema, ok := schemas[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s has a member before itself", name)
		}
		schema["properties"].(map[string]any)[member] = value
		if cells[2] == "required" {
			schema["required"] = append(schema["required"].([]any), member)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = rows("routes.tsv", func(cells []string, answers any) error {
		request, err := decode(cells[2])
		if err != nil {
			return err
		}
		route, ok := answers.(map[string]any)
		if !ok {
			return fmt.Errorf("%s %s has no answers", cells[0], cells[1])
		}
		route[takes] = request
		id := cells[0] + " " + cells[1]
		t.routes[id] = route
		for part, schema := range route {
			if schema != nil {
				schemas[id+" "+part] = schema
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.all, err = jsonschema.ParseSet(schemas)
	return t, err
})

// decode reads a schema of the tables, which refers to another by its name.
func decode(cell string) (any, error) {
	return jsonschema.Decode([]byte(strings.ReplaceAll(cell, `"$ref":"`, `"$ref":"#/properties/`)))
}

// rows calls f for the lines of four cells, the last one JSON.
func rows(file string, f func(cells []string, value any) error) error {
	file = repo.File("testdata/discord", file)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4 {
			return fmt.Errorf("%s:%d: %d cells", file, number, len(cells))
		}
		value, err := decode(cells[3])
		if err == nil {
			err = f(cells, value)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	return nil
}

// Has reports whether Discord has the route, with its path as in the table.
func (t *Table) Has(method, path string) bool { return t.routes[method+" "+path] != nil }

// Request is the JSON body of a route; nil for none.
func (t *Table) Request(method, path string) (*Schema, error) {
	route, ok := t.routes[method+" "+path]
	if !ok {
		return nil, fmt.Errorf("no route of Discord: %s %s", method, path)
	}
	return t.of(method+" "+path, takes, route[takes]), nil
}

// Answer is a route's answer with that status; nil for no body. It is an error when Discord
// never answers so.
func (t *Table) Answer(method, path string, status int) (*Schema, error) {
	route := t.routes[method+" "+path]
	for _, key := range []string{strconv.Itoa(status), strconv.Itoa(status/100) + "XX"} {
		if answer, ok := route[key]; ok {
			return t.of(method+" "+path, key, answer), nil
		}
	}
	return nil, fmt.Errorf("not an answer of Discord: %d", status)
}

func (t *Table) of(route, part string, schema any) *Schema {
	if schema == nil {
		return nil // no body
	}
	return &Schema{t.all, route + " " + part}
}
