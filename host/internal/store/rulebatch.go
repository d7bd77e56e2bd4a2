package store

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
)

// maxBatch bounds the rules added by one Change, and those it removes.
const maxBatch = 2000

// Change is a change of the stored rules and of one session's mode as a whole: all of it or, on an
// error, nothing.
type Change struct {
	// Add are rules to store, as AddRule stores one. Their CreatedBy is the
	// Change's By.
	Add []engine.Rule
	// Remove are ids of stored rules. They go before anything is added.
	Remove []string
	// Session gets the mode Mode, nil for the agent's own, when SetMode is true.
	Session string
	Mode    *engine.Mode
	SetMode bool
	// By is the person behind it.
	By string
}

// ChangeRules applies c in one transaction, each rule and the mode with its audit row, and returns
// the added rules, as stored. A rule equal to a remaining one is not stored twice. ErrNotFound for
// a missing rule or session; ErrBadRule names the invalid rule. A concurrent call sees the rules
// before or after or, for an instant, rules stricter than both.
func (s *Store) ChangeRules(ctx context.Context, c Change) ([]engine.Rule, error) {
	if len(c.Add) > maxBatch || len(c.Remove) > maxBatch {
		return nil, fmt.Errorf("change rules: %w: %d to add and %d to remove: want at most %d of each", ErrBadRule, len(c.Add), len(c.Remove), maxBatch)
	}
	b := &batch{store: s, change: c}
	for _, r := range c.Add {
		r.CreatedBy = c.By
		r, err := s.checkRule(r)
		if err != nil {
			return nil, fmt.Errorf("add rule %s: %w: %w", r, ErrBadRule, err)
		}
		b.adds = append(b.adds, &ruleChange{store: s, want: r})
	}
	if err := s.writer.do(ctx, &job{run: b.run, after: b.publish}); err != nil {
		return nil, fmt.Errorf("change rules: %w", err)
	}
	stored := make([]engine.Rule, len(b.adds))
	for i, a := range b.adds {
		stored[i] = a.rule
	}
	return stored, nil
}

// batch is a Change while it is made.
type batch struct {
	store  *Store
	change Change
	gone   []engine.Rule
	adds   []*ruleChange
	known  Session
}

func (b *batch) run(ctx context.Context, t *tx) error {
	b.gone = nil // the writer may run a job again
	for _, id := range b.change.Remove {
		gone, err := b.store.deleteRules(ctx, t, EventRuleRemoved, b.change.By, "id = ?", id)
		if err != nil {
			return fmt.Errorf("remove rule %q: %w", id, err)
		}
		b.gone = append(b.gone, gone...)
	}
	for _, a := range b.adds {
		if err := a.add(ctx, t); err != nil {
			return fmt.Errorf("add rule %s: %w", a.want, err)
		}
	}
	if !b.change.SetMode {
		return nil
	}
	var err error
	if b.known, err = oneSession(ctx, t, b.change.Session); err != nil {
		return fmt.Errorf("session %q: %w", b.change.Session, err)
	}
	b.known.Mode = b.change.Mode
	return b.store.recordSession(ctx, t, b.known, EventSessionMode, b.change.By, modeWord(b.change.Mode))
}

// publish shows the change in memory: tightening first, widening last, so the visible rules are
// never wider than both those before and those after.
func (b *batch) publish() {
	show := func(allow bool) {
		for _, a := range b.adds {
			if (a.rule.Behavior == engine.Allow) == allow {
				a.publish()
			}
		}
	}
	drop := func(allow bool) {
		for _, r := range b.gone {
			if (r.Behavior == engine.Allow) == allow {
				b.store.rules.drop(r.ID)
			}
		}
	}
	drop(true)
	show(false)
	if b.change.SetMode {
		b.store.seen.put(b.known)
	}
	drop(false)
	show(true)
}

// modeWord is a session's mode in the audit.
func modeWord(mode *engine.Mode) string {
	if mode == nil {
		return "the agent's own"
	}
	return mode.String()
}
