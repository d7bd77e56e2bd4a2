package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// The columns of the package comment's table, in its order. Trusted has bypass's column.
var columns = []engine.Mode{engine.DefaultMode, engine.AcceptEdits, engine.Explore, engine.Bypass, engine.DontAsk, engine.Trusted}

var (
	passthrough = engine.Verdict{Behavior: engine.Passthrough}
	plainAsk    = engine.Verdict{Behavior: engine.Ask, Reason: "looks odd"}
	immuneAsk   = engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "writes ~/.bashrc"}
	toolAllow   = engine.Verdict{Behavior: engine.Allow}
	toolDeny    = engine.Verdict{Behavior: engine.Deny, Reason: "never"}
)

// tableRow is one row: the tool's and the rules' answers, and each column's, written
// "BEHAVIOR:stage:code".
type tableRow struct {
	name  string
	tool  stub
	rules []engine.Rule
	alter func(*engine.Request)
	want  [5]string // default, accept_edits, explore, bypass, dont_ask
}

var tableRows = []tableRow{
	{
		name: "1 deny rule", tool: stub{verdict: toolAllow, readOnly: true, hits: []string{"x"}},
		rules: []engine.Rule{rule(engine.Deny, "Tool(x)"), rule(engine.Ask, "Tool"), rule(engine.Allow, "Tool")},
		want:  row("DENY:deny_rule:rule_matched"),
	},
	{
		name: "1 deny rule for the whole tool", tool: stub{verdict: toolAllow, readOnly: true},
		rules: []engine.Rule{rule(engine.Deny, "Tool"), rule(engine.Allow, "Tool")},
		want:  row("DENY:deny_rule:rule_matched"),
	},
	{
		name: "1 project file deny rule", tool: stub{verdict: toolAllow, readOnly: true, hits: []string{"x"}},
		rules: []engine.Rule{projectRule(engine.Deny, "Tool(x)"), rule(engine.Allow, "Tool")},
		want:  row("DENY:deny_rule:rule_matched"),
	},
	{
		name: "2 ask rule", tool: stub{verdict: toolAllow, readOnly: true, hits: []string{"x"}},
		rules: []engine.Rule{rule(engine.Ask, "Tool(x)"), rule(engine.Allow, "Tool")},
		want: [5]string{"ASK:ask_rule:rule_matched", "ASK:ask_rule:rule_matched", "ASK:ask_rule:rule_matched",
			"ASK:ask_rule:rule_matched", "DENY:ask_rule:rule_matched"},
	},
	{
		name: "2 project file ask rule, call not read-only", tool: stub{verdict: passthrough, hits: []string{"x"}},
		rules: []engine.Rule{projectRule(engine.Ask, "Tool(x)"), rule(engine.Allow, "Tool")},
		want: [5]string{"ASK:ask_rule:rule_matched", "ASK:ask_rule:rule_matched", "DENY:read_only:mutation_in_explore",
			"ASK:ask_rule:rule_matched", "DENY:ask_rule:rule_matched"},
	},
	{
		name: "2 project file ask rule, call read-only", tool: stub{verdict: passthrough, readOnly: true, hits: []string{"x"}},
		rules: []engine.Rule{projectRule(engine.Ask, "Tool(x)")},
		want: [5]string{"ASK:ask_rule:rule_matched", "ASK:ask_rule:rule_matched", "ASK:ask_rule:rule_matched",
			"ASK:ask_rule:rule_matched", "DENY:mode:mode_deny"},
	},
	{
		name: "2 project file ask rule, tool denies", tool: stub{verdict: toolDeny, hits: []string{"x"}},
		rules: []engine.Rule{projectRule(engine.Ask, "Tool(x)")},
		want: [5]string{"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny", "DENY:read_only:mutation_in_explore",
			"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny"},
	},
	{
		name: "3a check_read_only true", tool: stub{verdict: passthrough, readOnly: true},
		want: [5]string{"ASK:mode:mode_ask", "ALLOW:read_only:read_only", "ALLOW:read_only:read_only",
			"ALLOW:mode:mode_allow", "DENY:mode:mode_deny"},
	},
	{
		name: "3a check_read_only true beats the tool's own denial", tool: stub{verdict: toolDeny, readOnly: true},
		want: [5]string{"DENY:tool_check:tool_deny", "ALLOW:read_only:read_only", "ALLOW:read_only:read_only",
			"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny"},
	},
	{
		name: "3a check_read_only false", tool: stub{verdict: toolAllow}, rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"ALLOW:tool_check:tool_allow", "ALLOW:tool_check:tool_allow", "DENY:read_only:mutation_in_explore",
			"ALLOW:tool_check:tool_allow", "ALLOW:tool_check:tool_allow"},
	},
	{
		name: "3a check_read_only true without may_read_only", tool: stub{verdict: passthrough, readOnly: true},
		alter: func(r *engine.Request) { r.Entry.MayReadOnly = false },
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:mode:mode_deny"},
	},
	{
		name: "3b allow without may_allow", tool: stub{verdict: toolAllow},
		alter: func(r *engine.Request) { r.Entry.MayAllow = false },
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:mode:mode_deny"},
	},
	{
		name: "3b deny", tool: stub{verdict: toolDeny}, rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny", "DENY:read_only:mutation_in_explore",
			"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny"},
	},
	{
		name: "3b ask, bypass_immune", tool: stub{verdict: immuneAsk}, rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"ASK:tool_check:safety_check", "ASK:tool_check:safety_check", "DENY:read_only:mutation_in_explore",
			"ALLOW:allow_rule:rule_matched", "DENY:tool_check:safety_check"},
	},
	{
		name: "3b ask, bypass_immune, no rule", tool: stub{verdict: immuneAsk},
		want: [5]string{"ASK:tool_check:safety_check", "ASK:tool_check:safety_check", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:tool_check:safety_check"},
	},
	{
		name: "3b ask, plain", tool: stub{verdict: plainAsk},
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:tool_check:tool_ask"},
	},
	{
		name: "3b ask, plain, allow rule", tool: stub{verdict: plainAsk}, rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"ALLOW:allow_rule:rule_matched", "ALLOW:allow_rule:rule_matched", "DENY:read_only:mutation_in_explore",
			"ALLOW:allow_rule:rule_matched", "DENY:tool_check:tool_ask"},
	},
	{
		name: "3b passthrough", tool: stub{verdict: passthrough},
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:mode:mode_deny"},
	},
	{
		name: "4 allow rule", tool: stub{verdict: passthrough, hits: []string{"x"}},
		rules: []engine.Rule{rule(engine.Allow, "Tool(x)")},
		want: [5]string{"ALLOW:allow_rule:rule_matched", "ALLOW:allow_rule:rule_matched", "DENY:read_only:mutation_in_explore",
			"ALLOW:allow_rule:rule_matched", "ALLOW:allow_rule:rule_matched"},
	},
	{
		name: "4 allow rule of a project file", tool: stub{verdict: passthrough, hits: []string{"x"}},
		rules: []engine.Rule{projectRule(engine.Allow, "Tool(x)"), projectRule(engine.Allow, "Tool")},
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:mode:mode_deny"},
	},
	{
		name: "4 allow rule that does not match", tool: stub{verdict: passthrough},
		rules: []engine.Rule{rule(engine.Allow, "Tool(x)"), rule(engine.Allow, "Other")},
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:mode:mode_deny"},
	},
	{
		name: "profile denies", tool: stub{verdict: toolAllow, readOnly: true}, rules: []engine.Rule{rule(engine.Allow, "Tool")},
		alter: profile(engine.Deny), want: row("DENY:profile:profile"),
	},
	{
		name: "profile without an opinion denies", tool: stub{verdict: toolAllow, readOnly: true},
		alter: profile(engine.Passthrough), want: row("DENY:profile:profile"),
	},
	{
		name: "profile asks", tool: stub{verdict: toolAllow, readOnly: true}, rules: []engine.Rule{rule(engine.Allow, "Tool")},
		alter: profile(engine.Ask),
		want: [5]string{"ASK:profile:profile", "ASK:profile:profile", "ASK:profile:profile",
			"ASK:profile:profile", "DENY:profile:profile"},
	},
	{
		name: "profile asks about what is denied", tool: stub{verdict: toolDeny}, alter: profile(engine.Ask),
		want: [5]string{"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny", "DENY:read_only:mutation_in_explore",
			"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny"},
	},
	{
		name: "profile allows: as without one", tool: stub{verdict: plainAsk}, alter: profile(engine.Allow),
		want: [5]string{"ASK:mode:mode_ask", "ASK:mode:mode_ask", "DENY:read_only:mutation_in_explore",
			"ALLOW:mode:mode_allow", "DENY:tool_check:tool_ask"},
	},
	{
		name: "profile allows, tool denies", tool: stub{verdict: toolDeny}, alter: profile(engine.Allow),
		want: [5]string{"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny", "DENY:read_only:mutation_in_explore",
			"DENY:tool_check:tool_deny", "DENY:tool_check:tool_deny"},
	},
	{
		name: "error: check_read_only", tool: stub{verdict: passthrough, readOnly: true, readOnlyErr: errVerb},
		rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"ALLOW:allow_rule:rule_matched", "ASK:error:tool_error", "DENY:error:tool_error",
			"ALLOW:allow_rule:rule_matched", "ALLOW:allow_rule:rule_matched"},
	},
	{
		name: "error: check_permissions", tool: stub{verdict: toolAllow, verdictErr: errVerb},
		rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:read_only:mutation_in_explore",
			"ASK:error:tool_error", "DENY:error:tool_error"},
	},
	{
		name: "error: check_permissions answers rubbish", tool: stub{verdict: engine.Verdict{Behavior: 77}},
		rules: []engine.Rule{rule(engine.Allow, "Tool")},
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:read_only:mutation_in_explore",
			"ASK:error:tool_error", "DENY:error:tool_error"},
	},
	{
		name: "error: match_rule for deny rules", tool: stub{verdict: toolAllow, readOnly: true, matchErr: failing(engine.Deny)},
		rules: []engine.Rule{rule(engine.Deny, "Tool(x)"), rule(engine.Allow, "Tool")},
		want:  row("DENY:error:tool_error"),
	},
	{
		name: "error: match_rule for ask rules", tool: stub{verdict: toolAllow, readOnly: true, matchErr: failing(engine.Ask)},
		rules: []engine.Rule{rule(engine.Ask, "Tool(x)"), rule(engine.Allow, "Tool")},
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:error:tool_error",
			"ASK:error:tool_error", "DENY:error:tool_error"},
	},
	{
		name: "error: match_rule for a project file's ask rules", tool: stub{verdict: passthrough, readOnly: true, matchErr: failing(engine.Ask)},
		rules: []engine.Rule{projectRule(engine.Ask, "Tool(x)")},
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:error:tool_error",
			"ASK:error:tool_error", "DENY:mode:mode_deny"},
	},
	{
		name: "error: match_rule for allow rules", tool: stub{verdict: passthrough, matchErr: failing(engine.Allow)},
		rules: []engine.Rule{rule(engine.Allow, "Tool(x)")},
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:read_only:mutation_in_explore",
			"ASK:error:tool_error", "DENY:error:tool_error"},
	},
	{
		name: "error: match_rule answers an index too high", tool: stub{verdict: passthrough, indices: []int{0, 1}},
		rules: []engine.Rule{rule(engine.Allow, "Tool(x)")},
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:read_only:mutation_in_explore",
			"ASK:error:tool_error", "DENY:error:tool_error"},
	},
	{
		name: "error: match_rule answers a negative index", tool: stub{verdict: toolAllow, indices: []int{-1}},
		rules: []engine.Rule{rule(engine.Deny, "Tool(x)")},
		want:  row("DENY:error:tool_error"),
	},
	{
		name: "error: module missing", rules: []engine.Rule{rule(engine.Allow, "Tool")},
		alter: func(r *engine.Request) { r.Entry = engine.Entry{Name: "Tool", Err: errVerb} },
		want: [5]string{"ASK:error:tool_error", "ASK:error:tool_error", "DENY:error:tool_error",
			"ASK:error:tool_error", "DENY:error:tool_error"},
	},
	{
		name: "error: module missing, deny rule with content", rules: []engine.Rule{rule(engine.Deny, "Tool(x)")},
		alter: func(r *engine.Request) { r.Entry = engine.Entry{Name: "Tool", Err: errVerb} },
		want:  row("DENY:error:tool_error"),
	},
	{
		name: "error: host could not prepare the call", tool: stub{verdict: toolAllow, readOnly: true},
		rules: []engine.Rule{rule(engine.Allow, "Tool")}, alter: func(r *engine.Request) { r.Err = errors.New("describe_call: trap") },
		want: [5]string{"ASK:error:host_error", "ASK:error:host_error", "DENY:error:host_error",
			"ASK:error:host_error", "DENY:error:host_error"},
	},
	{
		name: "error: host could not prepare the call, deny rule that the tool does not match", tool: stub{verdict: toolAllow},
		rules: []engine.Rule{rule(engine.Deny, "Tool(x)")}, alter: func(r *engine.Request) { r.Err = errVerb },
		want: row("DENY:error:tool_error"),
	},
}

