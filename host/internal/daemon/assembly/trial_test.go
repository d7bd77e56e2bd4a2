package assembly_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// counted counts resolutions: every trial of a rule or example takes one.
type counted struct {
	target.Resolver
	tried atomic.Int64
}

func (c *counted) Resolve(ctx context.Context, p target.Place, input json.RawMessage, targets []engine.Target) ([]engine.Target, error) {
	c.tried.Add(1)
	return c.Resolver.Resolve(ctx, p, input, targets)
}

// trialOf tries a configuration and returns the number of trials.
func (w *world) trialOf(yaml string, tried *ruletest.Cache) (int64, error) {
	w.t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(yaml), w.dirs)
	if err != nil {
		w.t.Fatal(err)
	}
	targets := &counted{Resolver: target.Resolver{FS: target.OS()}}
	err = ruletest.Tester{Catalog: w.Catalog, Targets: targets, Cache: tried}.CheckExamples(w.t.Context(), cfg)
	return targets.tried.Load(), err
}

// TestTrial_ofManyRulesTellsTheFirstWrongOne: rules are tried many at once, and the reported
// one is the first in the file.
func TestTrial_ofManyRulesTellsTheFirstWrongOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "rules: []\n")
	good := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  - {allow: \"Bash(make t%d:*)\"}\n  - {deny: \"Read(docs/%d/**)\"}\n  - {ask: \"WebFetch(domain:s%d.example.com)\"}\n", i, i, i)
		}
		return b.String()
	}
	wrong := "  - {allow: \"Bash(make x:*)\", match: [make y]}\n"
	unread := "  - {allow: \"WebFetch(https://exa mple.com/)\"}\n"
	for _, tc := range []struct{ what, rules, want string }{
		{"all good", good(300), ""},
		{"rules that match the tools' own examples", "  - {deny: \"Bash(git:*)\"}\n  - {deny: \"Bash(npm:*)\"}\n  - {deny: \"Bash(ls:*)\"}\n  - {deny: \"Read(**)\"}\n", ""},
		{"an example", good(3) + wrong + good(3), "test.yaml:11:"},
		{"two examples", good(3) + wrong + wrong, "test.yaml:11:"},
		{"a content that means nothing", good(3) + unread + good(300), "test.yaml:11:"},
		{"two of them", good(1) + unread + good(1) + unread, "test.yaml:5:"},
		{"a content, told before an example", wrong + unread, "test.yaml:3:"},
	} {
		_, err := w.trialOf("rules:\n"+tc.rules, nil)
		if (err == nil) != (tc.want == "") || err != nil && !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.what, err, tc.want)
		}
	}
	few, err := w.trialOf("rules:\n"+good(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if many, err := w.trialOf("rules:\n"+good(80), nil); err != nil || many > few {
		t.Errorf("80 times the rules: %d trials in place of %d, %v", many, few, err)
	}
}

// TestTrial_isNotRepeated: passed rules are not tried again, by this process or the next one;
// changed ones are, and so is everything after a change of the cache.
func TestTrial_isNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "rules: []\n")
	cache := t.TempDir()
	var reports []error
	open := func() *ruletest.Cache {
		tried, err := ruletest.OpenCache(cache, func(err error) { reports = append(reports, err) })
		if err != nil {
			t.Fatal(err)
		}
		return tried
	}
	yaml := "rules:\n  - {allow: \"Bash(make x:*)\", match: [make x, make x y], not_match: [make]}\n  - {deny: \"Read(docs/**)\", match: [/docs/a]}\n"
	tried := open()
	all, err := w.trialOf(yaml, tried)
	if err != nil || all < 4 {
		t.Fatalf("got %d trials, %v, want each example tried", all, err)
	}
	for what, tried := range map[string]*ruletest.Cache{"the same process": tried, "the next one": open()} {
		if again, err := w.trialOf(yaml, tried); again != 0 || err != nil {
			t.Errorf("%s: got %d trials, %v, want none", what, again, err)
		}
	}
	more := yaml + "  - {deny: \"Bash(rm:*)\", match: [rm x]}\n"
	if some, err := w.trialOf(more, open()); err != nil || some == 0 || some >= all {
		t.Errorf("one rule more: got %d trials, %v, want fewer than %d", some, err, all)
	}
	if _, err := w.trialOf(strings.Replace(yaml, "not_match: [make]", "not_match: [make x z]", 1), tried); err == nil {
		t.Error("a changed example that is wrong: got no error")
	}
	file := filepath.Join(cache, "trials", "rules.1")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := w.trialOf(yaml, open()); again != all || err != nil || len(reports) != 1 {
		t.Errorf("a touched cache: got %d trials, %v, reports %v, want %d and one report", again, err, reports, all)
	}
}

// TestTrial_rulesOfAToolYetToBeAdded: adding a module takes a running daemon, so rules only it
// can read do not keep the daemon from starting. They allow nothing, and deny their possible
// meanings; a rule a loaded module cannot read is still refused.
func TestTrial_rulesOfAToolYetToBeAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
rules:
  - {allow: "Deploy(deploy staging/*)", match: ['{"operation": "deploy", "target": "staging/web"}']}
  - {deny: "Launch(all of it)"}
`)
	for tool, want := range map[string]engine.Behavior{"Deploy": engine.Ask, "Launch": engine.Deny} {
		if d := w.evaluate("dev", w.request(tool, json.RawMessage(`{"operation": "deploy", "target": "staging/web"}`))); d.Behavior != want {
			t.Errorf("%s: got %s (%s), want %s", tool, d.Behavior, d.Reason, want)
		}
	}
	_, err := w.trialOf("rules:\n  - {allow: \"Bash(make x:*)\", match: [make y]}\n", nil)
	if err == nil {
		t.Error("a rule that Bash reads otherwise than its example says: got no error")
	}
	if _, err := w.trialOf("rules:\n  - {allow: \"Deploy(x)\", match: ['{\"a\": 1}']}\n", nil); err == nil {
		t.Error("without anybody to hear of it: got no error")
	}
}
