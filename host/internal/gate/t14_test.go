package gate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// planted is a secret by its shape, byName one by the name of its member.
const (
	planted = "ghp_c4n4ryAAAABBBBCCCCDDDDEEEEFFFF1"
	byName  = "c4n4ry-named-value"
)

// TestT14_SuggestionsKeepNoSecret: a rule is kept readable for as long as it
// holds, so one with a secret in it is not offered. One without is, as ever.
func TestT14_SuggestionsKeepNoSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input string
		want  []string
	}{
		"plain":                     {`{"value":"npm test"}`, []string{"npm test"}},
		"a commit's hash":           {`{"value":"git show 1f2e3d4c5b6a79880f1e2d3c4b5a69788f9e0d1c"}`, []string{"git show 1f2e3d4c5b6a79880f1e2d3c4b5a69788f9e0d1c"}},
		"a variable":                {`{"value":"curl -H \"Authorization: Bearer $TOKEN\" x"}`, []string{`curl -H "Authorization: Bearer $TOKEN" x`}},
		"a header":                  {`{"value":"curl -H \"Authorization: Bearer ` + planted + `\" https://x"}`, nil},
		"a flag":                    {`{"value":"mysql --password=hunter22 db"}`, nil},
		"a URL":                     {`{"value":"curl https://bob:hunter22@example.com/x"}`, nil},
		"what a header tells":       {`{"value":"tok3n-of-the-header","note":"Authorization: Bearer tok3n-of-the-header"}`, nil},
		"beside a secret elsewhere": {`{"value":"npm test","password":"hunter22"}`, []string{"npm test"}},
		"only its member tells":     {`{"value":"hunter22","password":"x"}`, []string{"hunter22"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents: {worker: {mode: default}}\n")
			r := call("")
			r.Input = json.RawMessage(c.input)
			res, err := w.Gate.Evaluate(t.Context(), worker, r)
			if err != nil || res.Decision.Behavior != engine.Ask {
				t.Fatalf("got %+v, %v, want an ask", res.Decision, err)
			}
			var got []string
			for _, s := range res.Decision.Suggestions {
				got = append(got, *s.Content)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("suggestions: got %q, want %q", got, c.want)
			}
			if told := strings.Contains(res.Decision.SuggestionsNote, "secret"); told != (c.want == nil) {
				t.Errorf("note: got %q", res.Decision.SuggestionsNote)
			}
			if quoted := strings.Contains(res.Decision.Message, "covers"); quoted == (c.want == nil) || quoted == (res.Decision.Offending == nil) {
				t.Errorf("message %q, offending %q: want the part quoted when it has no secret, and only then", res.Decision.Message, res.Decision.Offending)
			}
		})
	}
}

// TestT14_ApprovedSecretIsNotStored: however a call with a secret is answered, the
// store's files do not hold the secret when its ask has ended, nor do the events.
func TestT14_ApprovedSecretIsNotStored(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]ask.Answer{
		"once":     {Verdict: ask.Approve},
		"the tool": {Verdict: ask.Approve, WholeTool: true, ForSession: true},
		"denied":   {Verdict: ask.Deny, Reason: "not " + planted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents: {worker: {mode: default}}\n")
			r := call("")
			r.Input = json.RawMessage(`{"value":"curl -H \"Authorization: Bearer ` + planted + `\" https://x","password":"` + byName + `"}`)
			shown, done := w.Start(worker, r)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			events := w.Broker.Subscribe(ctx)
			a.ConfirmID = shown.ID
			a.By, a.Surface = "ann", "test"
			out, err := w.Gate.Answer(ctx, shown.ID, a)
			if err != nil {
				t.Fatal(err)
			}
			if want := a.Verdict == ask.Approve; ((<-done).Decision.Behavior == engine.Allow) != want {
				t.Errorf("allowed: got %v, want %v", !want, want)
			}
			told := map[string]string{"the answer": jsonOf(t, out)}
			told["the event"] = jsonOf(t, <-events)
			rules, err := w.Gate.Rules(ctx, store.RuleFilter{})
			if err != nil {
				t.Fatal(err)
			}
			told["the rules"] = jsonOf(t, rules)
			files, err := filepath.Glob(filepath.Join(w.Dir, "state", "*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files: got %q, %v", files, err)
			}
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				told[filepath.Base(f)] = string(text)
			}
			for where, text := range told {
				for _, secret := range []string{planted, byName} {
					if at := strings.Index(text, secret); at >= 0 {
						t.Errorf("%s holds the secret: …%q…", where, text[max(0, at-60):min(len(text), at+40)])
					}
				}
			}
		})
	}
}

// TestT14_RuleWithASecretIsTold: the author of such a rule decides, with a warning.
func TestT14_RuleWithASecretIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: default}}\n")
	for content, want := range map[string]bool{"curl --token=" + planted: true, "npm test": false} {
		_, notes, err := w.Gate.AddRule(t.Context(), "ann", engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Allow, Scope: engine.Global})
		if got := strings.Contains(strings.Join(notes, " "), "secret"); err != nil || got != want {
			t.Errorf("%s: got notes %q, %v; want one on a secret: %v", content, notes, err, want)
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
