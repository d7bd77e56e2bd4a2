package gate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
)

// TestChild: a sub-agent gets the stricter mode, united denials, what all allow and
// directories of all, whoever says so.
func TestChild(t *testing.T) {
	t.Parallel()
	const yaml = `
rules: [{allow: "Probe(yes)"}]
agents:
  worker:
    mode: %s
    sub_agents:
      reviewer: {disallowed_tools: [Probe]}
      planner: {mode: plan}
      "*": {allowed_tools: [Read]}
`
	deny := []string{"Probe"}
	for _, tc := range []struct {
		name, mode, kind, value string
		child                   *gate.ChildClaim
		want                    engine.Behavior
		says                    string
	}{
		{"none", "default", "", "yes", nil, engine.Allow, ""},
		{"denied to the child", "default", "", "yes", &gate.ChildClaim{Name: "x", DisallowedTools: deny}, engine.Deny, `on disallowed_tools of the sub-agent "x"`},
		{"not allowed to the child", "default", "", "yes", &gate.ChildClaim{Name: "x", AllowedTools: []string{"Read"}}, engine.Deny, "allowed tools are Read"},
		{"nothing allowed to the child", "bypass", "", "yes", &gate.ChildClaim{AllowedTools: []string{}}, engine.Deny, "no tool is allowed"},
		{"allowed to the child", "default", "", "yes", &gate.ChildClaim{AllowedTools: deny}, engine.Allow, ""},
		{"a stricter mode", "bypass", "", "x", &gate.ChildClaim{Mode: "plan"}, engine.Deny, "mode explore"},
		{"a looser mode", "dont_ask", "", "x", &gate.ChildClaim{Mode: "bypassPermissions"}, engine.Deny, "mode dont_ask"},
		{"a grandchild", "bypass", "", "x", &gate.ChildClaim{Mode: "bypass", Child: &gate.ChildClaim{Name: "y", DisallowedTools: deny}}, engine.Deny, `sub-agent "y"`},
		{"between", "bypass", "", "x", &gate.ChildClaim{Name: "y", DisallowedTools: deny, Child: &gate.ChildClaim{AllowedTools: deny}}, engine.Deny, `sub-agent "y"`},
		{"the operator's", "bypass", "reviewer", "x", nil, engine.Deny, `sub-agent "reviewer"`},
		{"the operator's mode", "bypass", "planner", "x", nil, engine.Deny, "mode explore"},
		{"any other", "bypass", "else", "x", nil, engine.Deny, `sub-agent "else"`},
		{"both", "bypass", "planner", "x", &gate.ChildClaim{Mode: "bypass"}, engine.Deny, "mode explore"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fmt.Sprintf(yaml, tc.mode))
			r := call(tc.value)
			r.Context.SubAgentType, r.Context.Child = tc.kind, tc.child
			if res := w.check(worker, r); res.Decision.Behavior != tc.want || !strings.Contains(res.Decision.Message, tc.says) {
				t.Errorf("got %s (%s), want %s saying %q", res.Decision.Behavior, res.Decision.Message, tc.want, tc.says)
			}
		})
	}
}

// TestChild_refused: what is not understood is a bad request, which denies.
func TestChild_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: bypass}}\n")
	deep := &gate.ChildClaim{}
	for range 8 {
		deep = &gate.ChildClaim{Child: deep}
	}
	for want, child := range map[string]*gate.ChildClaim{
		`context.child.mode: mode "auto" is reserved`: {Mode: "auto"},
		`context.child.child.mode: unknown mode`:      {Child: &gate.ChildClaim{Mode: "free"}},
		"more than 8 sub-agents":                      deep,
		"allowed_tools: an entry is empty":            {AllowedTools: []string{""}},
	} {
		r := call("x")
		r.Context.Child = child
		res, err := w.gate.Check(t.Context(), worker, r, nil)
		if !errors.Is(err, gate.ErrBadRequest) || !strings.Contains(err.Error(), want) || res.Decision.Behavior != engine.Deny {
			t.Errorf("got %s, %v, want a bad request saying %q", res.Decision.Behavior, err, want)
		}
	}
}

