package slash_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/discord/member"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// TestT27_builderStoresWhatStands: somebody changes a rule in two messages at once, so
// that the one that they look at is not the one that was put together last.
func TestT27_builderStoresWhatStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, _ := w.pattern(ann, "begins with", "npm")
	narrow := *w.press(ann, first, "bdoes", "2").Message // deny
	// The first message stood there a moment longer, and its menu was used as well.
	wide := w.press(ann, first, "bdoes", "1").Message
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
// nothing, lets a session ask again where ask_approvers names nobody, only how many.
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

// TestT27_nobodyGoesOnWithAnothersCommand: somebody uses the buttons and forms of a command
// that another person gave.
func TestT27_nobodyGoesOnWithAnothersCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("worker", "s1")
	m, _ := w.pattern(ann, "begins with", "npm")
	page := w.run(ann, elsewhere, "audit", nil)
	which := w.run(ann, sharedRoom, "allow", o{"rule": "Probe(x)"})
	thief := member.Actor{Person: people.Person{Name: "ann", Roles: []string{"lead"}}, Account: "200000000000000009", Listed: true}
	for verb, values := range map[string][]string{"bstore": nil, "bdrop": nil, "bask": nil, "bdoes": {"1"}, "bwhere": {"1"}, "blasts": {"1"}} {
		if got := w.press(thief, m, verb, values...); got.Message == nil || !strings.Contains(got.Message.Content, "Nothing was changed") {
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