// row repeats one answer for all columns.
func row(want string) [5]string { return [5]string{want, want, want, want, want} }

func failing(b engine.Behavior) map[engine.Behavior]error {
	return map[engine.Behavior]error{b: errVerb}
}

func profile(b engine.Behavior) func(*engine.Request) {
	return func(r *engine.Request) {
		r.Profile = &engine.ProfileAnswer{Name: "standard", Behavior: b, Action: "tool:x:y", Pattern: "tool:x:.*"}
	}
}

// TestTable has one test per cell of the package comment's table.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, r := range tableRows {
		for i, mode := range columns {
			t.Run(r.name+"/"+mode.String(), func(t *testing.T) {
				t.Parallel()
				tool := r.tool
				req := request(mode, &tool, r.rules...)
				if r.alter != nil {
					r.alter(&req)
				}
				want := r.want[min(i, 4)]
				if mode == engine.Trusted {
					want = r.want[3]
				}
				d := decide(t, req)
				got := strings.ToUpper(d.Behavior.String()) + ":" + string(d.Stage) + ":" + d.Code
				if got != want {
					t.Errorf("got %s (%s)\nwant %s\ntrace %+v", got, d.Reason, want, d.Trace)
				}
				if d.BypassImmune != (want == "ASK:tool_check:safety_check") {
					t.Errorf("bypass_immune %t in %s", d.BypassImmune, got)
				}
				if len(d.Trace) == 0 {
					t.Error("no trace")
				}
			})
		}
	}
}

