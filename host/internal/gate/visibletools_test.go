package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// several is a catalogue of some tools in Go, of others' modules.
type several struct {
	tool  engine.Tool
	names []string
	// plain are the tools without words of their own that count.
	plain  []string
	broken string
}

func (c several) Lookup(name string) modules.Entry {
	e := modules.Entry{Entry: engine.Entry{Name: name, Tool: c.tool, MayAllow: true, MayReadOnly: true, Own: slices.Contains(c.names, name)}}
	if slices.Contains(c.plain, name) {
		e.MayAllow, e.MayReadOnly = false, false
	}
	if name == c.broken {
		e.Tool, e.Err = nil, errors.New("no module")
	}
	return e
}

func (several) Release() {}

func (c several) Tools() []wire.Tool {
	infos := []wire.Tool{{Name: "mcp__*"}, {Name: "generic", Fallback: true}}
	for _, name := range c.names {
		infos = append(infos, wire.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Summary: "does " + name})
	}
	return infos
}

// offering opens a world of several tools.
func offering(t *testing.T, yaml string) *world {
	t.Helper()
	w := newWorld(t, yaml)
	parts := w.Parts(w.Broker)
	parts.Catalog = func() describe.Snapshot {
		return several{tool: w.Tool, names: []string{"A", "B", "C", "Gone"}, plain: []string{"C"}, broken: "Gone"}
	}
	var err error
	if w.Gate, err = assembly.NewGate(parts); err != nil {
		t.Fatal(err)
	}
	return w
}

func names(o wire.VisibleTools) string {
	var out []string
	for _, tool := range o.Tools {
		if tool.Offered {
			out = append(out, tool.Name)
		}
	}
	return strings.Join(out, " ")
}

