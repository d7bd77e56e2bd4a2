// Package discordfacts describes the requests and answers of Discord's API, by the tables of
// testdata/discord.
package discordfacts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// Table holds the routes and schemas. It is safe for concurrent use.
type Table struct {
	routes   map[string]map[string]any // by "METHOD path": its body, or the answer with a status
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// takes stands beside the statuses of a route's answers.
const takes = "takes"

// base is where a schema's name is looked up.
const base = "mem:///discord/"

// Load reads the tables once.
var Load = sync.OnceValues(func() (*Table, error) {
	t := &Table{routes: map[string]map[string]any{}, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	t.compiler.DefaultDraft(jsonschema.Draft2020)
	schemas := map[string]map[string]any{}
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
		schema := schemas[name]
		if schema == nil {
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
	for name, schema := range schemas {
		if err := t.compiler.AddResource(base+name, schema); err != nil {
			return nil, err
		}
	}
	return t, rows("routes.tsv", func(cells []string, answers any) error {
		request, err := jsonschema.UnmarshalJSON(strings.NewReader(cells[2]))
		if err != nil {
			return err
		}
		route, ok := answers.(map[string]any)
		if !ok {
			return fmt.Errorf("%s %s has no answers", cells[0], cells[1])
		}
		route[takes] = request
		t.routes[cells[0]+" "+cells[1]] = route
		return nil
	})
})

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
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(cells[3]))
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

// Named is a schema of the table.
func (t *Table) Named(name string) (*jsonschema.Schema, error) { return t.compile(name, nil) }

// Request is the JSON body of a route; nil for none.
func (t *Table) Request(method, path string) (*jsonschema.Schema, error) {
	route, ok := t.routes[method+" "+path]
	if !ok {
		return nil, fmt.Errorf("no route of Discord: %s %s", method, path)
	}
	return t.of(method+" "+path, takes, route[takes])
}

// Answer is a route's answer with that status; nil for no body. It is an error when Discord
// never answers so.
func (t *Table) Answer(method, path string, status int) (*jsonschema.Schema, error) {
	route := t.routes[method+" "+path]
	for _, key := range []string{strconv.Itoa(status), strconv.Itoa(status/100) + "XX"} {
		if answer, ok := route[key]; ok {
			return t.of(method+" "+path, key, answer)
		}
	}
	return nil, fmt.Errorf("not an answer of Discord: %d", status)
}

func (t *Table) of(route, part string, schema any) (*jsonschema.Schema, error) {
	if schema == nil {
		return nil, nil //nolint:nilnil // no body
	}
	return t.compile(strings.NewReplacer("/", "-", "{", "", "}", "", " ", "-", "@", "").Replace(route+" "+part), schema)
}

// compile compiles a schema once, adding it where it is not of the table.
func (t *Table) compile(name string, add any) (*jsonschema.Schema, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.compiled[name]; s != nil {
		return s, nil
	}
	if add != nil {
		if err := t.compiler.AddResource(base+name, add); err != nil {
			return nil, err
		}
	}
	s, err := t.compiler.Compile(base + name)
	if err != nil {
		return nil, err
	}
	t.compiled[name] = s
	return s, nil
}