// TestVerbsCalled checks the cells with "-" or "not called": a verb whose answer must not count
// is not even called.
func TestVerbsCalled(t *testing.T) {
	t.Parallel()
	rules := []engine.Rule{rule(engine.Deny, "Tool(a)"), rule(engine.Ask, "Tool(b)"), rule(engine.Allow, "Tool(c)")}
	want := map[engine.Mode]string{
		engine.DefaultMode: "match_rule deny, match_rule ask, check_permissions, match_rule allow, generate_suggestions",
		engine.AcceptEdits: "match_rule deny, match_rule ask, check_read_only, check_permissions, match_rule allow, generate_suggestions",
		engine.Explore:     "match_rule deny, match_rule ask, check_read_only",
		engine.Bypass:      "match_rule deny, match_rule ask, check_permissions, match_rule allow",
		engine.Trusted:     "match_rule deny, match_rule ask, check_permissions, match_rule allow",
		engine.DontAsk:     "match_rule deny, match_rule ask, check_permissions, match_rule allow, generate_suggestions",
	}
	for mode, verbs := range want {
		tool := stub{verdict: passthrough}
		decide(t, request(mode, &tool, rules...))
		if got := strings.Join(tool.asked, ", "); got != verbs {
			t.Errorf("%s: got %s\nwant %s", mode, got, verbs)
		}
	}
}

