package tool

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// mutate replaces, removes or doubles one value, name or stretch of a JSON text.
func mutate(t *rapid.T, text string) string {
	var ends []int64
	d := jsontext.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		if _, err := d.ReadToken(); err != nil {
			break
		}
		ends = append(ends, d.InputOffset())
	}
	at := func(label string) int { return int(rapid.SampledFrom(ends).Draw(t, label)) }
	from := at("from")
	to := min(from+rapid.IntRange(0, 20).Draw(t, "cut"), len(text))
	if rapid.Bool().Draw(t, "token") {
		to = max(from, at("to"))
	}
	put := rapid.SampledFrom([]string{"", "null", ":null", `:"x"`, ":1e3", ":true", ":{}", ":[]", ",", "{", "}", "[", "]", `,"command":"T"`, `,"name":"c"`, `,"Command":"x"`,
		`,"any":null`, `:"\ud800"`, ":\"\xff\"", `,"later":{"a":1,"a":2}`, `,"n\u0061me":"/r"`, " \n", "x", text[from:to] + text[from:to]}).Draw(t, "put")
	return text[:from] + put + text[to:]
}

// TestInputIsReadOnce: reading an input once, and once more for its members, find
// the same.
func TestInputIsReadOnce(t *testing.T) {
	t.Parallel()
	type inner struct {
		Name string         `json:"name"`
		Any  map[string]any `json:"any"`
	}
	type input struct {
		Command string           `json:"command"`
		Count   int              `json:"count"`
		Items   []inner          `json:"items"`
		One     *inner           `json:"one"`
		Free    jsontext.Value   `json:"free"`
		Map     map[string]inner `json:"map"`
	}
	const full = `{"command":"x","count":2,"items":[{"name":"a","any":{"b":1}},{}],"one":{"name":"b"},"free":{"c":{"d":1}},"map":{"k":{"name":"c"}}}`
	strange := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := full
		for range rapid.IntRange(0, 3).Draw(rt, "mutations") {
			text = mutate(rt, text)
		}
		if rapid.Bool().Draw(rt, "renamed") {
			text = strings.Replace(text, `"name"`, `"later"`, rapid.IntRange(1, 3).Draw(rt, "names"))
		}
		var got, want input
		unknown, err := readInput(reflect.TypeFor[input](), jsontext.Value(text), &got)
		wrong := decodeInput(jsontext.Value(text), &want)
		var members []string
		if wrong == nil {
			members = unknownMembers(reflect.TypeFor[input](), jsontext.Value(text))
		}
		switch {
		case (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error():
			rt.Fatalf("%s: got %v, want %v", text, err, wrong)
		case err == nil && (!reflect.DeepEqual(got, want) || !reflect.DeepEqual(unknown, members)):
			rt.Fatalf("%s: got %+v %q, want %+v %q", text, got, unknown, want, members)
		}
		strange += min(1, len(members))
	})
	if strange == 0 {
		t.Error("no input had an unknown member: the test says too little")
	}
}
