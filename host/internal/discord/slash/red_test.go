package slash_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/store"
)

// TestT27_builderStoresWhatStands: a person looks at two previews of a rule at once, and stores
// another one than the last.
func TestT27_builderStoresWhatStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	narrow := w.run(ann, workersRoom, "permissions builder", o{"rule": "Probe(npm:*)", "does": "deny"})
	wide := w.run(ann, workersRoom, "permissions builder", o{"rule": "Probe(npm:*)", "does": "allow"})
	if !strings.Contains(narrow.Content, "deny Probe(npm:*)") {
		t.Fatalf("got %q", narrow.Content)
	}
	w.press(ann, narrow, "bstore")
	rules, err := w.gate.Rules(t.Context(), store.RuleFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if r.Source != config.Source && r.Behavior != engine.Deny {
			t.Errorf("stored %s %s, and what stood there was %q (the other answer: %q)", r.Behavior, r, narrow.Content, wide.Content)
		}
	}
}

// TestT27_resumeTakesSomebodyNamed: a holder of a role that may grant something, but answers
// nothing, lets a session ask again where ask_approvers names a number but no people.
func TestT27_resumeTakesSomebodyNamed(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"{quorum: 2}", "{exclude_requester: true}"} {
		w := newWorld(t, func(w *world) {
			cfg, err := config.Parse("test.yaml", []byte(strings.Replace(yaml, "asker: {user: dev, ask_approvers: {users: [bob]}}", "asker: {user: dev, ask_approvers: "+policy+"}", 1)), config.Dirs{Home: "/home/op", Config: "/c", State: "/s", Cache: "/k"})
			if err != nil {
				t.Fatal(err)
			}
			*w.cfg = *cfg
		})
		w.open("asker", "s9")
		if err := w.broker.Pause(t.Context(), "s9", "three denials"); err != nil {
			t.Fatal(err)
		}
		w.run(lead, elsewhere, "asks", o{"resume": "s9"})
		if w.broker.Stopped("s9") == "" {
			t.Errorf("%s: an account that nobody lists resumed the session", policy)
		}
		w.run(ann, elsewhere, "asks", o{"resume": "s9"})
		if w.broker.Stopped("s9") != "" {
			t.Errorf("%s: somebody listed could not", policy)
		}
	}
}

// TestT27_nobodyGoesOnWithAnothersCommand: a person uses the buttons of another's command.
func TestT27_nobodyGoesOnWithAnothersCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("worker", "s1")
	m := w.preview(ann, "Probe(npm:*)")
	page := w.run(ann, elsewhere, "audit", nil)
	which := w.run(ann, sharedRoom, "allow", o{"rule": "Probe(x)"})
	thief := member.Actor{Person: approvers.Person{Name: "ann", Roles: []string{"lead"}}, Account: "200000000000000009", Listed: true}
	for _, verb := range []string{"bstore", "bdrop"} {
		if got := w.press(thief, m, verb); got.Message == nil || !strings.Contains(got.Message.Content, "Nothing was changed") {
			t.Errorf("%s: got %+v", verb, got)
		}
	}
	if got := w.press(thief, page, "row", "0"); !strings.Contains(got.Message.Content, "Nothing was changed") {
		t.Errorf("row: got %q", got.Message.Content)
	}
	if got := w.press(thief, which, "place", "0"); !strings.Contains(got.Message.Content, "Nothing was changed") {
		t.Errorf("place: got %q", got.Message.Content)
	}
	for _, values := range [][]string{{"99"}, {"-1"}, {"0", "1"}, {"00"}, {}, {"0x0"}} {
		if got := w.press(ann, which, "place", values...); !strings.Contains(got.Message.Content, "Nothing was changed") {
			t.Errorf("%q: got %q", values, got.Message.Content)
		}
	}
	if rules, err := w.gate.Rules(t.Context(), store.RuleFilter{}); err != nil || len(rules) != 0 {
		t.Errorf("rules: %+v, %v", rules, err)
	}
	if got := w.press(ann, m, "bstore"); !strings.Contains(got.Message.Content, "Stored") {
		t.Errorf("ann's own: got %q", got.Message.Content)
	}
}