func TestZeroRequestDenies(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]engine.Request{
		"zero":    {},
		"no tool": {Call: &engine.Call{Tool: "x"}},
		"no call": {Entry: engine.Entry{Tool: &stub{verdict: toolAllow}}},
	} {
		d := engine.Decide(t.Context(), req)
		if d.Behavior != engine.Deny || d.Stage != engine.StageError || d.Message == "" {
			t.Errorf("%s: got %+v, want a denial at stage error with a message", name, d)
		}
	}
	if got := (engine.Decision{}).Behavior; got != engine.Deny {
		t.Errorf("zero Decision is %s, want deny", got)
	}
}

// TestUnknownModeAsks: an unknown mode is the strictest column with a human, never bypass.
func TestUnknownModeAsks(t *testing.T) {
	t.Parallel()
	check(t, decide(t, request(engine.Mode(200), &stub{verdict: passthrough})), engine.Ask, engine.StageMode, engine.CodeModeAsk)
}

func TestProfileReasonNamesPatternAndAction(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, &stub{verdict: passthrough})
	req.Profile = &engine.ProfileAnswer{Name: "locked", Action: "tool:bash:ls"}
	if got, want := decide(t, req).Message, "Tool was denied: profile locked: no pattern matches tool:bash:ls. Do not retry it: do something else, or ask the user."; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	req.Profile = &engine.ProfileAnswer{Name: "custom", Action: "tool:bash:ls", Pattern: "(a+)+\\1", Note: "gave up"}
	if got, want := decide(t, req).Reason, "profile custom: gave up"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	req.Profile = &engine.ProfileAnswer{Name: "standard", Behavior: engine.Ask, Action: "tool:bash:ls", Pattern: "tool:bash:.*"}
	if got, want := decide(t, req).Reason, "profile standard: tool:bash:ls matches tool:bash:.*"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestProfileOnlyTightens: its ask replaces the table's allow or ask, and never a denial; an
