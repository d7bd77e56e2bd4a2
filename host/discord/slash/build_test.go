package slash_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/member"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/store"
)

// pattern takes the builder to the preview of Probe(text) of a kind.
func (w *world) pattern(who member.Actor, kind, text string) (preview, kinds message.Message) {
	w.t.Helper()
	m := w.run(who, workersRoom, "permissions builder", nil)
	if got := labels(m, "btool"); len(got) != 2 || got[0] != "Probe" || got[1] != "mcp__*" {
		w.t.Fatalf("tools: %q", got)
	}
	kinds = *w.press(who, m, "btool", "0").Message
	at := -1
	for i, l := range labels(kinds, "bkind") {
		if strings.Contains(l, kind) {
			at = i
		}
	}
	r := w.press(who, kinds, "bkind", itoa(at))
	if r.Modal == nil {
		return *r.Message, kinds
	}
	return *w.submit(who, *r.Modal, text).Message, kinds
}

func itoa(n int) string { return string(rune('0' + n)) }

// TestBuilder: tool, kind, pattern, preview with what it matches, and what was shown is
// stored, once.
func TestBuilder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("worker", "s1")
	w.rule("/deny Probe(rm)", agentWorker)
	m, kinds := w.pattern(bob, "begins with", "npm")
	for _, part := range []string{"a value, or words:*", "set: deny Probe(rm) (agent worker)"} {
		if !strings.Contains(kinds.Content, part) {
			t.Errorf("kinds: got %q, want %q in it", kinds.Content, part)
		}
	}
	for _, part := range []string{"ask Probe(npm:*) (agent worker, for good)", "of your last 1 calls it would allow 1 (npm test)"} {
		if !strings.Contains(m.Content, part) {
			t.Errorf("got %q, want %q in it", m.Content, part)
		}
	}
	m = *w.press(bob, m, "bdoes", "1").Message
	if !strings.Contains(m.Content, "allow Probe(npm:*)") || !strings.Contains(m.Content, "DANGER: it allows every command that begins with npm") {
		t.Errorf("got %q", m.Content)
	}
	m = *w.press(bob, m, "blasts", "2").Message
	if !strings.Contains(m.Content, "until ") {
		t.Errorf("got %q", m.Content)
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

// TestBuilderRefusals: what cannot be a rule is told with a way to type it anew; who may
// not store it is told the role; nothing is stored.
func TestBuilderRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, want := range map[string]string{
		"* a": "words that it begins with", "a\u202eb": "cannot be seen", "unreadable": "cannot read this content",
	} {
		m, _ := w.pattern(bob, "begins with", text)
		if !strings.Contains(m.Content, want) || strings.Contains(m.Content, "\u202e") {
			t.Errorf("%q: got %q, want %q in it", text, m.Content, want)
		}
		if id, _ := component(m, "bstore"); id != "" {
			t.Errorf("%q: it can be stored", text)
		}
		form := w.press(bob, m, "bask").Modal
		if again := w.submit(bob, *form, "npm").Message; !strings.Contains(again.Content, "Probe(npm:*)") {
			t.Errorf("typed anew: %q", again.Content)
		}
	}
	m, _ := w.pattern(bob, "every call", "")
	if !strings.Contains(m.Content, "ask Probe (") {
		t.Fatalf("got %q", m.Content)
	}
	m = *w.press(bob, *w.press(bob, m, "bwhere", itoa(len(labels(m, "bwhere"))-1)).Message, "bdoes", "1").Message // allow, for every agent
	if !strings.Contains(m.Content, "it holds for every agent and every project") {
		t.Errorf("got %q", m.Content)
	}
	if r := w.press(bob, m, "bstore"); !strings.Contains(r.Message.Content, "Refused") {
		t.Errorf("got %q", r.Message.Content)
	}
	m, _ = w.pattern(bob, "begins with", "npm")
	if r := w.press(bob, m, "bdrop"); !strings.Contains(r.Message.Content, "nothing was stored") {
		t.Errorf("got %q", r.Message.Content)
	}
	if rules, err := w.gate.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 0 {
		t.Errorf("rules: %+v, %v", rules, err)
	}
	if rows := w.rows(store.EventGrantRefused); len(rows) != 1 {
		t.Errorf("%d rows of refusals", len(rows))
	}
}

// TestBuilderManyNames: a tool that has many names is asked which.
func TestBuilderManyNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.run(bob, workersRoom, "permissions builder", nil)
	form := w.press(bob, m, "btool", "1").Modal
	if r := w.submit(bob, *form, "Probe"); !strings.Contains(r.Message.Content, "a name that mcp__* matches") {
		t.Errorf("got %q", r.Message.Content)
	}
	var r *link.Response
	if r = w.submit(bob, *form, "mcp__github__*"); !strings.Contains(r.Message.Content, "`mcp__github__*`") {
		t.Errorf("got %q", r.Message.Content)
	}
	if m := w.run(bob, workersRoom, "permissions builder", o{"tool": "mcp__x__y"}); !strings.Contains(m.Content, "`mcp__x__y`") {
		t.Errorf("got %q", m.Content)
	}
	if m := w.run(bob, workersRoom, "permissions builder", o{"tool": "prob"}); !strings.Contains(m.Content, `there is no tool "prob"`) {
		t.Errorf("got %q", m.Content)
	}
}
