package tool

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// usual is an envelope as hosts write it.
const usual = `{"tool":"T","input":{"command":"grep -n \"a b\" x","count":-1.5e3,"items":[{"name":"a"},{}],"on":true, "free":{"a":[null,0]}},"config":{"a":[1]},` +
	`"context":{"agent":"w","session":"s/1","user":"ö","mode":"default","cwd":"/p","working_directories":["/p","/q"],"project_root":"/p","home":"/h","kind":"main",` +
	`"dialect":"bash","shell_changed":[],"resumed":false,"approver":"","active_skills":["a"],"targets":[{"kind":"path","value":"a","access":"read","resolved":"/p/a",` +
	`"lexical":"/p/a","exists":true,"inside":"/p","repo":{"root":"/p","dirty":["x"]},"claimed":false,"error":"e"},{"kind":"host","value":"h","access":"read"}],"targets_unknown":true},` +
	`"behavior":"allow","rules":[{"content":"a\nb","root":"/r"},{"content":"b"}],"effects":true,"covers":true,"rule_words":true}`

// quickSample has each kind of member that a scanner treats in its own way.
type quickSample struct {
	Command string          `json:"command"`
	Count   float64         `json:"count"`
	Free    json.RawMessage `json:"free"`
	On      bool            `json:"on,omitzero"`
	Name    Behavior
	quickEmbedded
}

type quickEmbedded struct {
	Items []struct {
		Name string `json:"name"`
	} `json:"items"`
	Hidden string `json:"-"`
}

// TestQuickEnvelope: whatever a scanner reads, the complete decoder reads alike.
func TestQuickEnvelope(t *testing.T) {
	t.Parallel()
	if quickEnvelope([]byte(usual)) == nil {
		t.Fatal("the scanner is stuck at a usual envelope")
	}
	read := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := usual
		for range rapid.IntRange(0, 2).Draw(rt, "changes") {
			text = mutate(rt, text)
		}
		got := quickEnvelope([]byte(text))
		if got == nil {
			return
		}
		read++
		if want, err := decodeWhole([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("%s: the scanner read %+v, the decoder %+v, %v", text, got, want, err)
		}
	})
	if read == 0 {
		t.Error("the scanner read none")
	}
}

// TestQuickInput: the same for inputs.
func TestQuickInput(t *testing.T) {
	t.Parallel()
	var env struct{ Input jsontext.Value }
	if err := jsonv2.Unmarshal([]byte(usual), &env, jsonv2.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if !quickInput(reflect.TypeFor[quickSample](), env.Input, new(quickSample)) {
		t.Fatal("the scanner is stuck at a usual input")
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := mutate(rt, string(env.Input))
		var got, want quickSample
		if !quickInput(reflect.TypeFor[quickSample](), jsontext.Value(text), &got) {
			return
		}
		if err := jsonv2.Unmarshal([]byte(text), &want, jsonv2.RejectUnknownMembers(true)); err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("%s: the scanner read %+v, the decoder %+v, %v", text, got, want, err)
		}
	})
}

// TestScannerIsStuck: at these the complete decoder decides.
func TestScannerIsStuck(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		``, `01`, `1.`, `.5`, `1e`, `--1`, `+1`, `tru`, `nul`, `"a`, `"\u0061"`, `"\x"`, "\"\x01\"", "\"\xff\"", `"a\"`, `{"a":1,"a":2}`, `{"a":1,}`, `{"a"}`, `{a:1}`, `[1,]`, `[1 2]`,
		strings.Repeat("[", 17) + strings.Repeat("]", 17), `1 2`, `{"a":1}}`, "1\v",
	} {
		s := scan([]byte(value))
		_ = s.value()
		if s.ended() {
			t.Errorf("%q was read", value)
		}
	}
}

// TestQuickMembers: these structs are read in another way than by the names of their fields.
func TestQuickMembers(t *testing.T) {
	t.Parallel()
	type named struct{ A string }
	for _, v := range []any{
		0, map[string]string{}, jsontext.Value{}, json.RawMessage{},
		struct {
			A string `json:"a,case:ignore"`
		}{},
		struct {
			A string `json:"'a'"`
		}{},
		struct{ *named }{},
		struct {
			named `json:"n"`
		}{},
		struct {
			A string
			named
		}{},
	} {
		if got := quickMembers(reflect.TypeOf(v)); got != nil {
			t.Errorf("%T: got %v", v, got)
		}
	}
}

// TestEncode: both encoders write the same.
func TestEncode(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "é\"\\\n", "<\u2028>", "\x7f", "\xff"}), rapid.String())
	texts := rapid.OneOf(rapid.Just[[]string](nil), rapid.SliceOfN(text, 0, 3))
	rapid.Check(t, func(rt *rapid.T) {
		word := func() string { return text.Draw(rt, "text") }
		yes := func() bool { return rapid.Bool().Draw(rt, "yes") }
		d := Description{
			Action: word(), Actions: texts.Draw(rt, "actions"), Title: word(), Preview: word(), Language: word(), TargetsUnknown: yes(), Moves: yes(),
			ChangesShell: texts.Draw(rt, "shell"), Targets: []Target{{Kind: word(), Value: word(), Access: word()}, {Kind: "a", Exists: yes()}},
			Marks: []Mark{{word(), word(), word()}, {}}, Effects: []Effect{{word(), word(), yes(), word()}},
		}
		if yes() {
			d.Analysed = new(bool)
			*d.Analysed = yes()
		}
		if yes() {
			d.RuleWords = &RuleWords{texts.Draw(rt, "allow"), texts.Draw(rt, "other")}
		}
		if yes() {
			d.Targets, d.Marks, d.Effects = nil, []Mark{}, []Effect{}
		}
		answers := []any{d, Verdict{Behavior(word()), word(), word(), yes()}, ReadOnly{yes(), word()}, matched{}, matched{[]int{0, 12}}, suggested{[]Suggestion{Propose(word(), word())}}}
		for _, a := range answers {
			got, err := encode(a)
			want, wanted := jsonv2.Marshal(a, jsonv2.Deterministic(true))
			if string(got) != string(want) || (err == nil) != (wanted == nil) {
				rt.Fatalf("%+v: got %s, %v, want %s, %v", a, got, err, want, wanted)
			}
		}
	})
}
