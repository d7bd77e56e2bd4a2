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
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// several is a catalogue of some tools in Go, of others' modules.
type several struct {
	tool  engine.Tool
	names []string
	// plain are the tools whose own words do not count.
	plain  []string
	broken string
}

func (c several) Lookup(name string) catalog.Entry {
	e := catalog.Entry{Entry: engine.Entry{Name: name, Tool: c.tool, MayAllow: true, MayReadOnly: true, Own: slices.Contains(c.names, name)}}
	if slices.Contains(c.plain, name) {
		e.MayAllow, e.MayReadOnly = false, false
	}
	if name == c.broken {
		e.Tool, e.Err = nil, errors.New("no module")
	}
	return e
}

func (several) Release() {}

func (c several) Tools() []catalog.Info {
	infos := []catalog.Info{{Name: "mcp__*"}, {Name: "generic", Fallback: true}}
	for _, name := range c.names {
		infos = append(infos, catalog.Info{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Summary: "does " + name})
	}
	return infos
}

// offering opens a world of several tools.
func offering(t *testing.T, yaml string) *world {
	t.Helper()
	w := newWorld(t, yaml)
	parts := w.partsWith(w.broker)
	parts.Catalog = func() gate.Snapshot {
		return several{tool: w.tool, names: []string{"A", "B", "C", "Gone"}, plain: []string{"C"}, broken: "Gone"}
	}
	var err error
	if w.gate, err = gate.New(parts); err != nil {
		t.Fatal(err)
	}
	return w
}

func names(o gate.Offering) string {
	var out []string
	for _, tool := range o.Tools {
		if tool.Offered {
			out = append(out, tool.Name)
		}
	}
	return strings.Join(out, " ")
}

