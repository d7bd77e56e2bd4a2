package gate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/wire"
)

// accepted puts a call, accepts its first suggestion and returns the stored rule.
func (w *world) accepted(r wire.Request) engine.Rule {
	w.T.Helper()
	shown, done := w.Start(worker, r)
	out := w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{1}, ConfirmID: shown.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow {
		w.T.Fatalf("approved: got %+v", res)
	}
	if len(out.Rules) != 1 {
		w.T.Fatalf("stored %d rules, want one: %+v", len(out.Rules), out)
	}
	return out.Rules[0]
}

// TestAccepted_keepsExamples: an accepted rule keeps its call and two near misses, really
// outside it; a call with a secret is not kept at all.
func TestAccepted_keepsExamples(t *testing.T) {
	t.Parallel()
	for value, misses := range map[string][]string{
		"make":                     {"makex", "xmake"},
		"/p/src/a.py":              {"/p/src-other/a.py", "/p/src/../src-other/a.py"},
		"https://docs.example.com": {"https://docs.example.com.example.net", "https://xdocs.example.com"},
		"TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz": nil,
	} {
		w := newWorld(t, "agents: {worker: {mode: default, user: ann}}")
		if misses == nil {
			w.wantNoSuggestion(call(value))
			continue
		}
		rule := w.accepted(call(value))
		if want := []string{string(call(value).Input)}; !slices.Equal(rule.Match, want) {
			t.Errorf("%s: match %q, want %q", value, rule.Match, want)
		}
		var got []string
		for _, miss := range rule.NotMatch {
			var in struct{ Value string }
			if err := json.Unmarshal([]byte(miss), &in); err != nil {
				t.Fatalf("%s: %q is no input: %v", value, miss, err)
			}
			got = append(got, in.Value)
		}
		if !slices.Equal(got, misses) {
			t.Errorf("%s: not_match %q, want %q", value, got, misses)
		}
	}
}

// TestT05_rulesOutliveNoMeaning: a module that reads an accepted rule more widely than the
// earlier one gets it no more; deny rules stay, and so does the rule when the old module is
// back.
func TestT05_rulesOutliveNoMeaning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: default, user: ann}}")
	rule := w.accepted(call("make"))
	if rule.Behavior != engine.Allow {
		t.Fatalf("stored %+v", rule)
	}
	w.wantBehavior(call("make"), engine.Allow)
	w.Tool.Version, w.Tool.Prefixes = "d2", true
	w.wantBehavior(call("make"), engine.Ask)
	w.wantBehavior(call("make all"), engine.Ask)
	deny := rule
	deny.ID, deny.Behavior, deny.Match = "", engine.Deny, nil
	if _, err := w.Store.AddRule(t.Context(), deny); err != nil {
		t.Fatal(err)
	}
	w.wantBehavior(call("make all"), engine.Deny)
	w.Tool.Version, w.Tool.Prefixes = "d1", false
	w.wantBehavior(call("make x"), engine.Ask)
}

// wantBehavior evaluates a call.
func (w *world) wantBehavior(r wire.Request, want engine.Behavior) {
	w.T.Helper()
	res, err := w.Gate.Evaluate(w.T.Context(), worker, r)
	if err != nil || res.Decision.Behavior != want {
		w.T.Errorf("%s: got %s (%s), %v, want %s", r.Input, res.Decision.Behavior, res.Decision.Reason, err, want)
	}
}

// wantNoSuggestion evaluates a call without a storable rule.
func (w *world) wantNoSuggestion(r wire.Request) {
	w.T.Helper()
	res, err := w.Gate.Evaluate(w.T.Context(), worker, r)
	if err != nil || len(res.Decision.Suggestions) > 0 || !strings.Contains(res.Decision.SuggestionsNote, "secret") {
		w.T.Errorf("%s: got %+v, %v", r.Input, res.Decision.Suggestions, err)
	}
}
