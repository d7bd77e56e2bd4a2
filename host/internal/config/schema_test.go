package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/invopop/jsonschema"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	validator "github.com/callgate/callgate/host/internal/text/jsonschema"
)

var update = flag.Bool("update", false, "write schema.json")

// generate makes the schema from the types and their comments.
func generate(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, Mapper: mapType}
	if err := r.AddGoComments("github.com/callgate/callgate/host/internal/config", "."); err != nil {
		t.Fatal(err)
	}
	for name, comment := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(comment), " ")
	}
	s := r.Reflect(&config.Config{})
	s.ID, s.Title = "https://github.com/callgate/callgate/blob/main/host/internal/config/schema.json", "The configuration of Callgate (callgate.yaml)"
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

// mapType describes the types read from a text.
func mapType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[engine.Mode]():
		return &jsonschema.Schema{Type: "string", Enum: words(append(engine.Modes(),
			"manual", "acceptEdits", "plan", "bypassPermissions", "bypass_permissions", "dontAsk"))}
	case reflect.TypeFor[engine.Kind]():
		return &jsonschema.Schema{Type: "string", Enum: words([]string{"main", "interactive_fork", "background"})}
	case reflect.TypeFor[engine.Behavior]():
		return &jsonschema.Schema{Type: "string", Enum: words([]string{"allow", "ask", "deny"})}
	case reflect.TypeFor[config.Kept]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+[dw]|([0-9]+(\.[0-9]+)?(ms|s|m|h))+)$`}
	case reflect.TypeFor[config.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case reflect.TypeFor[config.Account]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string", MinLength: new(uint64(1))}, {Type: "integer", Minimum: "0"}}}
	case reflect.TypeFor[config.Snowflake]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string", Pattern: `^[1-9][0-9]{14,19}$`}, {Type: "integer", Minimum: "100000000000000"}}}
	case reflect.TypeFor[config.ProfileChoice]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string", Pattern: `^[^\x00-\x20:\x7f]{1,64}$`}, {Ref: "#/$defs/Profile"}}}
	case reflect.TypeFor[config.SignatureNeed]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "boolean"}, {Type: "array", Items: &jsonschema.Schema{Type: "string", MinLength: new(uint64(1))}}}}
	case reflect.TypeFor[config.Dialect]():
		return &jsonschema.Schema{Type: "string", Enum: words(config.Dialects())}
	case reflect.TypeFor[config.Time]():
		return &jsonschema.Schema{Type: "string", Pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?$`}
	}
	return nil
}

func words(list []string) []any {
	out := make([]any, len(list))
	for i, w := range list {
		out[i] = w
	}
	return out
}

func TestSchema_isUpToDate(t *testing.T) {
	t.Parallel()
	want := generate(t)
	if *update {
		if err := os.WriteFile("schema.json", want, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := config.Schema(); !bytes.Equal(got, want) {
		t.Errorf("schema.json is not what the types say: run go test ./host/internal/config -run TestSchema -update")
	}
}

func TestSchema_acceptsTheExampleAndRefusesWhatParseRefuses(t *testing.T) {
	t.Parallel()
	schema, err := validator.Parse(config.Schema())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, text string
		want       bool
	}{
		{"the example", string(config.ExampleFile()), true},
		{"unknown key", "agent: {}\n", false},
		{"unknown key of an agent", "agents: {a: {mood: plan}}\n", false},
		{"unknown key of a rule", "rules: [{alow: Bash}]\n", false},
		{"number for a name", "rules: [{allow: 5}]\n", false},
		{"text for a list", "defaults: {allowed_tools: Read}\n", false},
		{"unknown mode", "defaults: {mode: auto}\n", false},
		{"bare number as duration", "asks: {timeout: 60}\n", false},
		{"no unit", "asks: {timeout: '60'}\n", false},
		{"accounts by name and by number", "listen: /run/cg/s.sock\nboundary: {agent_accounts: [61001, '61002'], approver_accounts: [0, root]}\n", true},
		{"account is a list", "boundary: {agent_accounts: [[1]]}\n", false},
		{"account below zero", "boundary: {agent_accounts: [-1]}\n", false},
		{"a profile by name, lists of its own, and a name that does not exist", "profiles: {p: {allow: ['tool:view:.*']}}\nagents: {a: {profile: p}, b: {profile: {ask: ['tool:.*']}}, c: {profile: nowhere}}\n", true},
		{"a list for a profile", "defaults: {profile: [open]}\n", false},
		{"an empty name of a profile", "defaults: {profile: ''}\n", false},
		{"unknown list of a profile", "profiles: {p: {alow: []}}\n", false},
		{"unknown list of a profile in place", "defaults: {profile: {alow: []}}\n", false},
		{"number for a pattern", "profiles: {p: {deny: [5]}}\n", false},
		{"any tool configuration", "tools: {A: {config: [1, {b: null}]}}\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := config.Parse("f", []byte(tt.text), dirs); (err == nil) != tt.want {
				t.Errorf("Parse: got %v, want ok %v", err, tt.want)
			}
			asJSON, err := yaml.YAMLToJSON([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(asJSON); (err == nil) != tt.want {
				t.Errorf("schema: got %v, want ok %v", err, tt.want)
			}
		})
	}
}

// TestSchema_describesEveryKey checks that every key has an explanation.
func TestSchema_describesEveryKey(t *testing.T) {
	t.Parallel()
	var doc struct {
		Defs map[string]struct {
			Properties map[string]struct{ Description string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(config.Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	keys := 0
	for typ, def := range doc.Defs {
		for key, p := range def.Properties {
			keys++
			if p.Description == "" {
				t.Errorf("%s.%s has no description", typ, key)
			}
		}
	}
	if keys < 40 {
		t.Errorf("got %d keys in the schema, want those of all types", keys)
	}
}

// TestExample_showsEveryKey checks that the example is the reference.
func TestExample_showsEveryKey(t *testing.T) {
	t.Parallel()
	text := string(config.ExampleFile())
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			if key := f.Tag.Get("yaml"); key != "" && key != "-" &&
				!regexp.MustCompile(`(?m)^\s*(- )?`+regexp.QuoteMeta(key)+`:|[{ ]`+regexp.QuoteMeta(key)+`: `).MatchString(text) {
				t.Errorf("%s: the example lacks the key %s", typ.Name(), key)
			}
			visit(f.Type)
		}
	}
	visit(reflect.TypeFor[config.Config]())
	if len(seen) < 8 {
		t.Errorf("got %d types, want all of the configuration", len(seen))
	}
}