// TestOffer has a row for each reason to omit a tool.
func TestOffer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		req        wire.VisibleToolsRequest
		want       string
		// why holds for each omitted tool a part of the reason.
		why map[string]string
	}{
		{name: "nothing said", yaml: "{}", want: "A B C Gone"},
		{name: "further names", yaml: "defaults: {disallowed_tools: [mcp__x]}", req: wire.VisibleToolsRequest{Tools: []string{"mcp__x__a", "mcp__y__a", "A", "other"}}, want: "A B C Gone mcp__y__a other", why: map[string]string{"mcp__x__a": "disallowed_tools"}},
		{name: "disallowed", yaml: "defaults: {disallowed_tools: [a]}", want: "B C Gone", why: map[string]string{"A": "A is on disallowed_tools"}},
		{name: "not allowed", yaml: "defaults: {allowed_tools: [A]}", want: "A", why: map[string]string{"B": "B is not on allowed_tools"}},
		{name: "a skill", yaml: "{}", req: wire.VisibleToolsRequest{Context: wire.CallContext{ActiveSkills: map[string][]string{"s": {"B"}}}}, want: "B", why: map[string]string{"A": `the active skill "s" does not allow A`}},
		{name: "whole-tool deny rules", yaml: "rules: [{deny: A}, {deny: 'B(*)'}, {deny: 'C(x)'}]", want: "C Gone", why: map[string]string{"A": "deny rule A", "B": "deny rule B"}},
		{name: "an agent's deny rule", yaml: "agents: {worker: {rules: [{deny: A}]}}", want: "B C Gone"},
		{name: "another agent's deny rule", yaml: "agents: {other: {rules: [{deny: A}]}}", want: "A B C Gone"},
		{name: "a profile", yaml: `defaults: {profile: {allow: ["tool:A:.*"], ask: ["tool:C:x"]}}`, want: "A C", why: map[string]string{"B": "it denies every call of this tool", "Gone": "no pattern matches it"}},
		{name: "a preset", yaml: "defaults: {profile: open}", want: "A B C Gone"},
		{name: "a profile that does not exist", yaml: "defaults: {profile: opne}", want: "", why: map[string]string{"A": `unknown profile "opne": did you mean open`}},
		{name: "explore", yaml: "defaults: {mode: explore}", want: "A B", why: map[string]string{"C": "mode explore", "Gone": "no module"}},
		{name: "explore, an ask rule", yaml: "{defaults: {mode: explore}, rules: [{ask: 'C(x)'}]}", want: "A B C"},
		{name: "the client's plan mode", yaml: "defaults: {mode: bypass}", req: wire.VisibleToolsRequest{Context: wire.CallContext{Mode: "plan"}}, want: "A B"},
		{name: "dont_ask", yaml: "defaults: {mode: dont_ask}", want: "A B", why: map[string]string{"C": "dont_ask"}},
		{name: "dont_ask, an allow rule", yaml: "{defaults: {mode: dont_ask}, rules: [{allow: 'C(x)'}]}", want: "A B C"},
		{name: "dont_ask, a profile that asks", yaml: `defaults: {mode: dont_ask, profile: {ask: ["tool:A:.*"], allow: ["tool:C:.*"]}}`, want: "", why: map[string]string{"C": "dont_ask"}},
		{name: "dont_ask, a profile within which the tool allows", yaml: `defaults: {mode: dont_ask, profile: {ask: ["tool:A:.*"], allow: ["tool:B:.*"]}}`, want: "B"},
		{name: "dont_ask, an ask rule", yaml: "{defaults: {mode: dont_ask}, rules: [{ask: A}]}", want: "B"},
		{name: "background", yaml: "{}", req: wire.VisibleToolsRequest{Context: wire.CallContext{Kind: "background"}}, want: "A B", why: map[string]string{"C": "a background session may not ask"}},
		{name: "background in bypass", yaml: "defaults: {mode: bypass, kind: background}", want: "A B C"},
		{name: "background, an allow rule for a server", yaml: "{defaults: {kind: background}, rules: [{allow: mcp__x__a}]}", req: wire.VisibleToolsRequest{Tools: []string{"mcp__x__a"}}, want: "A B mcp__x__a"},
		{name: "resumed, an ask rule", yaml: "{defaults: {resume_asks: deny}, rules: [{ask: A}]}", req: wire.VisibleToolsRequest{Context: wire.CallContext{Resumed: true}}, want: "B C Gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := offering(t, tt.yaml)
			got, err := w.Gate.VisibleTools(context.Background(), worker, tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(got); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			tt.req.All = true
			all, err := w.Gate.VisibleTools(context.Background(), worker, tt.req)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range all.Tools {
				if tool.Offered == (tool.Why != "") {
					t.Errorf("%s: offered %t, why %q", tool.Name, tool.Offered, tool.Why)
				}
				if want := tt.why[tool.Name]; !strings.Contains(tool.Why, want) {
					t.Errorf("%s: got %q, want %q", tool.Name, tool.Why, want)
				}
			}
		})
	}
}

