package modules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// The answers of guests are judged by functions that are not needed outside, so
// their tables are here.

// parsers are the readers of the five answers and of describe.
var parsers = map[string]func([]byte) (any, error){
	"verdict":     func(b []byte) (any, error) { return parseVerdict(b) },
	"read_only":   func(b []byte) (any, error) { return parseReadOnly(b) },
	"matched":     func(b []byte) (any, error) { return parseMatched(b, 3) },
	"suggestions": func(b []byte) (any, error) { return parseSuggestions(b) },
	"described":   func(b []byte) (any, error) { return parseDescribed(b) },
	"description": func(b []byte) (any, error) { return ParseDescription(b) },
}

func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ parser, name, answer, want string }{
		{"verdict", "null", `null`, "want a JSON object"},
		{"verdict", "list", `[]`, "want a JSON object"},
		{"verdict", "nothing said", `{}`, `behavior: ""`},
		{"verdict", "null behavior", `{"behavior":null}`, `behavior: ""`},
		{"verdict", "other word", `{"behavior":"yes"}`, `behavior: "yes"`},
		{"verdict", "other case", `{"behavior":"Allow"}`, `behavior: "Allow"`},
		{"verdict", "name in other case", `{"Behavior":"allow"}`, "unknown object member name"},
		{"verdict", "twice", `{"behavior":"deny","behavior":"allow"}`, "duplicate object member name"},
		{"verdict", "unknown member", `{"behavior":"allow","because":1}`, "unknown object member name"},
		{"verdict", "something after", `{"behavior":"allow"} {}`, "after top-level value"},
		{"verdict", "cut off", `{"behavior":"allow"`, "unexpected EOF"},
		{"verdict", "wrong type", `{"behavior":true}`, "unmarshal JSON"},
		{"verdict", "not UTF-8", "{\"behavior\":\"allow\",\"reason\":\"\xff\"}", "invalid UTF-8"},
		{"verdict", "lone surrogate", `{"behavior":"allow","reason":"\ud800"}`, "invalid surrogate pair"},
		{"verdict", "immune allow", `{"behavior":"allow","bypass_immune":true}`, "bypass_immune: only valid with ask, got allow"},
		{"verdict", "immune deny", `{"behavior":"deny","bypass_immune":true}`, "bypass_immune: only valid with ask, got deny"},
		{"read_only", "nothing said", `{}`, "read_only: missing"},
		{"read_only", "null", `{"read_only":null}`, "read_only: missing"},
		{"read_only", "word", `{"read_only":"true"}`, "unmarshal JSON"},
		{"matched", "nothing said", `{}`, "matched: missing"},
		{"matched", "null", `{"matched":null}`, "matched: missing"},
		{"matched", "too high", `{"matched":[3]}`, "index 3"},
		{"matched", "negative", `{"matched":[-1]}`, "index -1"},
		{"matched", "twice", `{"matched":[1,1]}`, "index 1 after 1"},
		{"matched", "descending", `{"matched":[2,0]}`, "index 0 after 2"},
		{"matched", "fraction", `{"matched":[0.5]}`, "unmarshal JSON"},
		{"matched", "boolean", `{"matched":true}`, "unmarshal JSON"},
		{"suggestions", "nothing said", `{}`, "rules: missing"},
		{"suggestions", "too many", `{"rules":[` + strings.Repeat(`{"content":"a"},`, 32) + `{"content":"a"}]}`, "rules: 33: at most 32"},
		{"suggestions", "too long", `{"rules":[{"content":"` + strings.Repeat("a", 4097) + `"}]}`, "rules[0].content: 4097 bytes"},
		{"suggestions", "with a behavior", `{"rules":[{"content":"a","behavior":"allow"}]}`, "unknown object member name"},
		{"described", "action without detail", `{"action":"rm"}`, `action "rm"`},
		{"described", "action without name", `{"action":"tool::x"}`, `action "tool::x"`},
		{"described", "one bad action", `{"action":"tool:a:b","actions":["tool:a:b","x"]}`, `action "x"`},
		{"described", "kind", `{"targets":[{"kind":"file","value":"a","access":"read"}]}`, `targets[0]: kind: "file"`},
		{"described", "kind of a mark", `{"marks":[{"kind":"path","value":"a","access":"read"}]}`, `marks[0]: kind: "path"`},
		{"described", "mark among the targets", `{"targets":[{"kind":"tree","value":"a","access":"read"}]}`, `targets[0]: kind: "tree"`},
		{"described", "kind of an effect", `{"effects":[{"kind":"secret","value":"a","certain":true}]}`, `effects[0]: kind: "secret"`},
		{"described", "how of an effect", `{"effects":[{"kind":"reaches","value":"a","how":"force"}]}`, `effects[0]: how: "force": want get or send`},
		{"described", "how of a kind without", `{"effects":[{"kind":"shows","value":"a","how":"get"}]}`, `effects[0]: how: "get": want none for shows`},
		{"described", "effect without a value", `{"effects":[{"kind":"shows","value":"","certain":true}]}`, "effects[0]: value: want 1 to 4096 bytes"},
		{"described", "NUL in an effect", `{"effects":[{"kind":"shows","value":"a\u0000"}]}`, "effects[0]: value: want 1 to 4096 bytes"},
		{"described", "what only the host says of an effect", `{"effects":[{"kind":"deletes","value":"a","recoverable":"yes"}]}`, "recoverable"},
		{"described", "effects that are no list", `{"effects":{}}`, "effects"},
		{"described", "too many effects", `{"effects":[` + strings.Repeat(`{"kind":"runs","value":"a"},`, 256) + `{"kind":"runs","value":"a"}]}`, "effects: 257: at most 256"},
		{"described", "access of a mark", `{"marks":[{"kind":"tree","value":"a","access":"see"}]}`, `marks[0]: access: "see"`},
		{"described", "too many marks", `{"marks":[` + strings.Repeat(`{"kind":"tree","value":"a","access":"read"},`, 2048) + `{"kind":"tree","value":"a","access":"read"}]}`, "marks: 2049: at most 2048"},
		{"described", "access", `{"targets":[{"kind":"path","value":"a","access":"see"}]}`, `targets[0]: access: "see"`},
		{"described", "empty target", `{"targets":[{"kind":"path","value":"","access":"read"}]}`, "targets[0]: value"},
		{"described", "NUL in a target", `{"targets":[{"kind":"path","value":"a\u0000b","access":"read"}]}`, "targets[0]: value"},
		{"described", "long target", `{"targets":[{"kind":"path","value":"` + strings.Repeat("a", 4097) + `","access":"read"}]}`, "targets[0]: value"},
		{"described", "resolved by itself", `{"targets":[{"kind":"path","value":"a","access":"read","inside":"/"}]}`, "unknown object member name"},
		{"described", "T17 many targets", `{"targets":[` + strings.Repeat(`{"kind":"path","value":"a","access":"read"},`, 256) + `{"kind":"path","value":"a","access":"read"}]}`, "targets: 257: at most 256"},
		{"description", "abi", `{"abi":2,"name":"a","version":"1","tools":[{"name":"T"}]}`, "abi: got 2"},
		{"description", "no name", `{"abi":1,"version":"1","tools":[{"name":"T"}]}`, `name: ""`},
		{"description", "no version", `{"abi":1,"name":"a","tools":[{"name":"T"}]}`, "version: "},
		{"description", "no tools", `{"abi":1,"name":"a","version":"1","tools":[]}`, "tools: got 0"},
		{"description", "bad tool name", `{"abi":1,"name":"a","version":"1","tools":[{"name":"T x"}]}`, `name "T x"`},
		{"description", "bare star", `{"abi":1,"name":"a","version":"1","tools":[{"name":"T","aliases":["**"]}]}`, "only stars"},
		{"description", "name twice", `{"abi":1,"name":"a","version":"1","tools":[{"name":"T"},{"name":"U","aliases":["T"]}]}`, `name "T": twice`},
		{"description", "schema", `{"abi":1,"name":"a","version":"1","tools":[{"name":"T","input_schema":[]}]}`, "input_schema of T"},
		{"description", "example", `{"abi":1,"name":"a","version":"1","tools":[{"name":"T","rule_examples":[{"content":"x","behavior":"passthrough","input":{},"match":true}]}]}`, "rule_examples[0].behavior"},
	} {
		t.Run(tt.parser+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parsers[tt.parser]([]byte(tt.answer))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v; want error %q", got, err, tt.want)
			}
		})
	}
}