// ask rule of the operator's own comes first.
func TestProfileOnlyTightens(t *testing.T) {
	t.Parallel()
	answer := &engine.ProfileAnswer{Name: "new", Behavior: engine.Ask, Action: "tool:x:y", Pattern: "tool:x:.*"}
	tests := []struct {
		name  string
		mode  engine.Mode
		tool  stub
		rules []engine.Rule
		want  engine.Behavior
		stage engine.Stage
	}{
		{"the mode allows", engine.Bypass, stub{verdict: passthrough}, nil, engine.Ask, engine.StageProfile},
		{"a rule allows", engine.DefaultMode, stub{verdict: passthrough}, []engine.Rule{rule(engine.Allow, "Tool")}, engine.Ask, engine.StageProfile},
		{"the tool denies", engine.DefaultMode, stub{verdict: toolDeny}, nil, engine.Deny, engine.StageToolCheck},
		{"explore denies", engine.Explore, stub{verdict: passthrough}, nil, engine.Deny, engine.StageReadOnly},
		{"an ask rule asks", engine.DefaultMode, stub{verdict: toolDeny}, []engine.Rule{rule(engine.Ask, "Tool")}, engine.Ask, engine.StageAskRule},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := request(tt.mode, &tt.tool, tt.rules...)
			req.Profile = answer
			if d := decide(t, req); d.Behavior != tt.want || d.Stage != tt.stage {
				t.Errorf("got %s at %s, want %s at %s", d.Behavior, d.Stage, tt.want, tt.stage)
			}
		})
	}
	immune := request(engine.DefaultMode, &stub{verdict: immuneAsk})
	immune.Profile = answer
	if d := decide(t, immune); d.Behavior != engine.Ask || !d.BypassImmune {
		t.Errorf("a safety check behind it: got %s, immune %t, want an immune ask", d.Behavior, d.BypassImmune)
	}
}

