package discordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// oracle is Discord's OpenAPI document, whose schemas are plain JSON Schema 2020-12.
// A nil one checks nothing.
type oracle struct {
	path     string
	document map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

const oracleURL = "mem:///openapi.json"

// findOracle loads the document named, or the one that the environment names, or the
// one beside the project; nil when there is none to be found and none was named.
func findOracle(path string) (*oracle, error) {
	if path == "" {
		path = os.Getenv("CALLGATE_DISCORD_OPENAPI")
	}
	switch path {
	case "":
	case "off":
		return nil, nil
	default:
		return loadOracle(path)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil //nolint:nilerr // nowhere to look
	}
	for {
		path = filepath.Join(dir, "..", "shared", "discord", "openapi.json")
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return loadOracle(path)
		}
		if dir == filepath.Dir(dir) {
			return nil, nil
		}
		dir = filepath.Dir(dir)
	}
}

// loaded keeps the documents: parsing one takes 20 ms, and tests start many servers.
var loaded sync.Map

func loadOracle(path string) (*oracle, error) {
	if o, ok := loaded.Load(path); ok {
		return o.(*oracle), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("discordtest: Discord's OpenAPI document: %w", err)
	}
	defer file.Close()
	value, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, fmt.Errorf("discordtest: %s: %w", path, err)
	}
	document, isObject := value.(map[string]any)
	if !isObject {
		return nil, fmt.Errorf("discordtest: %s is no OpenAPI document", path)
	}
	o := &oracle{path: path, document: document, schemas: map[string]*jsonschema.Schema{}}
	o.compiler = jsonschema.NewCompiler()
	o.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := o.compiler.AddResource(oracleURL, document); err != nil {
		return nil, fmt.Errorf("discordtest: %s: %w", path, err)
	}
	first, _ := loaded.LoadOrStore(path, o)
	return first.(*oracle), nil
}

// check returns what is wrong with a request, unless it was refused anyway, and with its
// answer, unless that was made up by a fault.
func (o *oracle) check(c *call, r Request, faulted bool) []string {
	if o == nil {
		return nil
	}
	operation := []string{"paths", c.route, strings.ToLower(c.method)}
	if o.at(operation) == nil {
		return []string{fmt.Sprintf("%s %s is not in %s", c.method, c.route, o.path)}
	}
	var found []string
	if body := append(operation, "requestBody", "content", "application/json", "schema"); o.at(body) != nil && !c.anonymous {
		if problem := o.validate(body, bodyOrEmpty(c.body)); problem != "" {
			found = append(found, fmt.Sprintf("%s %s: the request breaks Discord's schema: %s: %.300s", c.method, c.route, problem, c.body))
		}
	}
	if faulted || r.Status == 0 || r.Status >= 500 {
		return found
	}
	return append(found, o.checkAnswer(operation, c, r)...)
}

func bodyOrEmpty(body []byte) []byte {
	if len(body) == 0 {
		return []byte("{}")
	}
	return permissionText.ReplaceAll(body, []byte(`$1$2`))
}

// permissionText finds permissions written as strings, as Discord's documentation wants
// them and its OpenAPI document does not.
var permissionText = regexp.MustCompile(`("default_member_permissions":\s*)"(\d+)"`)

func (o *oracle) checkAnswer(operation []string, c *call, r Request) []string {
	responses := append(append([]string{}, operation...), "responses")
	for _, status := range []string{strconv.Itoa(r.Status), strconv.Itoa(r.Status/100) + "XX"} {
		at := o.resolve(append(append([]string{}, responses...), status))
		if o.at(at) == nil {
			continue
		}
		schema := append(at, "content", "application/json", "schema")
		if o.at(schema) == nil {
			if len(r.Answer) > 0 {
				return []string{fmt.Sprintf("%s %s: this server's answer %d has a body", c.method, c.route, r.Status)}
			}
			return nil
		}
		if problem := o.validate(schema, r.Answer); problem != "" {
			return []string{fmt.Sprintf("%s %s: this server's answer %d breaks Discord's schema: %s: %.300s", c.method, c.route, r.Status, problem, r.Answer)}
		}
		return nil
	}
	return []string{fmt.Sprintf("%s %s: Discord never answers %d", c.method, c.route, r.Status)}
}

// resolve follows a reference once, as responses are.
func (o *oracle) resolve(path []string) []string {
	if node, isObject := o.at(path).(map[string]any); isObject {
		if ref, isRef := node["$ref"].(string); isRef {
			return strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		}
	}
	return path
}

func (o *oracle) at(path []string) any {
	var node any = o.document
	for _, key := range path {
		children, isObject := node.(map[string]any)
		if !isObject {
			return nil
		}
		node = children[key]
	}
	return node
}

// validate returns why the JSON does not fit the schema at the path; empty when it does.
func (o *oracle) validate(path []string, data []byte) string {
	schema, err := o.schema(path)
	if err != nil {
		return err.Error()
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err.Error()
	}
	if err := schema.Validate(value); err != nil {
		return leaf(err)
	}
	return ""
}

// schema compiles once; a schema itself may be used by many at a time.
func (o *oracle) schema(path []string) (*jsonschema.Schema, error) {
	var pointer strings.Builder
	for _, key := range path {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(key))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if schema := o.schemas[pointer.String()]; schema != nil {
		return schema, nil
	}
	schema, err := o.compiler.Compile(oracleURL + "#" + pointer.String())
	if err == nil {
		o.schemas[pointer.String()] = schema
	}
	return schema, err
}

// leaf says the deepest reasons of a failed validation, which are the ones that help.
func leaf(err error) string {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return err.Error()
	}
	var reasons []string
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		if len(e.Causes) == 0 && len(reasons) < 6 {
			text, _ := json.Marshal(e.BasicOutput().Error) // only read by people
			reasons = append(reasons, "/"+strings.Join(e.InstanceLocation, "/")+": "+string(text))
		}
	}
	visit(failed)
	return strings.Join(reasons, "; ")
}