// TestOffer_sessions: an approver sees any session with its own mode and rules, a
// check token its own agent and sessions alone.
func TestOffer_sessions(t *testing.T) {
	t.Parallel()
	w := offering(t, "agents: {worker: {user: ann}}\n")
	ctx, approver := context.Background(), authority.Caller{Token: "ann", Kind: authority.Approver}
	w.Check(worker, wire.Request{Tool: "A", Input: json.RawMessage(`{}`), Context: wire.CallContext{Session: "s1", Kind: "background"}})
	plan := engine.Explore
	if err := w.Gate.SetMode(ctx, "s1", &plan, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Gate.AddRule(ctx, "ann", engine.Rule{Tool: "B", Behavior: engine.Deny, Scope: engine.Session, ScopeKey: "s1"}); err != nil {
		t.Fatal(err)
	}
	for name, caller := range map[string]authority.Caller{"approver": approver, "its own token": worker} {
		got, err := w.Gate.VisibleTools(ctx, caller, wire.VisibleToolsRequest{Context: wire.CallContext{Session: "s1"}})
		if err != nil || names(got) != "A" || got.Agent != "worker" || got.Mode != engine.Explore {
			t.Errorf("%s: got %+v, %v; want A alone, for worker in explore", name, got, err)
		}
	}
	for name, tt := range map[string]struct {
		caller authority.Caller
		claim  wire.CallContext
		want   error
	}{
		"another agent":                    {worker, wire.CallContext{Agent: "other"}, authority.ErrNotEntitled},
		"another token's session":          {authority.Caller{Token: "check:other", Agent: "other"}, wire.CallContext{Session: "s1"}, authority.ErrNotEntitled},
		"a session of another agent":       {approver, wire.CallContext{Agent: "other", Session: "s1"}, authority.ErrBadRequest},
		"a session that nobody opened":     {approver, wire.CallContext{Session: "none"}, store.ErrNotFound},
		"a mode that there is not":         {worker, wire.CallContext{Mode: "yolo"}, authority.ErrBadRequest},
		"a directory that is not absolute": {worker, wire.CallContext{CWD: "here"}, authority.ErrBadRequest},
	} {
		if _, err := w.Gate.VisibleTools(ctx, tt.caller, wire.VisibleToolsRequest{Context: tt.claim}); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
	if _, err := w.Gate.VisibleTools(ctx, worker, wire.VisibleToolsRequest{Tools: make([]string, 5000)}); !errors.Is(err, authority.ErrBadRequest) {
		t.Errorf("too many names: got %v", err)
	}
}

// TestOffer_whateverMayPassIsOffered: a tool with an allowed or asking call is offered.
func TestOffer_whateverMayPassIsOffered(t *testing.T) {
	t.Parallel()
	w := offering(t, "{}")
	verdict := engine.Verdict{Behavior: engine.Passthrough}
	w.Tool.Check = func(*engine.Call) engine.Verdict { return verdict }
	rapid.Check(t, func(r *rapid.T) {
		pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(r, label) }
		tools := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C", `"mcp__x__*"`}), 0, 2).Draw(r, label), ", ")
		}
		yaml := fmt.Sprintf("{defaults: {mode: %s, kind: %s, resume_asks: %s, disallowed_tools: [%s]%s%s}, rules: [{%s: %q}, {%s: %q}]}",
			pick("mode", engine.Modes()...), pick("kind", "main", "background"), pick("resume", "ask", "deny"), tools("disallowed"),
			pick("allowed", "", ", allowed_tools: ["+tools("allowed tools")+"]"),
			pick("profile", "", `, profile: {allow: ["tool:A:.*"], ask: ['tool:C:\{"value":"x"\}']}`, `, profile: {ask: ["tool:.*"], deny: ["tool:[AB].*"]}`, ", profile: nowhere", ", profile: open"),
			pick("behavior", "allow", "ask", "deny"), pick("rule", "A", "A(x)", "C", "C(x)", "mcp__x__a"),
			pick("behavior 2", "allow", "ask", "deny"), pick("rule 2", "B", "B(x)", "C(y)", "mcp__x"))
		next, err := parseWorld(w, yaml)
		if err != nil {
			r.Fatal(err)
		}
		*w.Settings = *next
		verdict = engine.Verdict{Behavior: rapid.SampledFrom([]engine.Behavior{engine.Allow, engine.Deny, engine.Ask, engine.Passthrough}).Draw(r, "verdict")}
		req := wire.Request{
			Tool:  pick("tool", "A", "B", "C", "Gone", "mcp__x__a", "other"),
			Input: json.RawMessage(fmt.Sprintf(`{"value":%q}`, pick("value", "x", "y"))),
			Context: wire.CallContext{
				Mode: pick("client mode", "", "plan", "dontAsk"), Kind: pick("client kind", "", "background"), Resumed: rapid.Bool().Draw(r, "resumed"),
			},
		}
		res, err := w.Gate.Evaluate(context.Background(), worker, req)
		if err != nil {
			r.Fatal(err)
		}
		offer, err := w.Gate.VisibleTools(context.Background(), worker, wire.VisibleToolsRequest{Context: req.Context, Tools: []string{req.Tool}})
		if err != nil {
			r.Fatal(err)
		}
		if res.Decision.Behavior != engine.Deny && !slices.Contains(strings.Fields(names(offer)), req.Tool) {
			r.Fatalf("%s is left out, but %s: %+v\n%s", req.Tool, res.Decision.Behavior, res.Decision, yaml)
		}
	})
}

// parseWorld reads another configuration for a world.
func parseWorld(w *world, yaml string) (*config.Config, error) {
	return config.Parse("test.yaml", []byte(yaml), w.Settings.Dirs())
}
