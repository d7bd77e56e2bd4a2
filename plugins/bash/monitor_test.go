package bash_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Claude Code's Monitor runs a shell command, or listens to a web socket, and sends the agent
// each line. Deny rules of Bash did not hold for it while it was an unknown tool.
func TestMonitor(t *testing.T) {
	t.Parallel()
	if !slices.Contains(bash.Spec.Aliases, "Monitor") {
		t.Error("Monitor is no name of Bash")
	}
	if !strings.HasSuffix(bash.Spec.InputSchema, `"required":["command"]}`) {
		t.Error("examples of rules as text are values of the first required member")
	}
	for name, tc := range map[string]struct {
		input bash.Input
		want  tool.Behavior
		deny  string // a matching rule
		allow bool   // whether tail:* covers it
	}{
		"reads":        {bash.Input{Command: "tail -f build.log", Persistent: true}, tool.Allow, "tail:*", true},
		"changes":      {bash.Input{Command: "tail -f build.log | tee x; rm x"}, tool.Passthrough, "rm:*", false},
		"opens hosts":  {bash.Input{Command: "tail -f build.log", Domains: []byte(`["example.com"]`)}, tool.Ask, "tail:*", false},
		"socket":       {bash.Input{WS: wsAt("wss://example.com/events")}, tool.Ask, "", false},
		"both":         {bash.Input{Command: "tail -f build.log", WS: wsAt("wss://example.com/events")}, tool.Ask, "tail:*", false},
		"socket, none": {bash.Input{WS: wsAt("")}, tool.Ask, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := callOf("")
			c.Tool, c.Input = "Monitor", tc.input
			c = resolved(c)
			if got := bash.Spec.Check(c); got.Behavior != tc.want {
				t.Errorf("check: got %+v, want %s", got, tc.want)
			}
			if got := bash.Spec.ReadOnly(c); got.ReadOnly != (tc.want == tool.Allow) {
				t.Errorf("read only: got %+v", got)
			}
			if got := bash.Spec.Match(c, tool.Allow, rulesOf("tail:*")); (len(got) > 0) != tc.allow {
				t.Errorf("allow rules: got %v, want %t", got, tc.allow)
			}
			if tc.deny != "" && len(bash.Spec.Match(c, tool.Deny, rulesOf(tc.deny))) != 1 {
				t.Errorf("deny %s does not hold", tc.deny)
			}
			if tc.input.WS == nil {
				return
			}
			d := bash.Spec.Describe(c)
			if !strings.Contains(d.Preview, tc.input.WS.URL) || len(bash.Spec.Suggest(c)) > 0 {
				t.Errorf("described as %+v", d)
			}
			want := tool.Target{Kind: tool.Host, Value: "example.com", Access: tool.Read}
			if known := slices.Contains(d.Targets, want); known != (tc.input.WS.URL != "") || known == d.TargetsUnknown {
				t.Errorf("got targets %v, unknown %t", d.Targets, d.TargetsUnknown)
			}
			if !slices.ContainsFunc(d.Marks, func(m tool.Mark) bool { return m.Kind == tool.Endpoint }) {
				t.Errorf("got marks %v, want an endpoint", d.Marks)
			}
		})
	}
}

func wsAt(url string) *bash.WebSocket { return &bash.WebSocket{URL: url} }
