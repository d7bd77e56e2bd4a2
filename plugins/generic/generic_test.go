package generic_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/generic"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{Module: tool.Module{Name: "generic", Version: "1", Tools: generic.Tools(), Fallback: generic.Name}}

func TestExamples(t *testing.T) {
	t.Parallel()
	host.CheckExamples(t)
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	in := `{"target":"prod-1","force":true}`
	if got := host.Check(t, "Deploy", in); got.Behavior != tool.Passthrough {
		t.Errorf("check: got %+v, want passthrough", got)
	}
	if host.ReadOnly(t, "Deploy", in) {
		t.Error("read-only, though nobody knows what it does")
	}
	got := host.Suggest(t, "Deploy", in)
	if len(got) != 2 || got[0] != `{"force":true,"target":"prod-1"}` || got[1] != "" {
		t.Errorf("suggestions: got %q, want the exact input, then the whole tool", got)
	}
	if d := host.Describe(t, "Deploy", in); d.Action != `tool:Deploy:{"force":true,"target":"prod-1"}` {
		t.Errorf("action: got %q", d.Action)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, input     string
		asAllow, asDeny bool
	}{
		{`{"target":"staging"}`, `{"target":"staging"}`, true, true},
		{`{"target":"staging"}`, `{"target":"staging","dry":false}`, false, false},
		{"target:staging*", `{"target":"staging","dry":false}`, true, true},
		{"Get-:*", `{"command":"Get-Date"}`, false, false},
		{"command:Get-*", `{"command":"Get-Date"}`, true, true},
		{"anything", `{"command":"other"}`, false, true},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny} {
			if got := host.Match(t, behavior, tc.rule, "PowerShell", tc.input); got != want {
				t.Errorf("%s(%s) on %s: got %v, want %v", behavior, tc.rule, tc.input, got, want)
			}
		}
	}
}
