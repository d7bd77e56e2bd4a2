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
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
)

// TestChild: a sub-agent gets the stricter mode, united denials, common allowances and
// directories of all, from any source.
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
		child                   *wire.Child
		want                    engine.Behavior
		says                    string
	}{
		{"none", "default", "", "yes", nil, engine.Allow, ""},
		{"denied to the child", "default", "", "yes", &wire.Child{Name: "x", DisallowedTools: deny}, engine.Deny, `on disallowed_tools of the sub-agent "x"`},
		{"not allowed to the child", "default", "", "yes", &wire.Child{Name: "x", AllowedTools: []string{"Read"}}, engine.Deny, "allowed tools are Read"},
		{"nothing allowed to the child", "bypass", "", "yes", &wire.Child{AllowedTools: []string{}}, engine.Deny, "no tool is allowed"},
		{"allowed to the child", "default", "", "yes", &wire.Child{AllowedTools: deny}, engine.Allow, ""},
		{"a stricter mode", "bypass", "", "x", &wire.Child{Mode: "plan"}, engine.Deny, "mode explore"},
		{"a looser mode", "dont_ask", "", "x", &wire.Child{Mode: "bypassPermissions"}, engine.Deny, "mode dont_ask"},
		{"a grandchild", "bypass", "", "x", &wire.Child{Mode: "bypass", Child: &wire.Child{Name: "y", DisallowedTools: deny}}, engine.Deny, `sub-agent "y"`},
		{"between", "bypass", "", "x", &wire.Child{Name: "y", DisallowedTools: deny, Child: &wire.Child{AllowedTools: deny}}, engine.Deny, `sub-agent "y"`},
		{"the operator's", "bypass", "reviewer", "x", nil, engine.Deny, `sub-agent "reviewer"`},
		{"the operator's mode", "bypass", "planner", "x", nil, engine.Deny, "mode explore"},
		{"any other", "bypass", "else", "x", nil, engine.Deny, `sub-agent "else"`},
		{"both", "bypass", "planner", "x", &wire.Child{Mode: "bypass"}, engine.Deny, "mode explore"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fmt.Sprintf(yaml, tc.mode))
			r := call(tc.value)
			r.Context.SubAgentType, r.Context.Child = tc.kind, tc.child
			if res := w.Check(worker, r); res.Decision.Behavior != tc.want || !strings.Contains(res.Decision.Message, tc.says) {
				t.Errorf("got %s (%s), want %s saying %q", res.Decision.Behavior, res.Decision.Message, tc.want, tc.says)
			}
		})
	}
}

// TestChild_refused: an unknown claim is a bad request and denies.
func TestChild_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: bypass}}\n")
	deep := &wire.Child{}
	for range 8 {
		deep = &wire.Child{Child: deep}
	}
	for want, child := range map[string]*wire.Child{
		`context.child.mode: mode "auto" is reserved`: {Mode: "auto"},
		`context.child.child.mode: unknown mode`:      {Child: &wire.Child{Mode: "free"}},
		"more than 8 sub-agents":                      deep,
		"allowed_tools: an entry is empty":            {AllowedTools: []string{""}},
	} {
		r := call("x")
		r.Context.Child = child
		res, err := w.Gate.Check(t.Context(), worker, r, nil)
		if !errors.Is(err, authority.ErrBadRequest) || !strings.Contains(err.Error(), want) || res.Decision.Behavior != engine.Deny {
			t.Errorf("got %s, %v, want a bad request saying %q", res.Decision.Behavior, err, want)
		}
	}
}

// TestChild_json: an empty list of allowed tools does not become none on its way.
func TestChild_json(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(wire.Child{AllowedTools: []string{}, WorkingDirectories: []string{}})
	if want := `{"allowed_tools":[],"working_directories":[]}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

// TestChild_neverLoosens: with any claim of a child, or of its child, the call is decided no
// looser than without.
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
	w.Tool.Check = func(c *engine.Call) engine.Verdict {
		switch value(c) {
		case "tool":
			return engine.Verdict{Behavior: engine.Allow}
		case "safety":
			return engine.Verdict{Behavior: engine.Ask, BypassImmune: true}
		}
		return engine.Verdict{Behavior: engine.Passthrough}
	}
	dirs := []string{w.Dir, filepath.Join(w.Dir, "state"), "/"}
	rapid.Check(t, func(rt *rapid.T) {
		var child func(depth int) *wire.Child
		child = func(depth int) *wire.Child {
			if depth > 3 || !rapid.Bool().Draw(rt, "a child") && depth > 0 {
				return nil
			}
			list := func(label string, from []string) []string {
				if !rapid.Bool().Draw(rt, label) {
					return nil
				}
				return rapid.SliceOfN(rapid.SampledFrom(from), 0, 2).Draw(rt, label+" list")
			}
			return &wire.Child{
				Name: "c", Mode: rapid.SampledFrom([]string{"", "default", "acceptEdits", "plan", "bypass", "trusted", "dontAsk"}).Draw(rt, "mode"),
				AllowedTools: list("allowed", []string{"Probe", "Other", "P*"}), DisallowedTools: list("disallowed", []string{"Probe", "Other"}),
				WorkingDirectories: list("dirs", dirs), Child: child(depth + 1),
			}
		}
		agent := rapid.SampledFrom([]string{"default", "accept", "explore", "bypass", "trusted", "dont"}).Draw(rt, "agent")
		r := wire.Request{Tool: rapid.SampledFrom([]string{"Probe", "Other"}).Draw(rt, "tool"), Context: wire.CallContext{Agent: agent, Session: "s-" + agent}}
		r.Input = []byte(fmt.Sprintf(`{"value":%q}`, rapid.SampledFrom([]string{"no", "ask", "yes", "x", "tool", "safety"}).Draw(rt, "value")))
		decide := func(c *wire.Child) engine.Decision {
			r.Context.Child = c
			res, err := w.Gate.Evaluate(t.Context(), authority.Caller{Token: "check:" + agent, Agent: agent}, r)
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

func levels(c *wire.Child) int {
	if c == nil {
		return 0
	}
	return 1 + levels(c.Child)
}

// copied is the outermost n levels of c.
func copied(c *wire.Child, n int) *wire.Child {
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
		if res := w.Check(worker, r); res.Decision.Behavior != tc.want || (tc.want == engine.Deny) != (res.Decision.Code == engine.CodeSkill) {
			t.Errorf("%s: got %s %s (%s), want %s", tc.name, res.Decision.Behavior, res.Decision.Code, res.Decision.Reason, tc.want)
		}
	}
}
