package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

func sources(rules []engine.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.Behavior.String()+" "+r.String()+" "+r.Source)
	}
	slices.Sort(out)
	return out
}

func TestChangeRules_wholeOrNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := fresh(t)
	if _, err := s.TouchSession(ctx, store.Session{ID: "s1", Agent: "a", Token: "check:a"}); err != nil {
		t.Fatal(err)
	}
	rule := func(tool string, b engine.Behavior) engine.Rule {
		return engine.Rule{Tool: tool, Behavior: b, Source: "chat", Scope: engine.Session, ScopeKey: "s1"}
	}
	explore := engine.Explore
	first, err := s.ChangeRules(ctx, store.Change{Add: []engine.Rule{rule("Read", engine.Allow), rule("Bash", engine.Ask)}, Session: "s1", SetMode: true, Mode: &explore, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	seen := func() []string {
		t.Helper()
		rules, err := s.RulesFor(ctx, "a", "s1", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return sources(rules)
	}
	if got, want := seen(), []string{"allow Read chat", "ask Bash chat"}; !slices.Equal(got, want) {
		t.Fatalf("after the first change: got %q, want %q", got, want)
	}
	if known, err := s.Session(ctx, "s1"); err != nil || known.Mode == nil || *known.Mode != engine.Explore {
		t.Errorf("the session's mode: got %v, %v, want explore", known.Mode, err)
	}

	// A missing rule, or a bad one, leaves all as it was.
	for name, c := range map[string]store.Change{
		"gone":    {Remove: []string{first[0].ID, "0000"}, Add: []engine.Rule{rule("Write", engine.Allow)}},
		"bad":     {Remove: []string{first[0].ID}, Add: []engine.Rule{rule("Write", engine.Passthrough)}},
		"nowhere": {Remove: []string{first[0].ID}, Session: "s2", SetMode: true},
	} {
		_, err := s.ChangeRules(ctx, c)
		if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrBadRule) {
			t.Errorf("%s: got %v, want an error that says what", name, err)
		}
		if got, want := seen(), []string{"allow Read chat", "ask Bash chat"}; !slices.Equal(got, want) {
			t.Errorf("%s: after a change that failed: got %q, want %q", name, got, want)
		}
	}

	if _, err := s.ChangeRules(ctx, store.Change{Remove: []string{first[0].ID, first[1].ID}, Add: []engine.Rule{rule("Bash", engine.Ask), rule("Edit", engine.Deny)}, By: "ben"}); err != nil {
		t.Fatal(err)
	}
	if got, want := seen(), []string{"ask Bash chat", "deny Edit chat"}; !slices.Equal(got, want) {
		t.Errorf("after the second change: got %q, want %q", got, want)
	}
	events := map[store.Event]int{}
	for row, err := range s.Audit(ctx, store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		events[row.Event]++
	}
	if events[store.EventRuleAdded] != 4 || events[store.EventRuleRemoved] != 2 || events[store.EventSessionMode] != 1 {
		t.Errorf("the audit: got %v, want 4 rules added, 2 removed, 1 mode", events)
	}
}
