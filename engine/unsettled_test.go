package engine_test

import (
	"context"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestT11_unsettled: an unsettled call is never allowed, in any mode; denials and asks stay.
func TestT11_unsettled(t *testing.T) {
	t.Parallel()
	for _, mode := range []engine.Mode{engine.DefaultMode, engine.AcceptEdits, engine.Explore, engine.Bypass, engine.Trusted, engine.DontAsk} {
		for _, behavior := range []engine.Behavior{engine.Allow, engine.Ask, engine.Deny} {
			req := engine.Request{
				Call:  &engine.Call{Tool: "Probe", Input: []byte(`{}`), Context: engine.Context{Mode: mode, Approver: "ann"}},
				Entry: engine.Entry{Name: "Probe", Tool: readsOnly{}, MayAllow: true, MayReadOnly: true},
				Rules: []engine.Rule{{Tool: "Probe", Behavior: behavior, Source: "test", Scope: engine.Global}},
			}
			settled := engine.Decide(context.Background(), req)
			req.Unsettled = "another call moves"
			got := engine.Decide(context.Background(), req)
			switch {
			case settled.Behavior != engine.Allow:
				if got.Behavior != settled.Behavior || got.Stage != settled.Stage {
					t.Errorf("%s, %s: got %s at %s, want as settled %s at %s", mode, behavior, got.Behavior, got.Stage, settled.Behavior, settled.Stage)
				}
			case mode == engine.Explore || mode == engine.DontAsk:
				if got.Behavior != engine.Deny || got.Code != engine.CodeUnsettled {
					t.Errorf("%s, %s: got %s %s, want deny", mode, behavior, got.Behavior, got.Code)
				}
			case got.Behavior != engine.Ask || got.Code != engine.CodeUnsettled || len(got.Suggestions) > 0:
				t.Errorf("%s, %s: got %+v, want an ask without suggestions", mode, behavior, got)
			}
		}
	}
}

// readsOnly is a tool with harmless calls only.
type readsOnly struct{}

func (readsOnly) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	return engine.Verdict{Behavior: engine.Passthrough}, nil
}

func (readsOnly) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: true}, nil
}

func (readsOnly) MatchRule(context.Context, *engine.Call, engine.Behavior, []engine.RuleText) ([]int, error) {
	return nil, nil
}

func (readsOnly) GenerateSuggestions(context.Context, *engine.Call) ([]engine.SuggestedRule, error) {
	return []engine.SuggestedRule{{}}, nil
}