// TestChild_json: an empty list of allowed tools does not become none on its way.
func TestChild_json(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(gate.ChildClaim{AllowedTools: []string{}, WorkingDirectories: []string{}})
	if want := `{"allowed_tools":[],"working_directories":[]}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

// TestChild_neverLoosens: whatever a call says of a child, or of its child, the call
// is decided no looser than without.
func TestChild_neverLoosens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
rules: [{deny: "Probe(no)"}, {ask: "Probe(ask)"}, {allow: "Probe(yes)"}]
agents:
  default: {mode: default}
  accept: {mode: accept_edits}
  explore: {mode: explore}
  bypass: {mode: bypass}
  trusted: {mode: trusted, respect_denylist: false, disallowed_tools: [Other]}
  dont: {mode: dont_ask}
`)
	w.tool.check = func(c *engine.Call) engine.Verdict {
		switch value(c) {
		case "tool":
			return engine.Verdict{Behavior: engine.Allow}
		case "safety":
			return engine.Verdict{Behavior: engine.Ask, BypassImmune: true}
		}
		return engine.Verdict{Behavior: engine.Passthrough}
	}
	dirs := []string{w.dir, filepath.Join(w.dir, "state"), "/"}
	rapid.Check(t, func(rt *rapid.T) {
		var child func(depth int) *gate.ChildClaim
		child = func(depth int) *gate.ChildClaim {
			if depth > 3 || !rapid.Bool().Draw(rt, "a child") && depth > 0 {
				return nil
			}
			list := func(label string, from []string) []string {
				if !rapid.Bool().Draw(rt, label) {
					return nil
				}
				return rapid.SliceOfN(rapid.SampledFrom(from), 0, 2).Draw(rt, label+" list")
			}
			return &gate.ChildClaim{
				Name: "c", Mode: rapid.SampledFrom([]string{"", "default", "acceptEdits", "plan", "bypass", "trusted", "dontAsk"}).Draw(rt, "mode"),
				AllowedTools: list("allowed", []string{"Probe", "Other", "P*"}), DisallowedTools: list("disallowed", []string{"Probe", "Other"}),
				WorkingDirectories: list("dirs", dirs), Child: child(depth + 1),
			}
		}
		agent := rapid.SampledFrom([]string{"default", "accept", "explore", "bypass", "trusted", "dont"}).Draw(rt, "agent")
		r := gate.Request{Tool: rapid.SampledFrom([]string{"Probe", "Other"}).Draw(rt, "tool"), Context: gate.Claim{Agent: agent, Session: "s-" + agent}}
		r.Input = []byte(fmt.Sprintf(`{"value":%q}`, rapid.SampledFrom([]string{"no", "ask", "yes", "x", "tool", "safety"}).Draw(rt, "value")))
		decide := func(c *gate.ChildClaim) engine.Decision {
			r.Context.Child = c
			res, err := w.gate.Evaluate(t.Context(), gate.Caller{Token: "check:" + agent, Agent: agent}, r)
			if err != nil {
				rt.Fatal(err)
			}
			return res.Decision
		}
		whole := child(0)
		last, narrower := decide(nil), *whole
		// One level more at a time.
		for depth := 1; ; depth++ {
			cut := copied(&narrower, depth)
			d := decide(cut)
			if d.Behavior > last.Behavior || d.Behavior == last.Behavior && last.BypassImmune && !d.BypassImmune {
				rt.Fatalf("with %d children: got %s (%s), without the last %s (%s)", depth, d.Behavior, d.Reason, last.Behavior, last.Reason)
			}
			if last = d; levels(&narrower) == depth {
				return
			}
		}
	})
}

func levels(c *gate.ChildClaim) int {
	if c == nil {
		return 0
	}
	return 1 + levels(c.Child)
}

// copied is the outermost n levels of c.
func copied(c *gate.ChildClaim, n int) *gate.ChildClaim {
	if c == nil || n == 0 {
		return nil
	}
	out := *c
	out.Child = copied(c.Child, n-1)
	return &out
}

// TestSkills: the operator's tools of an active skill hold besides the client's.
func TestSkills(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: bypass, skills: {deploy: [Bash, Read]}}}\n")
	for _, tc := range []struct {
		name   string
		skills map[string][]string
		want   engine.Behavior
	}{
		{"none is active", nil, engine.Allow},
		{"the client does not restrict", map[string][]string{"deploy": nil}, engine.Deny},
		{"the client restricts less", map[string][]string{"deploy": {"Probe"}}, engine.Deny},
		{"another skill", map[string][]string{"review": {"Probe"}}, engine.Allow},
		{"another skill restricts", map[string][]string{"review": {}}, engine.Deny},
	} {
		r := call("x")
		r.Context.ActiveSkills = tc.skills
		if res := w.check(worker, r); res.Decision.Behavior != tc.want || (tc.want == engine.Deny) != (res.Decision.Code == engine.CodeSkill) {
			t.Errorf("%s: got %s %s (%s), want %s", tc.name, res.Decision.Behavior, res.Decision.Code, res.Decision.Reason, tc.want)
		}
	}
}