func TestTextsOfModulesAreTamed(t *testing.T) {
	t.Parallel()
	v, err := parseVerdict([]byte(`{"behavior":"ask","reason":"a\u001b[31m\u202eb\n\n@everyone","message":"` + strings.Repeat("é", 2000) + `"}`))
	if err != nil || v.Reason != "a [31m b @everyone" {
		t.Errorf("got %q, %v", v.Reason, err)
	}
	if len(v.Message) > maxText || !utf8.ValidString(v.Message) {
		t.Errorf("message of %d bytes, valid %v; want at most %d", len(v.Message), utf8.ValidString(v.Message), maxText)
	}
	d, err := parseDescribed([]byte(`{"action":"tool:bash:a\nb\u202e","preview":"one\n\ttwo\u0007\u200b","title":"a\nb"}`))
	if err != nil || d.Preview != "one\n\ttwo" || d.Title != "a b" {
		t.Errorf("got %+v, %v", d, err)
	}
	if d.Action != "tool:bash:a\nb\u202e" {
		t.Errorf("action: got %q; want it letter by letter, for profiles", d.Action)
	}
}

func TestRuleWords(t *testing.T) {
	t.Parallel()
	d, err := parseDescribed([]byte(`{"rule_words":{"allow":["npm"],"other":["npm","rm"]}}`))
	if err != nil || d.RuleWords == nil || !slices.Equal(d.RuleWords.Allow, []string{"npm"}) || !slices.Equal(d.RuleWords.Other, []string{"npm", "rm"}) {
		t.Fatalf("got %+v, %v", d.RuleWords, err)
	}
	for _, c := range []struct {
		behavior engine.Behavior
		content  string
		match    bool
		want     bool
	}{
		{engine.Deny, "rm:*", true, true},
		{engine.Allow, "rm:*", true, false},
		{engine.Allow, "rm:*", false, true},
		{engine.Ask, "git push", true, false},
		{engine.Ask, "git * x", true, true},
	} {
		if err := d.wordsOf(c.behavior, wire.RuleExample{Content: c.content, Match: c.match}); (err == nil) != c.want {
			t.Errorf("%s %q, matches %v: got %v", c.behavior, c.content, c.match, err)
		}
	}
	if err := (&Description{}).wordsOf(engine.Deny, wire.RuleExample{Content: "rm", Match: true}); err != nil {
		t.Errorf("without words: %v", err)
	}
	for _, answer := range []string{`{"rule_words":{"allow":["` + strings.Repeat(`","`, maxRuleWords) + `"]}}`, `{"rule_words":{"deny":[]}}`, `{"rule_words":[]}`} {
		if _, err := parseDescribed([]byte(answer)); err == nil {
			t.Errorf("%.40s is taken", answer)
		}
	}
}

