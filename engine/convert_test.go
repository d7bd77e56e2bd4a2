package engine_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// asks are requests ending in an ask, one per possible stage.
func asks() map[engine.Stage]engine.Request {
	prof := request(engine.DefaultMode, &stub{verdict: toolAllow})
	prof.Profile = &engine.ProfileAnswer{Name: "standard", Behavior: engine.Ask, Action: "tool:x:y", Pattern: "tool:.*"}
	return map[engine.Stage]engine.Request{
		engine.StageAskRule:   request(engine.DefaultMode, &stub{verdict: passthrough, hits: []string{"git:*"}}, rule(engine.Ask, "Tool(git:*)")),
		engine.StageToolCheck: request(engine.DefaultMode, &stub{verdict: immuneAsk}),
		engine.StageMode:      request(engine.DefaultMode, &stub{verdict: passthrough}),
		engine.StageProfile:   prof,
		engine.StageError:     request(engine.DefaultMode, &stub{verdictErr: errVerb}),
	}
}

// TestBackgroundDeniesEveryAsk: there is no approver.
func TestBackgroundDeniesEveryAsk(t *testing.T) {
	t.Parallel()
	for stage, req := range asks() {
		req.Call.Context.Kind = engine.Background
		req.Call.Context.Approver = "discord"
		d := decide(t, req)
		check(t, d, engine.Deny, stage, d.Code)
		if d.ConvertedBy != engine.CodeBackground || d.ConvertedFrom != stage || d.BypassImmune || len(d.Suggestions) != 0 {
			t.Errorf("%s: got %+v, want converted by background from %s", stage, d, stage)
		}
	}
}

func TestInteractiveKindsAsk(t *testing.T) {
	t.Parallel()
	for _, kind := range []engine.Kind{"", engine.Main, engine.InteractiveFork} {
		for stage, req := range asks() {
			req.Call.Context.Kind = kind
			if d := decide(t, req); d.Behavior != engine.Ask {
				t.Errorf("%s at %s: got %s, want ask", kind, stage, d.Behavior)
			}
		}
	}
}

func TestResumed(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, approver, resumeAsks string
		denied                     bool
	}{
		{"no approver", "", "", true},
		{"approver attached", "discord", "", false},
		{"approver attached, resume_asks deny", "discord", "deny", true},
		{"approver attached, resume_asks ask", "discord", "ask", false},
	}
	for _, c := range cases {
		for stage, req := range asks() {
			t.Run(c.name+"/"+string(stage), func(t *testing.T) {
				t.Parallel()
				req.Call.Context.Resumed, req.Call.Context.Approver, req.ResumeAsks = true, c.approver, c.resumeAsks
				d := decide(t, req)
				hit := stage == engine.StageAskRule || stage == engine.StageProfile
				if !c.denied || !hit {
					if d.Behavior != engine.Ask {
						t.Errorf("got %s (%s), want ask", d.Behavior, d.Reason)
					}
					return
				}
				if d.Behavior != engine.Deny || d.ConvertedBy != engine.CodeResumed || d.ConvertedFrom != stage {
					t.Errorf("got %+v, want a denial converted by resumed from %s", d, stage)
				}
				if stage == engine.StageAskRule && !strings.Contains(d.Message, "add the allow rule Tool(git:*)") {
					t.Errorf("message %q does not name the rule that would allow it", d.Message)
				}
			})
		}
	}
}

func TestConversionTouchesNoAllowAndNoDenial(t *testing.T) {
	t.Parallel()
	for _, v := range []engine.Verdict{toolAllow, toolDeny} {
		plain := decide(t, request(engine.DefaultMode, &stub{verdict: v}))
		req := request(engine.DefaultMode, &stub{verdict: v})
		req.Call.Context.Kind, req.Call.Context.Resumed = engine.Background, true
		d := decide(t, req)
		check(t, d, plain.Behavior, plain.Stage, plain.Code)
		if d.ConvertedBy != "" {
			t.Errorf("%s was converted by %s", v.Behavior, d.ConvertedBy)
		}
	}
}

func TestDontAskNamesTheAskItDenied(t *testing.T) {
	t.Parallel()
	for stage, req := range asks() {
		req.Call.Context.Mode = engine.DontAsk
		d := decide(t, req)
		if d.Behavior != engine.Deny {
			t.Errorf("%s: got %s, want deny", stage, d.Behavior)
		}
		if converted := stage != engine.StageMode && stage != engine.StageError; converted && (d.ConvertedBy != "dont_ask" || d.ConvertedFrom != stage) {
			t.Errorf("%s: got converted_by %q from %q, want dont_ask from %s", stage, d.ConvertedBy, d.ConvertedFrom, stage)
		}
	}
}

