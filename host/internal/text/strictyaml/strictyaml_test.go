package strictyaml_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

type word string

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *word) UnmarshalText(text []byte) error {
	if string(text) == "bad" {
		return errors.New("a bad word")
	}
	*w = word("<" + string(text) + ">")
	return nil
}

// either is a text or a mapping.
type either struct {
	text   string
	mapped *inner
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *either) UnmarshalText(text []byte) error {
	e.text = string(text)
	return nil
}

// Mapped takes a mapping.
func (e *either) Mapped() any {
	e.mapped = &inner{}
	return e.mapped
}

func TestDecode_textOrMapping(t *testing.T) {
	t.Parallel()
	var got struct {
		C either  `yaml:"c"`
		D *either `yaml:"d"`
	}
	places, err := strictyaml.Decode("f", []byte("c: word\nd:\n  size: 3\n"), &got)
	if err != nil || got.C.text != "word" || got.C.mapped != nil || got.D.mapped == nil || got.D.mapped.Size != 3 {
		t.Errorf("got %+v, %+v, %v", got.C, got.D, err)
	}
	if at := places.Of("d.size"); at.Line != 3 {
		t.Errorf("d.size: got line %d, want 3", at.Line)
	}
	for text, want := range map[string]string{
		"c: [a]":         "f:1:4: c: want text or a mapping, got a list",
		"c: 5":           "f:1:4: c: want text or a mapping, got a number: put it in quotes",
		"d: {siz: 3}":    "d.siz: unknown key: did you mean size?",
		"d: {size: few}": "d.size: want a whole number, got text",
	} {
		if _, err := strictyaml.Decode("f", []byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

type inner struct {
	Size      int   `yaml:"size"`
	Word      *word `yaml:"word"`
	Elsewhere string
}

type outer struct {
	inner
	Name  string           `yaml:"name"`
	On    *bool            `yaml:"on"`
	List  []string         `yaml:"list"`
	Map   map[string]inner `yaml:"map"`
	Any   json.RawMessage  `yaml:"any"`
	Never string           `yaml:"-"`
}

func TestDecode(t *testing.T) {
	t.Parallel()
	text := `
size: 3 # three
word: yes
name: "a\tb"
on: false
list: [a, 'b', "c"]
map:
  x: {size: -1}
  "y z":
    size: 0x10
any:
  b: [1, 2.5, null, true, ~]
  a: |
    two
    lines
`
	var got outer
	places, err := strictyaml.Decode("f", []byte(text), &got)
	if err != nil {
		t.Fatal(err)
	}
	w := word("<yes>")
	on := false
	want := outer{
		inner: inner{Size: 3, Word: &w}, Name: "a\tb", On: &on, List: []string{"a", "b", "c"},
		Map: map[string]inner{"x": {Size: -1}, "y z": {Size: 16}}, Any: got.Any,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want := `{"a":"two\nlines\n","b":[1,2.5,null,true,null]}`; string(got.Any) != want {
		t.Errorf("got %s, want %s", got.Any, want)
	}
	for field, want := range map[string]strictyaml.Position{
		"list[1]": {6, 11}, "map.y z.size": {10, 11}, "map.x.nothing.at[3].all": {8, 6}, "elsewhere": {},
	} {
		if got := places.Of(field); got != want {
			t.Errorf("place of %s: got %v, want %v", field, got, want)
		}
	}
}

func TestDecode_errors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown key with fix", "nmae: x\n", "f:1:1: nmae: unknown key: did you mean name?"},
		{"unknown key without", "a:\n", "f:1:1: a: unknown key: want one of any, list, map, name, on, size, word"},
		{"untagged fields are no keys", "Never: x\nElsewhere: y\n", "f:1:1: Never: unknown key: want one of any, list, map, name, on, size, word\nf:2:1: Elsewhere: unknown key: want one of any, list, map, name, on, size, word"},
		{"keys are case-sensitive", "Name: x\n", "f:1:1: Name: unknown key: did you mean name?"},
		{"deep unknown key", "map:\n  x:\n    siz: 1\n", "f:3:5: map.x.siz: unknown key: did you mean size?"},
		{"given twice", "name: a\n\"name\": b\n", "f:2:1: name: given twice, first on line 1: keep one"},
		{"twice inside any", "any: {a: 1, a: 2}\n", "f:1:13: any.a: given twice, first on line 1: keep one"},
		{"number for text", "name: 5\n", "f:1:7: name: want text, got a number: put it in quotes"},
		{"true for text", "list: [true]\n", "f:1:8: list[0]: want text, got true or false: put it in quotes"},
		{"text for number", "size: '5'\n", "f:1:7: size: want a whole number, got text"},
		{"fraction", "size: 1.5\n", "f:1:7: size: want a whole number, got a number"},
		{"too large", "size: 9223372036854775808\n", "f:1:7: size: number 9223372036854775808 is too large"},
		{"text for bool", "on: 'true'\n", "f:1:5: on: want true or false, got text"},
		{"yes is no bool", "on: yes\n", "f:1:5: on: want true or false, got text"},
		{"null", "name: ~\n", "f:1:7: name: no value: want text, or remove the key"},
		{"nothing", "list:\n", "f:1:7: list: no value: want a list, or remove the key"},
		{"list for mapping", "map: []\n", "f:1:6: map: want a mapping (key: value), got a list"},
		{"mapping for list", "list: {}\n", "f:1:7: list: want a list, got a mapping"},
		{"scalar document", "hello\n", "f:1:1: want a mapping (key: value), got text"},
		{"anchor", "name: &a x\n", "f:1:7: name: want text, got a YAML anchor: anchors, aliases and tags are not read here, write the value out"},
		{"alias", "list: &a [x]\nname: *a\n", "f:1:7: list: want a list, got a YAML anchor: anchors, aliases and tags are not read here, write the value out\nf:2:7: name: want text, got a YAML alias: anchors, aliases and tags are not read here, write the value out"},
		{"tag", "name: !!str 5\n", "f:1:7: name: want text, got a YAML tag: anchors, aliases and tags are not read here, write the value out"},
		{"merge key", "<<: {name: x}\n", "f:1:1: key \"<<\" is not plain text: write it out, in quotes if it is a number or a word like true"},
		{"key that is a number", "map: {1: {}}\n", "f:1:7: map: key \"1\" is not plain text: write it out, in quotes if it is a number or a word like true"},
		{"a type's own complaint", "word: bad\n", "f:1:7: word: a bad word"},
		{"two documents", "name: a\n---\nname: b\n", `f: more than one YAML document: keep everything in one, without "---" between parts`},
		{"not UTF-8", "name: \xff\n", "f:1:7: byte 0xff is not UTF-8: save the file as UTF-8"},
		{"control character", "name: a\x1b[2J\n", "f:1:8: control character U+001B: remove it, or write it as an escape in double quotes"},
		{"carriage return alone", "name: a\rname: b\n", "f:1:8: control character U+000D: remove it, or write it as an escape in double quotes"},
		{"syntax", "name: [a\n", "f:1:7: sequence end token ']' not found"},
		{"too deep in brackets", "any: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "f:1:70: nested deeper than 64"},
		{"too deep in dashes", "any:\n  " + strings.Repeat("- ", 100) + "x\n", "f:2:131: nested deeper than 64"},
		{"all at once", "size: a\non: b\n", "f:1:7: size: want a whole number, got text\nf:2:5: on: want true or false, got text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got outer
			_, err := strictyaml.Decode("f", []byte(tt.text), &got)
			if fmt.Sprint(err) != tt.want {
				t.Errorf("got\n%v\nwant\n%v", err, tt.want)
			}
			if n := strings.Count(tt.want, "\n") + 1; len(strictyaml.Errors(err)) != n {
				t.Errorf("got %d errors, want %d", len(strictyaml.Errors(err)), n)
			}
		})
	}
}

func TestDecode_tellsTheFirstTwentyErrors(t *testing.T) {
	t.Parallel()
	var got outer
	_, err := strictyaml.Decode("f", []byte("list:\n"+strings.Repeat("- 1\n", 100)), &got)
	if n := len(strictyaml.Errors(err)); n != 20 {
		t.Errorf("got %d errors, want 20", n)
	}
}

func TestDecodeKnown_setsUnknownKeysApart(t *testing.T) {
	t.Parallel()
	var got outer
	_, unknown, err := strictyaml.DecodeKnown("f", []byte("x: 1\nname: a\n"), &got)
	if err != nil || got.Name != "a" || len(unknown) != 1 || !strings.HasPrefix(unknown[0].Error(), "f:1:1: x: unknown key") {
		t.Errorf("got %+v, %v, %v", got, unknown, err)
	}
}

// FuzzDecode checks that no bytes make the decoder panic, and that accepted values have the
// promised types: any JSON is JSON.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"name: a\nlist: [b]\n", "any: {a: [1, .inf, -.nan, 0o7, 1_000]}", "map: {? x : {size: 1}}", "&a name: *a", "!!map {}", "%TAG ! x\n---\nname: b",
		"any: |2-\n   x\n", "any: >\n\n  a\n\n", "\ufeffname: x", "name: \"\\ud800\"", "- - - a", "{", "\"", "name: a # \\\n  b", "---\n...\n---\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got outer
		_, err := strictyaml.Decode("f", data, &got)
		if err == nil && len(got.Any) > 0 && !json.Valid(got.Any) {
			t.Errorf("any is %q", got.Any)
		}
		if got.Never != "" || got.Elsewhere != "" {
			t.Errorf("a field without a key was set: %+v", got)
		}
	})
}
