package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
)

// TestT26_toolCalledLikeAnAction: a server's tool is called "Probe:x" to make a profile mistake
// its actions, tool:Probe:x:{...}, for those of Probe.
func TestT26_toolCalledLikeAnAction(t *testing.T) {
	w := newWorld(t, "profiles: {mine: {allow: [\"tool:Probe:.*\", \"tool:github:.*\"]}, all: {allow: [\"(?s)tool:.*\"]}}\n"+
		"agents: {worker: {mode: bypass, profile: mine}, wide: {mode: bypass, profile: all}}\n")
	for _, tt := range []struct {
		agent, tool string
		want        engine.Behavior
	}{
		{"worker", "Probe", engine.Allow}, {"worker", "Probe:x", engine.Deny}, {"worker", "Probe:", engine.Deny},
		{"worker", "github:list", engine.Allow}, {"wide", "Probe:x", engine.Allow},
	} {
		r := call("v")
		r.Tool, r.Context.Session = tt.tool, tt.agent
		res := w.Check(authority.Caller{Token: "check:" + tt.agent, Agent: tt.agent}, r)
		if res.Decision.Behavior != tt.want || tt.want == engine.Deny && !strings.Contains(res.Decision.Reason, "read as those of Probe") {
			t.Errorf("%s by %s: got %s (%s), want %s", tt.tool, tt.agent, res.Decision.Behavior, res.Decision.Reason, tt.want)
		}
	}
}

// TestT02_skillCalledLikeTheConfigured: beside a skill narrowed by the operator, the call names
// one whose name matches the operator's entry for the first.
func TestT02_skillCalledLikeTheConfigured(t *testing.T) {
	w := newWorld(t, "rules: [{allow: Probe}]\nagents: {worker: {skills: {deploy: [Read]}}}\n")
	for range 20 { // in any order
		r := call("v")
		r.Context.ActiveSkills = map[string][]string{"deploy": {"Probe"}, "deploy (as configured)": {"Probe"}, "deploy (as configured)*": {"Probe"}}
		if res := w.Check(worker, r); res.Decision.Behavior != engine.Deny {
			t.Fatalf("got %s (%s), want what the operator says", res.Decision.Behavior, res.Decision.Reason)
		}
	}
}
