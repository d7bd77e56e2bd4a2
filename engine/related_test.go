package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
)

// related is a synthetic call of Read beside a call of Tool.
func related(read *stub, unknown bool) engine.Related {
	entry := engine.Entry{Name: "Read", Aliases: []string{"view"}}
	if read != nil {
		entry.Tool = read
	}
	return engine.Related{Entry: entry, Call: &engine.Call{Tool: "Read"}, Unknown: unknown}
}

// TestCrossTool: deny and ask rules of Read hold for the targets of Tool.
func TestCrossTool(t *testing.T) {
	t.Parallel()
	hit, miss := stub{hits: []string{"secret"}}, stub{}
	cases := []struct {
		name  string
		rules []engine.Rule
		rel   []engine.Related
		want  engine.Behavior // in bypass, where nothing else would ask
		stage engine.Stage
	}{
		{"deny matches", []engine.Rule{rule(engine.Deny, "Read(secret)")}, []engine.Related{related(&hit, false)}, engine.Deny, engine.StageDenyRule},
		{"deny for the whole tool", []engine.Rule{rule(engine.Deny, "Read")}, []engine.Related{related(&miss, false)}, engine.Deny, engine.StageDenyRule},
		{"deny by alias", []engine.Rule{rule(engine.Deny, "view(secret)")}, []engine.Related{related(&hit, false)}, engine.Deny, engine.StageDenyRule},
		{"deny does not match", []engine.Rule{rule(engine.Deny, "Read(secret)")}, []engine.Related{related(&miss, false)}, engine.Allow, engine.StageMode},
		{"second target matches", []engine.Rule{rule(engine.Deny, "Read(secret)")}, []engine.Related{related(&miss, false), related(&hit, false)}, engine.Deny, engine.StageDenyRule},
		{"ask matches", []engine.Rule{rule(engine.Ask, "Read(secret)")}, []engine.Related{related(&hit, false)}, engine.Ask, engine.StageAskRule},
		{"unknown targets count as matched", []engine.Rule{rule(engine.Deny, "Read(secret)")}, []engine.Related{related(&miss, true)}, engine.Deny, engine.StageDenyRule},
		{"unknown targets, ask", []engine.Rule{rule(engine.Ask, "Read(secret)")}, []engine.Related{related(&miss, true)}, engine.Ask, engine.StageAskRule},
		{"unknown targets, no rule of the owner", []engine.Rule{rule(engine.Deny, "Other")}, []engine.Related{related(&miss, true)}, engine.Allow, engine.StageMode},
		{"owner fails at deny", []engine.Rule{rule(engine.Deny, "Read(secret)")}, []engine.Related{related(&stub{matchErr: failing(engine.Deny)}, false)}, engine.Deny, engine.StageError},
		{"owner fails at ask", []engine.Rule{rule(engine.Ask, "Read(secret)")}, []engine.Related{related(&stub{matchErr: failing(engine.Ask)}, false)}, engine.Ask, engine.StageError},
		{"owner without a module", []engine.Rule{rule(engine.Deny, "Read(secret)")}, []engine.Related{related(nil, false)}, engine.Deny, engine.StageError},
		{"own project file ask, owner's deny is elsewhere", []engine.Rule{projectRule(engine.Ask, "Tool"), rule(engine.Ask, "Read(secret)")}, []engine.Related{related(&hit, false)}, engine.Ask, engine.StageAskRule},
		{"no call without targets", []engine.Rule{rule(engine.Deny, "Read")}, nil, engine.Allow, engine.StageMode},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { // not beside the others: they share hit and miss
			req := request(engine.Bypass, &stub{verdict: passthrough}, c.rules...)
			req.Related = c.rel
			d := decide(t, req)
			if d.Behavior != c.want || d.Stage != c.stage {
				t.Errorf("got %s at %s (%s), want %s at %s", d.Behavior, d.Stage, d.Reason, c.want, c.stage)
			}
		})
	}
}

