package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// Everything at once, for the race detector: each caller reads back its own writes, and the
// audit is whole.
func TestStore_hammer(t *testing.T) {
	t.Parallel()
	const callers, rounds = 16, 12
	s := fresh(t)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range rounds {
				if err := hammer(t, s, fmt.Sprint("s", c), fmt.Sprint(c, "-", i)); err != nil {
					t.Errorf("caller %d, round %d: %v", c, i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	report, err := s.VerifyAudit(t.Context())
	if err != nil || !report.OK() {
		t.Errorf("verify: got %+v, %v", report, err)
	}
	decisions := len(rowsOf(t, s, store.Filter{Event: store.EventDecision}))
	if want := callers * rounds; decisions != want {
		t.Errorf("decisions: got %d, want %d", decisions, want)
	}
}

// hammer is one round of one caller.
func hammer(t *testing.T, s *store.Store, session, id string) error {
	ctx := t.Context()
	if _, err := s.TouchSession(ctx, store.Session{ID: session, Agent: "a", Token: "t", CWD: "/" + id}); err != nil {
		return err
	}
	rule, err := s.AddRule(ctx, engine.Rule{Tool: "Bash", Content: text(id), Behavior: engine.Allow, Scope: engine.Session, ScopeKey: session})
	if err != nil {
		return err
	}
	rules, err := s.RulesFor(ctx, "a", session, "", nil)
	if err != nil || len(rules) != 1 || rules[0].ID != rule.ID {
		return fmt.Errorf("rules after adding %s: got %v, %v", rule.ID, rules, err)
	}
	if _, err := s.Append(ctx, decision()); err != nil {
		return err
	}
	a := waiting(id)
	if err := s.InsertAsk(ctx, a); err != nil {
		return err
	}
	if ok, err := s.CompareAndSetAsk(ctx, ask.Queued, ended(a, ask.Approved, ask.CauseAnswered, askTime)); !ok || err != nil {
		return fmt.Errorf("answer: got %v, %v", ok, err)
	}
	if _, err := s.Session(ctx, session); err != nil {
		return err
	}
	if err := s.RemoveRule(ctx, rule.ID, "ann"); err != nil {
		return err
	}
	if rules, err = s.RulesFor(ctx, "a", session, "", nil); err != nil || len(rules) != 0 {
		return fmt.Errorf("rules after removing: got %v, %v", rules, err)
	}
	return nil
}
