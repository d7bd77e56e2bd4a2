package gate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
)

// serverCall is a call of an MCP tool.
func serverCall(tool, value string, s *wire.Server) wire.Request {
	r := call(value)
	r.Tool, r.Context.Server = tool, s
	return r
}

// Threat T26: a rule accepted for one server does not hold for another one of the same name,
// and the person gets a note.
func TestT26_AcceptedRulesAreOfOneServer(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]ask.Answer{
		"a suggestion":  {Verdict: ask.Approve, Sets: []int{1}},
		"this session":  {Verdict: ask.Approve, ForSession: true},
		"the whole one": {Verdict: ask.Approve, ForSession: true, WholeTool: true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents:\n  worker: {}\n")
			trusted := &wire.Server{Name: "github", Source: "user", Definition: "1"}
			shown, done := w.Start(worker, serverCall("mcp__github__get", "x", trusted))
			if shown.Decision.Server != "github@user#1" {
				t.Errorf("the ask is of the server %q, want github@user#1", shown.Decision.Server)
			}
			answer.ConfirmID = shown.ID
			w.Answer(shown.ID, answer)
			<-done
			if d := w.evaluate(serverCall("mcp__github__get", "x", trusted)); d.Behavior != engine.Allow {
				t.Fatalf("the same server: got %s (%s), want allow", d.Behavior, d.Reason)
			}
			for name, other := range map[string]*wire.Server{
				"the project's":        {Name: "github", Source: "project", Definition: "1"},
				"defined in a new way": {Name: "github", Source: "user", Definition: "2"},
				"not found":            {Name: "github", Source: "user", Doubt: wire.DoubtNotFound},
				"not told":             nil,
			} {
				d := w.evaluate(serverCall("mcp__github__get", "x", other))
				if d.Behavior != engine.Ask || !strings.Contains(d.Reason, "github@user#1") {
					t.Errorf("%s: got %s (%s), want an ask that names the server of the rule", name, d.Behavior, d.Reason)
				}
			}
		})
	}
}

// TestT26_TypedRules: rules by name hold for servers defined by the person at the client, and
// denials for everything of that name.
func TestT26_TypedRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
agents:
  worker:
    rules:
      - {tool: "mcp__github__*", behavior: allow}
      - {tool: "mcp__evil", behavior: deny}
      - {tool: "mcp__a__*", behavior: allow}
`)
	for _, tc := range []struct {
		what, tool string
		server     *wire.Server
		want       engine.Behavior
	}{
		{"not told", "mcp__github__get", nil, engine.Allow},
		{"the user's", "mcp__github__get", &wire.Server{Name: "github", Source: "user", Definition: "1"}, engine.Allow},
		{"of one run", "mcp__github__get", &wire.Server{Name: "github", Source: "dynamic"}, engine.Allow},
		{"the project's", "mcp__github__get", &wire.Server{Name: "github", Source: "project", Definition: "1"}, engine.Ask},
		{"a plug-in's", "mcp__github__get", &wire.Server{Name: "github", Source: "plugin"}, engine.Ask},
		{"a word of tomorrow", "mcp__github__get", &wire.Server{Name: "github", Source: "market"}, engine.Ask},
		{"no word", "mcp__github__get", &wire.Server{Name: "github"}, engine.Ask},
		{"claimed twice", "mcp__github__get", &wire.Server{Name: "github", Source: "user", Definition: "1", Doubt: wire.DoubtClaimedTwice}, engine.Ask},
		{"a doubt of tomorrow", "mcp__github__get", &wire.Server{Name: "github", Source: "user", Definition: "1", Doubt: "odd"}, engine.Ask},
		{"denied, the user's", "mcp__evil__get", &wire.Server{Name: "evil", Source: "user", Definition: "1"}, engine.Deny},
		{"denied, not told", "mcp__evil__get", nil, engine.Deny},
		{"two readings", "mcp__a__b__c", nil, engine.Ask},
		{"the outer one", "mcp__a__b__c", &wire.Server{Name: "a", Source: "user", Definition: "1"}, engine.Allow},
		{"the inner one", "mcp__a__b__c", &wire.Server{Name: "a__b", Source: "user", Definition: "1"}, engine.Ask},
	} {
		if d := w.evaluate(serverCall(tc.tool, "x", tc.server)); d.Behavior != tc.want {
			t.Errorf("%s: got %s (%s), want %s", tc.what, d.Behavior, d.Reason, tc.want)
		}
	}
	for what, bad := range map[string]wire.Server{
		"another's name":     {Name: "git", Source: "user"},
		"no name":            {Source: "user"},
		"a source like more": {Name: "github", Source: "user#1"},
		"a long definition":  {Name: "github", Source: "user", Definition: strings.Repeat("1", 100)},
	} {
		if _, err := w.Gate.Evaluate(t.Context(), worker, serverCall("mcp__github__get", "x", &bad)); !errors.Is(err, authority.ErrBadRequest) {
			t.Errorf("%s: got %v, want ErrBadRequest", what, err)
		}
	}
}
