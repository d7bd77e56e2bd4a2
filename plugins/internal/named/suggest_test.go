package named_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/internal/named"
	"github.com/callgate/callgate/sdk/go/tool"
)

// contents are the proposals; "" is the whole tool.
func contents(name, input string) []string {
	var out []string
	for _, s := range named.Suggest(name, json.RawMessage(input)) {
		if s.Content == nil {
			out = append(out, "")
		} else {
			out = append(out, *s.Content)
		}
	}
	return out
}

// TestSuggest: the kind comes first, for a lasting one the exact call first, for running ones
// the exact call only.
func TestSuggest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, input string
		want        []string
	}{
		{"mcp__docs__find_symbol", `{"name":"Load"}`, []string{"", `{"name":"Load"}`}},
		{"mcp__tracker__get_issue", `{"id":"T-1"}`, []string{"", `{"id":"T-1"}`}},
		{"mcp__tracker__delete_issue", `{"id":"T-1"}`, []string{`{"id":"T-1"}`, ""}},
		{"mcp__github__create_pull_request", `{"body":"x","title":"y"}`, []string{"", `{"body":"x","title":"y"}`}},
		{"mcp__github__create_pull_request", `{"body":{"code":"x"}}`, []string{`{"body":{"code":"x"}}`}},
		{"mcp__github__add_issue_comment", `{"body":"x","command":"y"}`, []string{`{"body":"x","command":"y"}`}},
		{"mcp__github__merge_pull_request", `{"body":"x"}`, []string{`{"body":"x"}`, ""}},
		{"mcp__http__fetch", `{"body":"x"}`, []string{`{"body":"x"}`}},
		{"mcp__mail__sendMail", `{"to":"ann"}`, []string{`{"to":"ann"}`, ""}},
		{"mcp__db__execute_sql", `{"q":"select 1"}`, []string{`{"q":"select 1"}`}},
		{"mcp__db__ask", `{"sql":"select 1"}`, []string{`{"sql":"select 1"}`}},
		{"mcp__x__y", `{"steps":[{"shellCommand":"ls"}]}`, []string{`{"steps":[{"shellCommand":"ls"}]}`}},
		{"Deploy", `{"target":"web"}`, []string{`{"target":"web"}`, ""}},
		{"SendMessage", `{"to":"reviewer","content":"done"}`, []string{"", `{"content":"done","to":"reviewer"}`}},
		{"LSP", `{"operation":"findReferences","line":17}`, []string{"operation:findReferences", `{"line":17,"operation":"findReferences"}`}},
		{"mcp__files__manage", `{"action":"delete","id":1}`, []string{`{"action":"delete","id":1}`, "action:delete"}},
		{"mcp__x__y", `{"action":"*"}`, []string{"", `{"action":"*"}`}},
		{"mcp__x__y", `[]`, []string{"", `[]`}},
	} {
		if got := contents(c.tool, c.input); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: got %q, want %q", c.tool, c.input, got, c.want)
		}
	}
}

// TestSuggestedContentsMatchTheirCall: for any names of members, a proposed content allows its
// own input, and another action never.
func TestSuggestedContentsMatchTheirCall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		members := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(rt, "members") {
			name := rapid.SampledFrom([]string{"action", "operation", "method", "id", "query", "command", "body", "text"}).Draw(rt, "name")
			members[name] = rapid.SampledFrom([]any{"list", "delete", "a:b", "x*", `\`, 7, true, nil, []any{"a"}, map[string]any{"code": "1"}}).Draw(rt, "value")
		}
		raw, err := json.Marshal(members)
		if err != nil {
			rt.Fatal(err)
		}
		for _, s := range named.Suggest("mcp__any__manage", raw) {
			if s.Content == nil {
				if _, ok := members["command"]; ok {
					rt.Fatalf("%s: the whole tool is proposed for what runs a command", raw)
				}
				continue
			}
			rules := []tool.Rule{{Content: *s.Content}}
			if len(tool.MatchParameters(raw, tool.Allow, rules)) != 1 {
				rt.Fatalf("%s: %q does not match it", raw, *s.Content)
			}
			other := map[string]any{"action": "other", "operation": "other", "op": "other", "method": "other", "verb": "other"}
			changed, _ := json.Marshal(other)
			if len(tool.MatchParameters(changed, tool.Allow, rules)) != 0 {
				rt.Fatalf("%s: %q allows %s", raw, *s.Content, changed)
			}
		}
	})
}
