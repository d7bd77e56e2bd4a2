package slash_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
)

// TestOneClickActsOnce: of many clicks at once on a storing button, one acts.
func TestOneClickActsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.preview(bob, "Probe(npm:*)")
	which := w.run(bob, sharedRoom, "deny", o{"rule": "Probe(x)"})
	var wait sync.WaitGroup
	var stored, denied atomic.Int32
	for range 16 {
		wait.Go(func() {
			if strings.Contains(w.press(bob, m, "bstore").Message.Content, "Stored") {
				stored.Add(1)
			}
			if strings.Contains(w.press(bob, which, "place", "0").Message.Content, "added Probe(x)") {
				denied.Add(1)
			}
			w.run(bob, workersRoom, "audit", nil)
			w.proposed(t, workersRoom, "ask", o{"remove": ""}, "remove")
		})
	}
	wait.Wait()
	if stored.Load() != 1 || denied.Load() != 1 {
		t.Errorf("stored %d and denied %d times, want once each", stored.Load(), denied.Load())
	}
	if rules, err := w.gate.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 2 {
		t.Errorf("rules: %+v, %v", rules, err)
	}
}

// TestFlowsAreBounded: a person's oldest question goes when there are twenty of theirs;
// others' stay.
func TestFlowsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	annas, first := w.run(ann, sharedRoom, "ask", nil), w.run(bob, sharedRoom, "ask", nil)
	last := first
	for range 20 {
		last = w.run(bob, sharedRoom, "ask", nil)
	}
	if r := w.press(bob, first, "place", "0"); !strings.Contains(r.Message.Content, "done already") {
		t.Errorf("the oldest: %q", r.Message.Content)
	}
	if r := w.press(bob, last, "place", "0"); !strings.Contains(r.Message.Content, "the ask list is empty") {
		t.Errorf("the newest: %q", r.Message.Content)
	}
	if r := w.press(ann, annas, "place", "0"); !strings.Contains(r.Message.Content, "the ask list is empty") {
		t.Errorf("somebody else's: %q", r.Message.Content)
	}
}

// TestRefusalsAreThrottled: who goes on trying is noted once a minute.
func TestRefusalsAreThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 50 {
		w.run(eve, workersRoom, "audit", nil)
	}
	rows := w.rows(store.EventGrantRefused)
	if len(rows) != 1 || rows[0].User != eve.Name || !strings.Contains(rows[0].Detail, "slash commands") {
		t.Errorf("rows: %+v", rows)
	}
}
