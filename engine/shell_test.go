package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"pgregory.net/rapid"
)

// twoShells answers as one stub in a fresh shell and as another in a changed one.
type twoShells struct{ fresh, changed *stub }

func (s twoShells) of(c *engine.Call) *stub {
	if len(c.Context.ShellChanged) > 0 {
		return s.changed
	}
	return s.fresh
}

func (s twoShells) CheckPermissions(ctx context.Context, c *engine.Call) (engine.Verdict, error) {
	return s.of(c).CheckPermissions(ctx, c)
}

func (s twoShells) CheckReadOnly(ctx context.Context, c *engine.Call) (engine.ReadOnly, error) {
	return s.of(c).CheckReadOnly(ctx, c)
}

func (s twoShells) MatchRule(ctx context.Context, c *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	return s.of(c).MatchRule(ctx, c, b, rules)
}

func (s twoShells) GenerateSuggestions(ctx context.Context, c *engine.Call) ([]engine.SuggestedRule, error) {
	return s.of(c).GenerateSuggestions(ctx, c)
}

// TestT24_changedShellNeverLoosens: for any answer of a tool in a changed shell, the decision
// is at least as strict as in a fresh one, and no ask loses its immunity.
func TestT24_changedShellNeverLoosens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		if s.req.Entry.Tool == nil {
			t.Skip("no module")
		}
		s.req.Entry.Tool = twoShells{s.tool, drawTool(t, "in a changed shell")}
		if rapid.Bool().Draw(t, "unsettled") {
			s.req.Unsettled = "another call moves"
		}
		fresh := engine.Decide(t.Context(), s.req)
		s.req.Call.Context.ShellChanged = []string{"directory"}
		changed := engine.Decide(t.Context(), s.req)
		if looser(changed, fresh) || fresh.BypassImmune && changed.Behavior == engine.Ask && !changed.BypassImmune {
			t.Fatalf("fresh: %s, immune %t\nchanged: %s at %s, immune %t\ntrace %+v", fresh.Behavior, fresh.BypassImmune, changed.Behavior, changed.Stage, changed.BypassImmune, changed.Trace)
		}
		for _, o := range changed.Suggestions {
			if o.Set != 1 {
				continue
			}
			more := s.req
			more.Rules = slices.Clone(more.Rules)
			for _, same := range changed.Suggestions {
				if same.Set == o.Set {
					more.Rules = append(more.Rules, engine.Rule{Tool: same.Tool, Content: same.Content, Behavior: same.Behavior})
				}
			}
			if d := engine.Decide(t.Context(), more); d.Behavior != engine.Allow && more.Unsettled == "" {
				t.Fatalf("with its suggestion %+v: %s at %s", o, d.Behavior, d.Stage)
			}
		}
	})
}

// TestShellChanged_tells: an allow held back by a changed shell says so; a rule for the whole
// tool is the engine's own and holds.
func TestShellChanged_tells(t *testing.T) {
	t.Parallel()
	two := twoShells{&stub{hits: []string{"a"}, verdict: passthrough}, &stub{verdict: passthrough}}
	for rules, want := range map[string]engine.Behavior{"Tool(a)": engine.Ask, "Tool": engine.Allow} {
		req := request(engine.DefaultMode, nil, rule(engine.Allow, rules))
		req.Entry.Tool = two
		if d := engine.Decide(t.Context(), req); d.Behavior != engine.Allow {
			t.Errorf("%s, fresh: got %s", rules, d.Behavior)
		}
		req.Call.Context.ShellChanged = []string{"directory", "environment"}
		req.Call.Context.Approver = "ann"
		d := engine.Decide(t.Context(), req)
		if d.Behavior != want {
			t.Errorf("%s, changed: got %s at %s, want %s", rules, d.Behavior, d.Stage, want)
		}
		if d.Behavior == engine.Ask && (d.Code != engine.CodeShellChanged || !strings.Contains(d.Reason, "the shell's directory and environment")) {
			t.Errorf("%s: got %s: %s", rules, d.Code, d.Reason)
		}
	}
}