func TestNoApprover(t *testing.T) {
	t.Parallel()
	for stage, req := range asks() {
		d := engine.NoApprover(decide(t, req), "Tool", "run callgate asks watch")
		if d.Behavior != engine.Deny || d.ConvertedBy != engine.CodeNoApprover || d.ConvertedFrom != stage || d.BypassImmune {
			t.Errorf("%s: got %+v, want a denial converted by no_approver", stage, d)
		}
		if !strings.Contains(d.Message, "run callgate asks watch") {
			t.Errorf("message %q does not tell how to attach an approver", d.Message)
		}
		if last := d.Trace[len(d.Trace)-1]; last.Step != "convert" || last.Result != "deny" {
			t.Errorf("last trace step is %+v", last)
		}
	}
	allowed := engine.Decision{Behavior: engine.Allow}
	if d := engine.NoApprover(allowed, "Tool", ""); d.Behavior != engine.Allow {
		t.Errorf("an allow became %s", d.Behavior)
	}
}

// TestCallback. Source: docs/seeds.md, "`can_use_tool` callback contract".
func TestCallback(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		answer engine.CallbackAnswer
		want   engine.Behavior
		says   string
	}{
		{"allow", engine.CallbackAnswer{Behavior: engine.Allow}, engine.Allow, "allowed by the callback"},
		{"deny", engine.CallbackAnswer{Behavior: engine.Deny}, engine.Deny, "denied by callback"},
		{"deny with a reason", engine.CallbackAnswer{Behavior: engine.Deny, Reason: "user closed the dialog"}, engine.Deny, "user closed the dialog"},
		{"zero value", engine.CallbackAnswer{}, engine.Deny, "denied by callback"},
		{"ask is no answer", engine.CallbackAnswer{Behavior: engine.Ask}, engine.Deny, "denied by callback"},
		{"unexpected", engine.CallbackAnswer{Unexpected: "42"}, engine.Deny, "unexpected callback result 42"},
		{"failed beside allow", engine.CallbackAnswer{Behavior: engine.Allow, Failed: "no answer in time"}, engine.Deny, "the callback approver gave no answer: no answer in time"},
		{"unexpected beside allow", engine.CallbackAnswer{Behavior: engine.Allow, Unexpected: "true"}, engine.Deny, "unexpected callback result true"},
	}
	for _, c := range cases {
		for stage, req := range asks() {
			t.Run(c.name+"/"+string(stage), func(t *testing.T) {
				t.Parallel()
				d := engine.ApplyCallback(decide(t, req), "Tool", c.answer)
				if d.Behavior != c.want || d.ConvertedBy != engine.CodeCallback || d.ConvertedFrom != stage || !strings.Contains(d.Reason, c.says) {
					t.Errorf("got %+v\nwant %s, converted by callback from %s, saying %q", d, c.want, stage, c.says)
				}
				if (d.Behavior == engine.Deny) != (d.Message != "") {
					t.Errorf("%s with the message %q", d.Behavior, d.Message)
				}
			})
		}
	}
}

func TestCallbackIsNotAskedAboutDecidedCalls(t *testing.T) {
	t.Parallel()
	denied := decide(t, request(engine.DefaultMode, &stub{verdict: toolDeny}))
	if d := engine.ApplyCallback(denied, "Tool", engine.CallbackAnswer{Behavior: engine.Allow}); d.Behavior != engine.Deny {
		t.Errorf("a callback turned a denial into %s", d.Behavior)
	}
}

// TestResumedUntriableAskRuleIsDenied: a rule that could not be tried counts as
// matched, in a resumed session too. Found by TestT03_ProjectFileNeverLoosens.
func TestResumedUntriableAskRuleIsDenied(t *testing.T) {
	t.Parallel()
	req := request(engine.DefaultMode, &stub{verdict: passthrough, matchErr: failing(engine.Ask)}, rule(engine.Ask, "Tool(x)"))
	req.Call.Context.Resumed = true
	d := decide(t, req)
	check(t, d, engine.Deny, engine.StageError, engine.CodeToolError)
	if d.ConvertedBy != engine.CodeResumed || !strings.Contains(d.Message, "Tool(x)") {
		t.Errorf("got converted by %q, message %q; want resumed, naming Tool(x)", d.ConvertedBy, d.Message)
	}
}