func TestSuggestionsKeepNull(t *testing.T) {
	t.Parallel()
	got, err := parseSuggestions([]byte(`{"rules":[{"content":null},{"content":"a:*","description":"x\ny"}]}`))
	if err != nil || len(got) != 2 || got[0].Content != nil || *got[1].Content != "a:*" || got[1].Description != "x y" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a*", "ab", true}, {"a*", "*b", true}, {"a*", "b*", false},
		{"a?", "ab", true}, {"a?", "a", false}, {"a?", "?b", true}, {"mcp__*", "mcp__x__*", true}, {"*a*", "b*c", true}, {"ab*", "a", false},
		{strings.Repeat("*a", 60), strings.Repeat("*b", 60), false}, // must not take for ever
	} {
		if overlap(tt.a, tt.b) != tt.want || overlap(tt.b, tt.a) != tt.want {
			t.Errorf("overlap(%q, %q): got %v; want %v", tt.a, tt.b, overlap(tt.a, tt.b), tt.want)
		}
	}
}

// FuzzAnswer: any bytes are refused or give an answer within the caps.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"behavior":"ask","bypass_immune":true,"reason":"r","message":"m"}`, `{"read_only":true}`, `{"matched":[0,2]}`,
		`{"rules":[{"content":null},{"content":"a","description":"d"}]}`,
		`{"action":"tool:a:b","actions":["tool:a:b"],"title":"t","preview":"p","language":"bash","targets":[{"kind":"path","value":"a","access":"run"}],"targets_unknown":true}`,
		`{"effects":[{"kind":"publishes","value":"origin main","how":"force","certain":true},{"kind":"shows","value":"environment"}]}`, `{"effects":[]}`,
		`{"abi":1,"name":"a","version":"1","tools":[{"name":"T","aliases":["t"],"rule_examples":[{"content":"x","behavior":"deny","input":{},"match":false}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, parse := range parsers {
			if got, err := parse(data); err == nil {
				if err := bounded(got); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			} else if !utf8.ValidString(err.Error()) {
				t.Errorf("%s: error %q", name, err)
			}
		}
	})
}

// bounded judges an accepted answer.
func bounded(answer any) error {
	switch a := answer.(type) {
	case engine.Verdict:
		if a.BypassImmune && a.Behavior != engine.Ask || len(a.Reason) > maxText || len(a.Message) > maxText {
			return fmt.Errorf("got %+v", a)
		}
	case []int:
		for i, index := range a {
			if index < 0 || index > 2 || i > 0 && a[i-1] >= index {
				return fmt.Errorf("got %v", a)
			}
		}
	case []engine.SuggestedRule:
		if len(a) > maxSuggestions {
			return fmt.Errorf("got %d rules", len(a))
		}
	case Description:
		if len(a.Targets) > maxTargets || len(a.Title) > maxText || len(a.Preview) > maxPreview || len(a.Effects) > maxEffects {
			return fmt.Errorf("got %+v", a)
		}
		for _, e := range a.Effects {
			if e.Check() != nil || e.Resolved != "" || e.Recoverable != "" {
				return fmt.Errorf("got the effect %+v", e)
			}
		}
	}
	return nil
}
