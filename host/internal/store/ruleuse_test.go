package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// TestRuleUses: each decision counts for its rule, whatever transaction it is in; the numbers go with
// the rule, and pruning the audit leaves them.
func TestRuleUses(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	ctx := t.Context()
	rule, err := s.AddRule(ctx, engine.Rule{Tool: "Bash", Behavior: engine.Allow, Scope: engine.Global, Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	last := time.Now().UTC().Round(0)
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() {
			r := decision()
			r.RuleID, r.Time = rule.ID, last.Add(-time.Duration(i)*time.Minute)
			if _, err := s.Append(ctx, r); err != nil {
				t.Error(err)
			}
			r.RuleID = ""
			if _, err := s.Append(ctx, r); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	uses, err := s.RuleUses(ctx)
	if err != nil || len(uses) != 1 || uses[rule.ID] != (store.RuleUse{Count: 50, Last: last}) {
		t.Fatalf("got %+v, %v, want 50 uses, the last at %s", uses, err, last)
	}
	if _, err := s.PruneAudit(ctx, last.Add(-time.Minute), "ann"); err != nil {
		t.Fatal(err)
	}
	if uses, err := s.RuleUses(ctx); err != nil || uses[rule.ID].Count != 50 {
		t.Errorf("after pruning: %+v, %v", uses, err)
	}
	if err := s.RemoveRule(ctx, rule.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	if uses, err := s.RuleUses(ctx); err != nil || len(uses) != 0 {
		t.Errorf("after removing the rule: %+v, %v", uses, err)
	}
}