// askedAbout is a tool matching content only for an ask rule.
type askedAbout struct{ stub }

func (a *askedAbout) MatchRule(ctx context.Context, c *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	if b == engine.Ask {
		return a.stub.MatchRule(ctx, c, b, rules)
	}
	return nil, nil
}

// TestWideTargets: a deny rule with possible matches among the targets of a tree asks: in place
// of an allow or an ask, never of a denial.
func TestWideTargets(t *testing.T) {
	t.Parallel()
	for _, mode := range columns {
		for _, wide := range []bool{true, false} {
			req := request(mode, &stub{verdict: passthrough}, rule(engine.Deny, "Read(secret)"))
			without := decide(t, req)
			req.Related = []engine.Related{{
				Entry: engine.Entry{Name: "Read", Tool: &askedAbout{stub{hits: []string{"secret"}}}}, Call: &engine.Call{Tool: "Read"}, Wide: wide,
			}}
			want := without.Behavior
			if wide && want == engine.Allow {
				want = engine.Ask
			}
			if d := decide(t, req); d.Behavior != want || wide && want == engine.Ask && (d.Rule == nil || d.Stage != engine.StageAskRule) {
				t.Errorf("%s, wide %v: got %s at %s (%s), want %s", mode, wide, d.Behavior, d.Stage, d.Reason, want)
			}
		}
	}
}

// TestReadRulesAllowReading: allow rules of Read hold for a call of Tool that only reads, says so
// with the operator's leave, and whose targets are all known, read and named by them.
func TestReadRulesAllowReading(t *testing.T) {
	t.Parallel()
	read := func(value string) engine.Target { return engine.Target{Kind: "path", Value: value, Access: "read"} }
	for name, tc := range map[string]struct {
		change func(*engine.Request, *stub)
		want   engine.Behavior
	}{
		"all of it":             {func(*engine.Request, *stub) {}, engine.Allow},
		"a rule for the tool":   {func(r *engine.Request, _ *stub) { r.Rules = []engine.Rule{rule(engine.Allow, "Read")} }, engine.Ask},
		"a rule of another":     {func(r *engine.Request, _ *stub) { r.Rules = []engine.Rule{rule(engine.Allow, "Write(dir)")} }, engine.Ask},
		"a project's file":      {func(r *engine.Request, _ *stub) { r.Rules = []engine.Rule{projectRule(engine.Allow, "Read(dir)")} }, engine.Ask},
		"it may change":         {func(_ *engine.Request, s *stub) { s.readOnly = false }, engine.Ask},
		"it cannot tell":        {func(_ *engine.Request, s *stub) { s.readOnlyErr = errors.New("trap") }, engine.Ask},
		"without leave to tell": {func(r *engine.Request, _ *stub) { r.Entry.MayReadOnly = false }, engine.Ask},
		"unknown targets":       {func(r *engine.Request, _ *stub) { r.Call.Context.TargetsUnknown = true }, engine.Ask},
		"no targets":            {func(r *engine.Request, _ *stub) { r.Call.Context.Targets, r.Related = nil, nil }, engine.Ask},
		"not prepared":          {func(r *engine.Request, _ *stub) { r.Err = errors.New("no place") }, engine.Ask},
		"a second target": {func(r *engine.Request, _ *stub) {
			r.Call.Context.Targets = append(r.Call.Context.Targets, read("other"))
			r.Related = append(r.Related, engine.Related{Entry: engine.Entry{Name: "Read", Tool: &stub{}}, Call: &engine.Call{Tool: "Read"}, Reads: true})
		}, engine.Ask},
		"one not put to Read": {func(r *engine.Request, _ *stub) {
			r.Call.Context.Targets = append(r.Call.Context.Targets, read("other"))
		}, engine.Ask},
		"one of another tool": {func(r *engine.Request, _ *stub) {
			r.Related = append(r.Related, engine.Related{Entry: engine.Entry{Name: "WebFetch", Tool: &stub{}}, Call: &engine.Call{Tool: "WebFetch"}})
		}, engine.Ask},
		"one it writes":       {func(r *engine.Request, _ *stub) { r.Call.Context.Targets[0].Access = "write" }, engine.Ask},
		"one not resolved":    {func(r *engine.Request, _ *stub) { r.Call.Context.Targets[0].Error = "too long" }, engine.Ask},
		"Read has no module":  {func(r *engine.Request, _ *stub) { r.Related[0].Entry.Tool = nil }, engine.Ask},
		"Read fails":          {func(r *engine.Request, _ *stub) { r.Related[0].Entry.Tool = &stub{matchErr: failing(engine.Allow)} }, engine.Ask},
		"an ask rule":         {func(r *engine.Request, _ *stub) { r.Rules = append(r.Rules, rule(engine.Ask, "Tool")) }, engine.Ask},
		"a deny rule of Read": {func(r *engine.Request, _ *stub) { r.Rules = append(r.Rules, rule(engine.Deny, "Read(dir)")) }, engine.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stub{verdict: passthrough, readOnly: true}
			req := request(engine.DefaultMode, s, rule(engine.Allow, "Read(dir)"))
			req.Call.Context.Targets = []engine.Target{read("dir")}
			req.Related = []engine.Related{{
				Entry: engine.Entry{Name: "Read", Tool: &stub{hits: []string{"dir"}}}, Reads: true,
				Call: &engine.Call{Tool: "Read", Context: engine.Context{Targets: []engine.Target{read("dir")}}},
			}}
			tc.change(&req, s)
			if d := decide(t, req); d.Behavior != tc.want {
				t.Errorf("got %s at %s (%s), want %s", d.Behavior, d.Stage, d.Reason, tc.want)
			}
		})
	}
}