// TestT24_resumed: an ask rule hidden by a changed shell behind another ask still denies in a
// resumed session. The attack: cd, then the call.
func TestT24_resumed(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, nil, rule(engine.Ask, "Tool(a)"))
	req.Entry.Tool = twoShells{&stub{hits: []string{"a"}, verdict: passthrough}, &stub{verdict: engine.Verdict{Behavior: engine.Ask, BypassImmune: true}}}
	req.Call.Context.ShellChanged = []string{"directory"}
	d := engine.Decide(t.Context(), req)
	if d.Behavior != engine.Ask || d.Stage != engine.StageAskRule || !d.BypassImmune {
		t.Errorf("got %s at %s, immune %t; want the rule's ask, immune", d.Behavior, d.Stage, d.BypassImmune)
	}
	req.Call.Context.Resumed = true
	if d := engine.Decide(t.Context(), req); d.Behavior != engine.Deny {
		t.Errorf("resumed: got %s at %s", d.Behavior, d.Stage)
	}
}

// TestShellChanged_ownCheck: the tool's word on the shell as it was at first counts
// when it is the stricter one.
func TestShellChanged_ownCheck(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, nil)
	req.Entry.Tool = twoShells{&stub{verdict: engine.Verdict{Behavior: engine.Deny}}, &stub{verdict: passthrough}}
	req.Call.Context.ShellChanged = []string{"directory"}
	if d := engine.Decide(t.Context(), req); d.Behavior != engine.Deny || d.Stage != engine.StageToolCheck {
		t.Errorf("got %s at %s, want the tool's denial", d.Behavior, d.Stage)
	}
}

// TestRelated_reason: a rule about another tool's target describes the call's effect on it.
func TestRelated_reason(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, nil, rule(engine.Deny, "Owner(a)"))
	req.Related = []engine.Related{{
		Entry: engine.Entry{Name: "Owner", Tool: &stub{hits: []string{"a"}}}, Call: req.Call, Does: "reads secrets/key",
	}}
	if d := engine.Decide(t.Context(), req); d.Reason != "deny rule Owner(a): the call reads secrets/key" {
		t.Errorf("got %q", d.Reason)
	}
}

// TestShellChanged_unsettled: an ask no rule helps says so before the shell does.
func TestShellChanged_unsettled(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, nil, rule(engine.Allow, "Tool(a)"))
	req.Entry.Tool = twoShells{&stub{hits: []string{"a"}, verdict: passthrough}, &stub{verdict: passthrough}}
	req.Unsettled = "another call moves"
	req.Call.Context.ShellChanged = []string{"directory"}
	if d := engine.Decide(t.Context(), req); d.Behavior != engine.Ask || d.Code != engine.CodeUnsettled {
		t.Errorf("got %s, %s", d.Behavior, d.Code)
	}
}

// A rule that fails in a changed shell asks in place of the tool's safety check, and the
// ask stays immune as it is in a fresh shell. It once did not.
func TestT24_failedRuleKeepsImmunity(t *testing.T) {
	t.Parallel()
	failing := &stub{verdictErr: errVerb, matchErr: map[engine.Behavior]error{engine.Ask: errVerb}}
	req := engine.Request{
		Call:  &engine.Call{Tool: "Tool"},
		Entry: engine.Entry{Name: "Tool", Tool: twoShells{&stub{verdict: immuneAsk}, failing}},
		Rules: []engine.Rule{{Tool: "Tool", Behavior: engine.Ask, Content: content("a")}},
	}
	for _, changed := range [][]string{nil, {"directory"}} {
		req.Call.Context.ShellChanged = changed
		if d := engine.Decide(t.Context(), req); d.Behavior != engine.Ask || !d.BypassImmune {
			t.Errorf("changed %v: got %s at %s, immune %t", changed, d.Behavior, d.Stage, d.BypassImmune)
		}
	}
}
