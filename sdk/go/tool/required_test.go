package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
)

type part struct {
	Name string `json:"name" tool:"required"`
	Size int    `json:"size"`
}

type order struct {
	Target string          `json:"target" tool:"required"`
	Parts  []part          `json:"parts"`
	One    *part           `json:"one"`
	By     map[string]part `json:"by"`
	Kids   []order         `json:"kids"`
	Free   json.RawMessage `json:"free"`
}

func TestRequired(t *testing.T) {
	t.Parallel()
	m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[order]{
		Name: "T", ReadOnlyTool: true, Check: func(*tool.Call[order]) tool.Verdict { return tool.Verdict{Behavior: tool.Allow} },
	})}}
	for input, missing := range map[string]string{
		`{"target":"a"}`:            "",
		`{"target":""}`:             "",
		`{}`:                        "target",
		`{"target":null}`:           "target",
		`{"Target":"a"}`:            "target",
		`{"x":1}`:                   "target",
		`{"target":"a","parts":[]}`: "",
		`{"target":"a","parts":null,"one":null,"by":null}`:   "",
		`{"target":"a","parts":[{"name":"b"},{"size":1}]}`:   "parts/1/name",
		`{"target":"a","one":{}}`:                            "one/name",
		`{"target":"a","one":{"name":"b"}}`:                  "",
		`{"target":"a","by":{"k":{"name":null}}}`:            "by/k/name",
		`{"target":"a","kids":[{"target":"b","kids":[{}]}]}`: "kids/0/kids/0/target",
		`{"target":"a","free":{"target":null}}`:              "",
	} {
		check := handle(t, m, "check_permissions", input)
		if missing == "" && check != `{"behavior":"allow"}` {
			t.Errorf("%s: got %s, want allow", input, check)
		}
		if missing != "" && (!strings.Contains(check, `"bypass_immune":true`) || !strings.Contains(check, missing)) {
			t.Errorf("%s: got %s, want a bypass-immune ask about %s", input, check, missing)
		}
		if got := strings.Contains(handle(t, m, "check_read_only", input), `"read_only":true`); got != (missing == "") {
			t.Errorf("%s: read-only is %v", input, got)
		}
		if got := handle(t, m, "describe_call", input); missing != "" && got != `{"targets_unknown":true}` {
			t.Errorf("%s: describe_call: got %s", input, got)
		}
	}
}

// TestMisspelledTag: a member required by its author is never optional.
func TestMisspelledTag(t *testing.T) {
	t.Parallel()
	type inner struct {
		Name string `json:"name" tool:"requird"`
	}
	type outer struct {
		List []*inner `json:"list"`
	}
	m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[outer]{Name: "T"})}}
	if out, err := tool.Handle(m, "describe", nil); err == nil || !strings.Contains(err.Error(), "requird") {
		t.Errorf("got %s, %v; want an error that names the tag", out, err)
	}
}

func TestNesting(t *testing.T) {
	t.Parallel()
	m := eager(true)
	envelope := func(levels int, text string) []byte {
		return []byte(`{"tool":"T","input":{"free":` + strings.Repeat("[", levels-2) + text + strings.Repeat("]", levels-2) + `}}`)
	}
	for _, tc := range []struct {
		levels int
		text   string
		ok     bool
	}{
		{1000, "", true},
		{1001, "", false},
		{1000, `"[[{{\"[["`, true},
		{1000, "{}", false},
		{1000, `"\\","]]]]"`, true},
		{1001, `"]]]]"`, false},
	} {
		if _, err := tool.Handle(m, "check_permissions", envelope(tc.levels, tc.text)); (err == nil) != tc.ok {
			t.Errorf("%d levels around %q: got %v, want ok %v", tc.levels, tc.text, err, tc.ok)
		}
	}
}

func TestWildcard(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"a*", "ab", true}, {"*b", "ab", true}, {"a*b", "ab", true}, {"a*a", "a", false},
		{"a*b*c", "a-b-b-c", true}, {"a*bc", "abcbc", true}, {"?", "a", false}, {"**", "x", true}, {"s*/w*", "s/w", true},
	} {
		if got := tool.Wildcard(tc.pattern, tc.text); got != tc.want {
			t.Errorf("Wildcard(%q, %q): got %v, want %v", tc.pattern, tc.text, got, tc.want)
		}
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a":"x"}`: "x", `{"A":"x"}`: "", `{"a":null}`: "", `{"a":"x","b":1}`: "x",
		`{"a":"x","a":"y"}`: "error", `{"a":"\ud800"}`: "error", `{"a":"x"} {}`: "error", `{"a":1}`: "error", ``: "error",
	} {
		var in struct {
			A string `json:"a"`
		}
		err := tool.Decode([]byte(raw), &in)
		if (err != nil) != (want == "error") || err == nil && in.A != want {
			t.Errorf("%s: got %q, %v; want %q", raw, in.A, err, want)
		}
	}
}