// TestCrossToolNeverAllows: an allow rule of the tool owning a target allows no other call.
func TestCrossToolNeverAllows(t *testing.T) {
	t.Parallel()
	for _, mode := range columns {
		req := request(mode, &stub{verdict: passthrough}, rule(engine.Allow, "Read"), rule(engine.Allow, "Read(secret)"))
		without := decide(t, req)
		req.Related = []engine.Related{related(&stub{hits: []string{"secret"}, verdict: toolAllow, readOnly: true}, false)}
		if with := decide(t, req); with.Behavior != without.Behavior {
			t.Errorf("%s: got %s with the owner's allow rules, %s without", mode, with.Behavior, without.Behavior)
		}
	}
}

// TestOwnRuleIsNamedBeforeTheProjectFiles: with both matching, the operator's
// rule decides, because a project's file alone may not end the table.
func TestOwnRuleIsNamedBeforeTheProjectFiles(t *testing.T) {
	t.Parallel()
	req := request(engine.Explore, &stub{}, projectRule(engine.Ask, "Tool"), rule(engine.Ask, "Read(secret)"))
	req.Related = []engine.Related{related(&stub{hits: []string{"secret"}}, false)}
	d := decide(t, req)
	check(t, d, engine.Ask, engine.StageAskRule, engine.CodeRuleMatched)
	if d.Rule == nil || d.Rule.Source == engine.SourceProjectFile {
		t.Errorf("got rule %+v, want the operator's", d.Rule)
	}
}

// TestOwnRuleDecidesBeforeTargets: the call's own rule is named and the owners
// of its targets are not asked any more.
func TestOwnRuleDecidesBeforeTargets(t *testing.T) {
	t.Parallel()
	owner := stub{hits: []string{"secret"}}
	req := request(engine.DefaultMode, &stub{}, rule(engine.Deny, "Tool"), rule(engine.Deny, "Read(secret)"))
	req.Related = []engine.Related{related(&owner, false)}
	if d := decide(t, req); d.Rule == nil || d.Rule.Tool != "Tool" {
		t.Errorf("got rule %v, want the call's own", d.Rule)
	}
	if len(owner.asked) != 0 {
		t.Errorf("the owner of the target was asked %v", owner.asked)
	}
}