// TestOffer has a row for each thing that leaves a tool out.
func TestOffer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		req        gate.OfferRequest
		want       string
		// why says of each tool that is left out a part of the reason.
		why map[string]string
	}{
		{name: "nothing said", yaml: "{}", want: "A B C Gone"},
		{name: "further names", yaml: "defaults: {disallowed_tools: [mcp__x]}", req: gate.OfferRequest{Tools: []string{"mcp__x__a", "mcp__y__a", "A", "other"}}, want: "A B C Gone mcp__y__a other", why: map[string]string{"mcp__x__a": "disallowed_tools"}},
		{name: "disallowed", yaml: "defaults: {disallowed_tools: [a]}", want: "B C Gone", why: map[string]string{"A": "A is on disallowed_tools"}},
		{name: "not allowed", yaml: "defaults: {allowed_tools: [A]}", want: "A", why: map[string]string{"B": "B is not on allowed_tools"}},
		{name: "a skill", yaml: "{}", req: gate.OfferRequest{Context: gate.Claim{ActiveSkills: map[string][]string{"s": {"B"}}}}, want: "B", why: map[string]string{"A": `the active skill "s" does not allow A`}},
		{name: "whole-tool deny rules", yaml: "rules: [{deny: A}, {deny: 'B(*)'}, {deny: 'C(x)'}]", want: "C Gone", why: map[string]string{"A": "deny rule A", "B": "deny rule B"}},
		{name: "an agent's deny rule", yaml: "agents: {worker: {rules: [{deny: A}]}}", want: "B C Gone"},
		{name: "another agent's deny rule", yaml: "agents: {other: {rules: [{deny: A}]}}", want: "A B C Gone"},
		{name: "a profile", yaml: `defaults: {profile: {allow: ["tool:A:.*"], ask: ["tool:C:x"]}}`, want: "A C", why: map[string]string{"B": "it denies every call of this tool", "Gone": "no pattern speaks of it"}},
		{name: "a preset", yaml: "defaults: {profile: open}", want: "A B C Gone"},
		{name: "a profile that does not exist", yaml: "defaults: {profile: opne}", want: "", why: map[string]string{"A": `there is no profile "opne": did you mean open`}},
		{name: "explore", yaml: "defaults: {mode: explore}", want: "A B", why: map[string]string{"C": "mode explore", "Gone": "no module"}},
		{name: "explore, an ask rule", yaml: "{defaults: {mode: explore}, rules: [{ask: 'C(x)'}]}", want: "A B C"},
		{name: "the client's plan mode", yaml: "defaults: {mode: bypass}", req: gate.OfferRequest{Context: gate.Claim{Mode: "plan"}}, want: "A B"},
		{name: "dont_ask", yaml: "defaults: {mode: dont_ask}", want: "A B", why: map[string]string{"C": "dont_ask"}},
		{name: "dont_ask, an allow rule", yaml: "{defaults: {mode: dont_ask}, rules: [{allow: 'C(x)'}]}", want: "A B C"},
		{name: "dont_ask, a profile that asks", yaml: `defaults: {mode: dont_ask, profile: {ask: ["tool:A:.*"], allow: ["tool:C:.*"]}}`, want: "C"},
		{name: "dont_ask, an ask rule", yaml: "{defaults: {mode: dont_ask}, rules: [{ask: A}]}", want: "B"},
		{name: "background", yaml: "{}", req: gate.OfferRequest{Context: gate.Claim{Kind: "background"}}, want: "A B", why: map[string]string{"C": "a background session may not ask"}},
		{name: "background in bypass", yaml: "defaults: {mode: bypass, kind: background}", want: "A B C"},
		{name: "background, an allow rule for a server", yaml: "{defaults: {kind: background}, rules: [{allow: mcp__x__a}]}", req: gate.OfferRequest{Tools: []string{"mcp__x__a"}}, want: "A B mcp__x__a"},
		{name: "resumed, an ask rule", yaml: "{defaults: {resume_asks: deny}, rules: [{ask: A}]}", req: gate.OfferRequest{Context: gate.Claim{Resumed: true}}, want: "B C Gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := offering(t, tt.yaml)
			got, err := w.gate.Offer(context.Background(), worker, tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(got); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			tt.req.All = true
			all, err := w.gate.Offer(context.Background(), worker, tt.req)
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
	ctx, approver := context.Background(), gate.Caller{Token: "ann", Standing: gate.Approver}
	w.check(worker, gate.Request{Tool: "A", Input: json.RawMessage(`{}`), Context: gate.Claim{Session: "s1", Kind: "background"}})
	plan := engine.Explore
	if err := w.gate.SetMode(ctx, "s1", &plan, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.gate.AddRule(ctx, "ann", engine.Rule{Tool: "B", Behavior: engine.Deny, Scope: engine.Session, ScopeKey: "s1"}); err != nil {
		t.Fatal(err)
	}
	for name, caller := range map[string]gate.Caller{"approver": approver, "its own token": worker} {
		got, err := w.gate.Offer(ctx, caller, gate.OfferRequest{Context: gate.Claim{Session: "s1"}})
		if err != nil || names(got) != "A" || got.Agent != "worker" || got.Mode != engine.Explore {
			t.Errorf("%s: got %+v, %v; want A alone, for worker in explore", name, got, err)
		}
	}
	for name, tt := range map[string]struct {
		caller gate.Caller
		claim  gate.Claim
		want   error
	}{
		"another agent":                    {worker, gate.Claim{Agent: "other"}, gate.ErrNotEntitled},
		"another token's session":          {gate.Caller{Token: "check:other", Agent: "other"}, gate.Claim{Session: "s1"}, gate.ErrNotEntitled},
		"a session of another agent":       {approver, gate.Claim{Agent: "other", Session: "s1"}, gate.ErrBadRequest},
		"a session that nobody opened":     {approver, gate.Claim{Session: "none"}, store.ErrNotFound},
		"a mode that there is not":         {worker, gate.Claim{Mode: "yolo"}, gate.ErrBadRequest},
		"a directory that is not absolute": {worker, gate.Claim{CWD: "here"}, gate.ErrBadRequest},
	} {
		if _, err := w.gate.Offer(ctx, tt.caller, gate.OfferRequest{Context: tt.claim}); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
	if _, err := w.gate.Offer(ctx, worker, gate.OfferRequest{Tools: make([]string, 5000)}); !errors.Is(err, gate.ErrBadRequest) {
		t.Errorf("too many names: got %v", err)
	}
}

// TestOffer_whateverMayPassIsOffered: a tool of which a call was allowed or asked
// about is offered.
func TestOffer_whateverMayPassIsOffered(t *testing.T) {
	t.Parallel()
	w := offering(t, "{}")
	verdict := engine.Verdict{Behavior: engine.Passthrough}
	w.tool.check = func(*engine.Call) engine.Verdict { return verdict }
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
		*w.settings = *next
		verdict = engine.Verdict{Behavior: rapid.SampledFrom([]engine.Behavior{engine.Allow, engine.Deny, engine.Ask, engine.Passthrough}).Draw(r, "verdict")}
		req := gate.Request{
			Tool:  pick("tool", "A", "B", "C", "Gone", "mcp__x__a", "other"),
			Input: json.RawMessage(fmt.Sprintf(`{"value":%q}`, pick("value", "x", "y"))),
			Context: gate.Claim{
				Mode: pick("client mode", "", "plan", "dontAsk"), Kind: pick("client kind", "", "background"), Resumed: rapid.Bool().Draw(r, "resumed"),
			},
		}
		res, err := w.gate.Evaluate(context.Background(), worker, req)
		if err != nil {
			r.Fatal(err)
		}
		offer, err := w.gate.Offer(context.Background(), worker, gate.OfferRequest{Context: req.Context, Tools: []string{req.Tool}})
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
	return config.Parse("test.yaml", []byte(yaml), w.settings.Dirs())
}
