package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"pgregory.net/rapid"
)

// TestT06_NothingLiftsSelfProtection: with any tool, rules, lists, profile and mode, a call
// touching the gate is denied.
func TestT06_NothingLiftsSelfProtection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.req.Protected = "writes the configuration"
		d := engine.Decide(t.Context(), s.req)
		if d.Behavior != engine.Deny || d.Stage != engine.StageDenyRule || d.Code != engine.CodeSelfProtection || d.ConvertedBy != "" || len(d.Suggestions) > 0 {
			t.Fatalf("got %+v, want a denial of self-protection", d)
		}
	})
}

// TestT06_ProtectionNeverLoosens: a reason to protect never loosens a decision.
func TestT06_ProtectionNeverLoosens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.req.Protected = ""
		before := engine.Decide(t.Context(), s.req)
		s.req.Protected = "x"
		if after := engine.Decide(t.Context(), s.req); looser(after, before) {
			t.Fatalf("%s before, %s protected", before.Behavior, after.Behavior)
		}
	})
}

func TestT06_SelfProtectionInEveryMode(t *testing.T) {
	t.Parallel()
	for _, mode := range columns {
		for name, alter := range map[string]func(*engine.Request){
			"alone":               func(*engine.Request) {},
			"with an allow rule":  func(r *engine.Request) { r.Rules = []engine.Rule{rule(engine.Allow, "Tool")} },
			"denylist lifted":     func(r *engine.Request) { r.Lists.IgnoreDenylist = true },
			"the host failed":     func(r *engine.Request) { r.Err = errors.New("describe_call: trap") },
			"the module is gone":  func(r *engine.Request) { r.Entry.Tool, r.Entry.Err = nil, errVerb },
			"on disallowed_tools": func(r *engine.Request) { r.Lists.Disallowed = []string{"Tool"} },
		} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				t.Parallel()
				req := request(mode, &stub{verdict: toolAllow, readOnly: true})
				req.Protected = "it writes /home/ann/.config/callgate"
				alter(&req)
				d := decide(t, req)
				check(t, d, engine.Deny, engine.StageDenyRule, engine.CodeSelfProtection)
				if !strings.Contains(d.Message, "a person") || !strings.Contains(d.Message, req.Protected) {
					t.Errorf("message: got %q, want the reason and that a person has to do it", d.Message)
				}
				if last := d.Trace[len(d.Trace)-1]; last.Step != string(engine.StageDenyRule) || !strings.Contains(last.Saw, "self-protection") {
					t.Errorf("trace: got %+v, want the step to say it", d.Trace)
				}
			})
		}
	}
}
