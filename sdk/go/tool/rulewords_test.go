package tool_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/sdk/go/tool"
)

// TestRuleWords: the SDK says rule words only to a host that reads them, never of an unreadable
// input, and never more than the host takes.
func TestRuleWords(t *testing.T) {
	t.Parallel()
	type input struct {
		Path string `json:"path"`
	}
	for _, c := range []struct {
		name, input, asks string
		words             int
		want              string
	}{
		{"asked", `{"path":"a"}`, `,"rule_words":true`, 1, `{"allow":["w"],"other":[]}`},
		{"an unknown member", `{"path":"a","x":1}`, `,"rule_words":true`, 1, `{"allow":["w"],"other":[]}`},
		{"not asked", `{"path":"a"}`, ``, 1, ``},
		{"asked not to", `{"path":"a"}`, `,"rule_words":false`, 1, ``},
		{"another shape", `{"path":7}`, `,"rule_words":true`, 1, ``},
		{"too many", `{"path":"a"}`, `,"rule_words":true`, 4097, ``},
	} {
		m := tool.Module{Name: "m", Version: "1", Tools: []tool.Tool{tool.Define(tool.Spec[input]{
			Name: "T",
			Describe: func(*tool.Call[input]) tool.Description {
				words := make([]string, c.words)
				for i := range words {
					words[i] = "w"
				}
				return tool.Description{RuleWords: &tool.RuleWords{Allow: words}}
			},
		})}}
		out, err := tool.Handle(m, "describe_call", []byte(`{"tool":"T","input":`+c.input+`,"context":{"cwd":"/"}`+c.asks+`}`))
		var answer struct {
			RuleWords json.RawMessage `json:"rule_words"`
		}
		if err != nil || json.Unmarshal(out, &answer) != nil || string(answer.RuleWords) != c.want {
			t.Errorf("%s: got %s, %v, want rule words %s", c.name, out, err, c.want)
		}
	}
}

// TestFirstWord_ofItself: a first word begins a rule of itself.
func TestFirstWord_ofItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		content := fmt.Sprint(rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \ta-cA-C:*/.]{0,9}`)).Draw(t, "content"))
		if word := tool.FirstWord(content); tool.FirstWord(word) != word || word != "" && tool.FirstWord(word+" x:*") != word {
			t.Fatalf("%q: got %q, of it %q", content, word, tool.FirstWord(word))
		}
	})
}
