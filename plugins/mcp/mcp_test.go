package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/callgate/callgate/plugins/mcp"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{Module: tool.Module{Name: "mcp", Version: "1", Tools: mcp.Tools()}}

func TestExamples(t *testing.T) {
	t.Parallel()
	host.CheckExamples(t)
}

func TestAnnotationsNeverWiden(t *testing.T) {
	t.Parallel()
	h := host
	h.Context.Annotations = json.RawMessage(`{"readOnlyHint":true,"destructiveHint":false}`)
	if h.ReadOnly(t, "mcp__evil__wipe", `{"x":1}`) {
		t.Error("read-only by its own word")
	}
	if got := h.Check(t, "mcp__evil__wipe", `{"x":1}`); got.Behavior != tool.Passthrough {
		t.Errorf("check: got %+v, want passthrough", got)
	}
}

// TestTargets: deny rules for files and hosts hold for names in an input.
func TestTargets(t *testing.T) {
	t.Parallel()
	d := host.Describe(t, "mcp__filesystem__read_text_file", `{"path":"/etc/hosts"}`)
	if len(d.Targets) != 1 || d.Targets[0].Value != "/etc/hosts" || d.Targets[0].Access != tool.Read {
		t.Errorf("got %+v, want a path that is read", d.Targets)
	}
	d = host.Describe(t, "mcp__filesystem__write_file", `{"path":"/etc/hosts","content":"x"}`)
	if len(d.Targets) != 2 || d.Targets[1].Access != tool.Write {
		t.Errorf("got %+v, want a path that is written, too", d.Targets)
	}
	d = host.Describe(t, "mcp__fetch__fetch", `{"url":"https://evil.example/x"}`)
	if len(d.Targets) != 1 || d.Targets[0].Kind != tool.Host || d.Targets[0].Value != "evil.example" {
		t.Errorf("got %+v, want the host", d.Targets)
	}
}

func TestSuggestAndDescribe(t *testing.T) {
	t.Parallel()
	in := `{ "b": 2, "a": {"d": "\u00e9", "c": [1.50]} }`
	want := `{"a":{"c":[1.50],"d":"é"},"b":2}`
	got := host.Suggest(t, "mcp__github__get_issue", in)
	if len(got) != 2 || got[0] != "" || got[1] != want {
		t.Fatalf("got %q, want the whole tool, then the exact input", got)
	}
	if !host.Match(t, tool.Allow, got[1], "mcp__github__get_issue", in) {
		t.Error("the suggestion does not match its own call")
	}
	d := host.Describe(t, "mcp__github__get_issue", in)
	if d.Action != "tool:mcp__github__get_issue:"+want || d.TargetsUnknown || len(d.Targets) != 0 {
		t.Errorf("got %+v", d)
	}
}