func TestPlainAskReasonReachesTheModesAsk(t *testing.T) {
	t.Parallel()
	d := decide(t, request(engine.DefaultMode, &stub{verdict: plainAsk}))
	if d.Reason != plainAsk.Reason {
		t.Errorf("got reason %q, want the tool's %q", d.Reason, plainAsk.Reason)
	}
}

func TestMessageIsOneSentence(t *testing.T) {
	t.Parallel()
	deny := rule(engine.Deny, "Tool")
	deny.Reason = "use npm ci instead. "
	if got, want := decide(t, request(engine.DefaultMode, &stub{}, deny)).Message, "Tool was denied: use npm ci instead. Do not retry it: do something else, or ask the user."; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := decide(t, request(engine.Bypass, &stub{verdict: passthrough})).Message; got != "" {
		t.Errorf("an allowed call got the message %q, want none", got)
	}
}

// TestProjectFileAskKeepsImmunity: a safety check hidden by a project's ask rule is still one.
func TestProjectFileAskKeepsImmunity(t *testing.T) {
	t.Parallel()
	d := decide(t, request(engine.DefaultMode, &stub{verdict: immuneAsk}, projectRule(engine.Ask, "Tool")))
	check(t, d, engine.Ask, engine.StageAskRule, engine.CodeRuleMatched)
	if !d.BypassImmune {
		t.Error("the project's ask rule took the safety check's immunity")
	}
}

// TestProfileAskKeepsImmunity: a profile's ask about a safety check leaves it one.
func TestProfileAskKeepsImmunity(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, &stub{verdict: immuneAsk})
	profile(engine.Ask)(&req)
	if d := decide(t, req); d.Behavior != engine.Ask || !d.BypassImmune || d.SafetyWords() != immuneAsk.Reason {
		t.Errorf("got %s, immune %t, words %q; want an ask that no rule can skip, with the tool's words", d.Behavior, d.BypassImmune, d.SafetyWords())
	}
}

// TestSafetyBehindAnAskRule: an ask rule tightens, so it hides no safety check from those
// who have to approve them.
func TestSafetyBehindAnAskRule(t *testing.T) {
	for _, c := range []struct {
		name string
		mode engine.Mode
		tool stub
		want bool
	}{
		{"safety check", engine.DefaultMode, stub{verdict: immuneAsk, hits: []string{"x"}}, true},
		{"plain ask", engine.DefaultMode, stub{verdict: plainAsk, hits: []string{"x"}}, false},
		{"no opinion", engine.DefaultMode, stub{verdict: passthrough, hits: []string{"x"}}, false},
		{"a check that fails", engine.DefaultMode, stub{verdict: passthrough, verdictErr: errors.New("trap"), hits: []string{"x"}}, true},
		{"a mode that skips safety checks", engine.Bypass, stub{verdict: immuneAsk, hits: []string{"x"}}, false},
		{"denied at once", engine.DontAsk, stub{verdict: immuneAsk, hits: []string{"x"}}, false},
	} {
		d := decide(t, request(c.mode, &c.tool, rule(engine.Ask, "Tool(x)")))
		if d.SafetyCheck != c.want || d.Stage != engine.StageAskRule || d.BypassImmune {
			t.Errorf("%s: got safety check %v at %s, immune %v; want %v", c.name, d.SafetyCheck, d.Stage, d.BypassImmune, c.want)
		}
		// The tool's words are told as well, and the rule's reason stays the reason.
		words := ""
		if c.want && c.tool.verdictErr == nil {
			words = immuneAsk.Reason
		}
		if d.SafetyWords() != words || d.SafetyReason != words || d.Behavior == engine.Ask && d.Reason != "ask rule Tool(x)" {
			t.Errorf("%s: got the words %q and the reason %q; want %q", c.name, d.SafetyWords(), d.Reason, words)
		}
	}
}
