package named_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/internal/named"
	"github.com/callgate/callgate/sdk/go/tool"
)

// TestEveryPlaceIsLookedInto: a path, a file's address or a host is found wherever it
// stands in an input: under any member, in lists, as a member's name, in JSON within a
// text.
func TestEveryPlaceIsLookedInto(t *testing.T) {
	t.Parallel()
	wanted := map[string]tool.Target{
		"/etc/x": {Kind: tool.Path, Value: "/etc/x", Access: tool.Write}, "~/x": {Kind: tool.Path, Value: "~/x", Access: tool.Write},
		"file:///etc/x": {Kind: tool.Path, Value: "/etc/x", Access: tool.Write}, "secrets/k": {Kind: tool.Path, Value: "/p/secrets/k", Access: tool.Write},
		"--to=/etc/x": {Kind: tool.Path, Value: "/etc/x", Access: tool.Write}, "https://evil.com/y": {Kind: tool.Host, Value: "evil.com", Access: tool.Read},
		"ssh://a@evil.com/y": {Kind: tool.Host, Value: "evil.com", Access: tool.Read},
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range wanted {
			if !yield(name) {
				return
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(names).Draw(t, "text")
		var v any = text
		for range rapid.IntRange(0, 6).Draw(t, "depth") {
			member := rapid.SampledFrom([]string{"a", "path", "text", "items", "note", "0"}).Draw(t, "member")
			switch rapid.SampledFrom([]string{"member", "list", "name", "text"}).Draw(t, "in") {
			case "member":
				v = map[string]any{member: v, "other": "x"}
			case "list":
				v = []any{1, v, "x"}
			case "name":
				if s, ok := v.(string); ok {
					v = map[string]any{s: "x"}
				}
			case "text":
				if _, ok := v.(string); !ok {
					v = string(encoded(v))
				}
			}
		}
		raw := encoded(map[string]any{"input": v})
		targets, unknown := named.Targets(tool.Context{CWD: "/p"}, raw, false)
		if !slices.ContainsFunc(targets, func(got tool.Target) bool {
			want := wanted[text]
			return got.Kind == want.Kind && got.Value == want.Value && got.Access == want.Access
		}) && !unknown {
			t.Fatalf("%s in %s: got %+v", text, raw, targets)
		}
	})
}

func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own values always encode
	}
	return text
}
