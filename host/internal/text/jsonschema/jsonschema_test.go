package jsonschema_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/text/jsonschema"
)

const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#"`

// TestValidate: each row is a schema, the values that fit it and those that do not.
func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema    string
		fit, dont []string
	}{
		"anything":         {`true`, []string{`null`, `1`, `{"a":[]}`}, nil},
		"nothing":          {`false`, nil, []string{`null`, `{}`}},
		"types":            {`{"type":["integer","null"]}`, []string{`1`, `1.0`, `1e400`, `null`}, []string{`1.5`, `"1"`, `true`, `[]`}},
		"a string":         {`{"type":"string","minLength":2,"maxLength":3,"pattern":"^é"}`, []string{`"éa"`}, []string{`12`, `"é"`, `"éaaa"`, `"aaa"`}},
		"a number":         {`{"minimum":0,"exclusiveMaximum":10,"multipleOf":2.5}`, []string{`0`, `7.5`, `"x"`}, []string{`-1`, `10`, `3`, `1e400`, `-1e400`}},
		"a limit":          {`{"maxLength":1e1,"maximum":1e400}`, []string{`"1234567890"`, `1e300`}, []string{`"12345678901"`}},
		"a large integer":  {`{"enum":[9007199254740993]}`, []string{`9007199254740993`}, []string{`9007199254740995`}},
		"null":             {`{"const":null}`, []string{`null`}, []string{`0`, `""`}},
		"a tree":           {`{"properties":{"left":{"$ref":"#"},"v":{"$ref":"#/$defs/a~1b%20c"}},"$defs":{"a/b c":{"type":"integer"}},"additionalProperties":false}`, []string{`{"left":{"left":{"v":1}}}`}, []string{`{"left":{"left":{"v":"x"}}}`, `{"w":1}`}},
		"a name twice":     {`{"not":{"type":"string"},"not":{"type":"integer"}}`, []string{`"x"`}, []string{`1`}},
		"its own name":     {`{"$id":"https://example.com/a","$schema":"https://json-schema.org/draft/2020-12/schema#","type":"object"}`, []string{`{}`}, []string{`1`}},
		"draft 2020-12":    {`{"prefixItems":[{"type":"string"}],"items":false,"dependentRequired":{"a":["b"]}}`, []string{`["x"]`, `{"a":1,"b":1}`}, []string{`[1]`, `["x",1]`, `{"a":1}`}},
		"draft 7":          {`{` + draft7 + `,"items":[{"type":"string"}],"additionalItems":false,"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, []string{`["x"]`, `{"a":1,"b":1}`}, []string{`[1]`, `["x",1]`, `{"a":1}`, `{"c":1}`}},
		"beside a $ref":    {`{` + draft7 + `,"$ref":"#/definitions/a","type":"string","definitions":{"a":{"type":"integer"}}}`, []string{`1`}, []string{`"x"`}},
		"exactly one":      {`{"oneOf":[{"minimum":1},{"maximum":2}]}`, []string{`0`, `3`}, []string{`1`, `2`}},
		"of the whole":     {`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, []string{`{"a":1}`}, []string{`{"b":1}`}},
		"not a format":     {`{"format":"date-time"}`, []string{`"tomorrow"`}, nil},
		"names, not words": {`{"properties":{"Type":{"type":"string"},"$id":true},"x-type":5}`, []string{`{"Type":"x","$id":1}`}, []string{`{"Type":1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := jsonschema.Parse([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range c.fit {
				if err := s.Validate([]byte(text)); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
			for _, text := range append(c.dont, ``, `{`, `1 1`) {
				if s.Validate([]byte(text)) == nil {
					t.Errorf("%s fits", text)
				}
			}
		})
	}
}

// TestValidate_names: an error names the place in the schema, by way of every $ref, and the
// reasons of all alternatives.
func TestValidate_names(t *testing.T) {
	t.Parallel()
	s, err := jsonschema.Parse([]byte(`{"properties":{"a":{"items":{"$ref":"#/$defs/b"}},"c":{"oneOf":[{"$ref":"#/$defs/b"},{"properties":{"d":{"type":"string"}}}]},
		"e":{"oneOf":[true,true]}},"required":["a"],"$defs":{"b":{"maximum":2,"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		`{}`:                    {`root: required: missing properties: ["a"]`},
		`{"a":[1,3]}`:           {`/properties/a/items: /$defs/b: maximum: 3`},
		`{"a":[],"c":{"d":5}}`:  {`/properties/c: anyOf: `, "\n/properties/c/anyOf/0: /$defs/b: type: ", "\n/properties/c/anyOf/1/properties/d: type: 5 has type"},
		`{"a":[],"e":"either"}`: {`/properties/e: oneOf: validated against both`},
	} {
		err := s.Validate([]byte(text))
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v, want %s", text, err, part)
			}
		}
	}
}

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                 "EOF",
		`{} {}`:                            "more after the JSON value",
		`5`:                                "want a schema: an object or a boolean",
		`{"properties":{"a/b":null}}`:      "/properties/a~1b: want a schema",
		`{"items":null}`:                   "/items: want a schema",
		`{"items":[{}]}`:                   "/items: want a schema",
		`{` + draft7 + `,"items":[5]}`:     "/items/0: want a schema",
		`{"allOf":[]}`:                     "/allOf: want a list of schemas, at least one",
		`{"not":{"anyOf":[{"type":"x"}]}}`: "/not/anyOf/0/type: want one or more of array, boolean",
		`{"type":[]}`:                      "/type: want one or more",
		`{"type":["null","null"]}`:         "/type: want one or more",
		`{"required":["a","a"]}`:           "/required: want a list of strings, none twice",
		`{"required":[5]}`:                 "/required: want a list of strings",
		`{"dependentRequired":{"a":"b"}}`:  "/dependentRequired/a: want a list of strings",
		`{"dependencies":{"a":"b"}}`:       "/dependencies/a: want a schema",
		`{"minLength":-1}`:                 "/minLength: want an integer from 0",
		`{"minLength":1.5}`:                "/minLength: want an integer from 0",
		`{"minLength":4294967296}`:         "/minLength: want an integer from 0 to 2147483647",
		`{"exclusiveMinimum":true}`:        "/exclusiveMinimum: want a number",
		`{"multipleOf":0}`:                 "/multipleOf: want a number above 0",
		`{"enum":"a"}`:                     "/enum: want a list",
		`{"uniqueItems":"yes"}`:            "/uniqueItems: want a boolean",
		`{"title":5}`:                      "/title: want a string",
		`{"pattern":"("}`:                  "missing closing )",
		`{"Required":["a"]}`:               "/Required: the keyword is required",
		`{"$schema":"http://json-schema.org/draft-04/schema#"}`: "/$schema: want draft 2020-12 or 7",
		`{"$ref":"https://example.com/a"}`:                      "/$ref: want # or #/..., a part of the schema itself",
		`{"$ref":"file:///etc/passwd"}`:                         "/$ref: want #",
		`{"$ref":"other.json"}`:                                 "/$ref: want #",
		`{"$ref":"#anchor","$defs":{"a":{"$anchor":"anchor"}}}`: "/$ref: want #",
		`{"$dynamicRef":"#"}`:                                   "/$dynamicRef: want absent",
		`{"properties":{"a":{"$id":"https://example.com/a"}}}`:  "/properties/a/$id: want absent",
		`{"$ref":"#/$defs/none"}`:                               "none",
		`{"$ref":"#/x","x":{}}`:                                 `no schema field "x"`,
		`{"$ref":"#"}`:                                          "without end",
		`{"items":{"allOf":[{"$ref":"#/items"}]}}`:              "without end",
		`{"$ref":"#/$defs/a%20b","$defs":{"a b":{"not":{"if":{"oneOf":[true,{"$ref":"#"}]}}}}}`: "without end",
		`{"not":{"dependentSchemas":{"a":{"$ref":"#/not"}}}}`:                                   "without end",
		`{"anyOf":[true,{"$ref":"#/anyOf/1"}]}`:                                                 "without end",
	} {
		if _, err := jsonschema.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	set, err := jsonschema.ParseSet(map[string]any{"GET /a": map[string]any{"$ref": "#/properties/b"}, "b": map[string]any{"type": "null"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"b", `null`, ""},
		{"GET /a", `null`, ""},
		{"GET /a", `1`, `/properties/GET ~1a: /properties/b: type: 1 has type "integer"`},
		{"GET /a", ``, "EOF"},
		{"c", `null`, `additional properties ["c"]`},
	} {
		err := set.Validate(c.name, []byte(c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: got %v, want %q", c.name, c.text, err, c.want)
		}
	}
	if _, err := jsonschema.ParseSet(map[string]any{"a": map[string]any{"$ref": "#/properties/b"}}); err == nil {
		t.Error("a schema that is not there is taken")
	}
}

// FuzzParse: whatever is taken can judge, and ends.
func FuzzParse(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#"}},"oneOf":[{"type":"object"}]}`, `{"a":{}}`)
	f.Add(`{"items":{"uniqueItems":true,"contains":{"const":null}},"enum":[[1]]}`, `[[1,null]]`)
	f.Add(`{`+draft7+`,"items":[{}],"dependencies":{"a":{}}}`, `[1]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := jsonschema.Parse([]byte(schema))
		if err == nil {
			_ = s.Validate([]byte(value))
		}
	})
}
