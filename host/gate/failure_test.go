package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// deafStore fails at what is named.
type deafStore struct {
	*store.Store
	session, rules error
}

func (s deafStore) TouchSession(ctx context.Context, in store.Session) (store.Session, error) {
	if s.session != nil {
		return store.Session{}, s.session
	}
	return s.Store.TouchSession(ctx, in)
}

func (s deafStore) RulesFor(ctx context.Context, agent, session, project string, about *engine.About) ([]engine.Rule, error) {
	if s.rules != nil {
		return nil, s.rules
	}
	return s.Store.RulesFor(ctx, agent, session, project, about)
}

// A failure before the decision kept the rules from being read, so that a call
// which a rule denies was put to a person, who could approve it.
func TestFailuresLeaveTheDenyRulesInForce(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	cases := map[string]struct {
		session, rules error
		stored         bool
	}{
		"session, configured rule": {session: broken},
		"session, stored rule":     {session: broken, stored: true},
		"rules, configured rule":   {rules: broken},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "defaults: {mode: bypass}\n"
			if !c.stored {
				yaml += "rules: [{deny: Probe(x)}]\n"
			}
			w := newWorld(t, yaml)
			if c.stored {
				content := "x"
				rule := engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Deny, Scope: engine.Global}
				if _, _, err := w.gate.AddRule(t.Context(), "ann", rule); err != nil {
					t.Fatal(err)
				}
			}
			parts := w.partsWith(w.broker)
			parts.Store = deafStore{w.store, c.session, c.rules}
			g, err := gate.New(parts)
			if err != nil {
				t.Fatal(err)
			}
			res, err := g.Check(t.Context(), worker, call("x"), nil)
			if err != nil || res.Decision.Behavior != engine.Deny || res.Decision.Rule == nil {
				t.Errorf("got %+v, %v; want a denial by the rule", res.Decision, err)
			}
		})
	}
}
