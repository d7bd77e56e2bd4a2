package slash_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// preview asks the builder for a rule, as an ask rule of the worker.
func (w *world) preview(who member.Actor, rule string) message.Message {
	w.t.Helper()
	return w.run(who, workersRoom, "permissions builder", o{"rule": rule})
}

// TestBuilder: the preview shows a rule and its matches, and is stored as shown, once.
func TestBuilder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("worker", "s1")
	w.rule("/deny Probe(rm)", agentWorker)
	m := w.preview(bob, "Probe(npm:*)")
	for _, part := range []string{
		"a value, or words:*", "set: deny Probe(rm) (agent worker)", "ask Probe(npm:*) (agent worker, for good)", "of your last 1 calls it would allow 1 (npm test)",
	} {
		if !strings.Contains(m.Content, part) {
			t.Errorf("got %q, want %q in it", m.Content, part)
		}
	}
	m = w.run(bob, workersRoom, "permissions builder", o{"rule": "Probe(npm:*)", "does": "allow", "for": "24 hours"})
	for _, part := range []string{"allow Probe(npm:*)", "DANGER: it allows every command that begins with npm", "until "} {
		if !strings.Contains(m.Content, part) {
			t.Errorf("got %q, want %q in it", m.Content, part)
		}
	}
	if r := w.press(ann, m, "bstore"); !strings.Contains(r.Message.Content, "done already") {
		t.Errorf("somebody else stores it: %q", r.Message.Content)
	}
	done := w.press(bob, m, "bstore").Message
	if !strings.Contains(done.Content, "Stored") || !strings.Contains(done.Content, "/allow remove:#") {
		t.Errorf("got %q", done.Content)
	}
	if r := w.press(bob, m, "bstore"); !strings.Contains(r.Message.Content, "done already") {
		t.Errorf("the second click: %q", r.Message.Content)
	}
	rules, err := w.gate.Rules(t.Context(), store.RuleFilter{Tool: "Probe"})
	if err != nil || len(rules) != 2 {
		t.Fatalf("rules: %+v, %v", rules, err)
	}
	r := rules[1]
	if r.String() != "Probe(npm:*)" || r.Behavior != engine.Allow || r.Scope != engine.Agent || r.ScopeKey != "worker" || r.CreatedBy != "bob" ||
		time.Until(r.ExpiresAt) > 24*time.Hour || time.Until(r.ExpiresAt) < 23*time.Hour {
		t.Errorf("stored: %+v", r)
	}
	// Its own way back.
	_, id, _ := strings.Cut(done.Content, "remove:")
	id, _, _ = strings.Cut(id, "`")
	if m := w.run(bob, elsewhere, "allow", o{"remove": id}); !strings.Contains(m.Content, "removed Probe(npm:*)") {
		t.Errorf("got %q", m.Content)
	}
}

// TestBuilderRefusals: an invalid text gets an error and cannot be stored; a person without the
// right gets the role's name; nothing is stored.
func TestBuilderRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, want := range map[string]string{
		"": "Nothing was changed", "Probe(": "Nothing was changed", "Probe(a\u202eb)": "cannot be seen", "Probe(unreadable:*)": "cannot read this content",
	} {
		m := w.preview(bob, text)
		if !strings.Contains(m.Content, want) || strings.Contains(m.Content, "\u202e") || len(m.Components) > 0 {
			t.Errorf("%q: got %q, want %q in it", text, m.Content, want)
		}
	}
	for name, options := range map[string]o{"does": {"rule": "Probe", "does": "maybe"}, "for": {"rule": "Probe", "for": "ever"}} {
		if m := w.run(bob, workersRoom, "permissions builder", options); !strings.Contains(m.Content, "from the lists") {
			t.Errorf("%s: got %q", name, m.Content)
		}
	}
	m := w.run(bob, workersRoom, "permissions builder", o{"rule": "Probe", "does": "allow", "global": true})
	if !strings.Contains(m.Content, "it holds for every agent and every project") {
		t.Errorf("got %q", m.Content)
	}
	if r := w.press(bob, m, "bstore"); !strings.Contains(r.Message.Content, "Refused") {
		t.Errorf("got %q", r.Message.Content)
	}
	m = w.preview(bob, "Probe(npm:*)")
	if r := w.press(bob, m, "bdrop"); !strings.Contains(r.Message.Content, "nothing was stored") {
		t.Errorf("got %q", r.Message.Content)
	}
	if r := w.press(bob, m, "bstore"); !strings.Contains(r.Message.Content, "done already") {
		t.Errorf("stored after it was discarded: %q", r.Message.Content)
	}
	if rules, err := w.gate.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 0 {
		t.Errorf("rules: %+v, %v", rules, err)
	}
	if rows := w.rows(store.EventGrantRefused); len(rows) != 1 {
		t.Errorf("%d rows of refusals", len(rows))
	}
}

// TestBuilderAsksWhere: where the channel does not name the rule's place, a menu does; a tool
// with many names takes any of them.
func TestBuilderAsksWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.run(bob, sharedRoom, "permissions builder", o{"rule": "mcp__github__*"})
	if r := w.press(bob, m, "place", "0"); !strings.Contains(r.Message.Content, "ask mcp__github__* (agent ") {
		t.Errorf("got %q", r.Message.Content)
	}
}
