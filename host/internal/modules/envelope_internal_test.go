package modules

import (
	"encoding/json"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestEnvelope_rules: the envelope holds the rules as the general encoder writes them, and a text
// that it refuses is refused.
func TestEnvelope_rules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "npm run:*", "a\"b\\c", "<&>\u2028\x00\x1f", "\xff", "}],\"rules\":["}))
		rules := rapid.SliceOf(rapid.Custom(func(t *rapid.T) engine.RuleText {
			return engine.RuleText{Content: text.Draw(t, "content"), Root: text.Draw(t, "root")}
		})).Draw(t, "rules")
		call := &engine.Call{Tool: "Bash", Input: json.RawMessage(`{"command":"x"}`)}
		got, err := Envelope(sandbox.MatchRule, "Bash", call, nil, "deny", rules)
		want, wantErr := jsonv2.Marshal(rules)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v; want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		without, err := Envelope(sandbox.MatchRule, "Bash", call, nil, "deny", nil)
		if err != nil {
			t.Fatal(err)
		}
		if with := string(without[:len(without)-1]) + `,"rules":` + string(want) + "}"; rules != nil && string(got) != with {
			t.Fatalf("got\n%s; want\n%s", got, with)
		}
	})
}
