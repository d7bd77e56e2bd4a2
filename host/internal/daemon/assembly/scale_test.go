package assembly_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
)

// The size of a configuration with promised instant use.
const manyRules, manyAgents = 10_000, 200

// large is a configuration of that size: a fifth of the rules are for everybody, the others for
// single agents. examples is how many rules in ten have a match and a not_match.
func large(examples int) string {
	var b strings.Builder
	rule := func(indent string, i int) {
		kind := []string{"allow", "deny", "ask"}[i%3]
		text, match, not := "", "", ""
		switch i % 5 {
		case 0:
			text, match, not = fmt.Sprintf("Bash(make target%d:*)", i), fmt.Sprintf("make target%d", i), "make other"
		case 1:
			text, match, not = fmt.Sprintf("Read(docs/part%d/**)", i), fmt.Sprintf("/docs/part%d/a.txt", i), "/other/a.txt"
		case 2:
			text, match, not = fmt.Sprintf("WebFetch(domain:site%d.example.com)", i), fmt.Sprintf("https://site%d.example.com/x", i), "https://example.org/"
		case 3:
			text = fmt.Sprintf("mcp__server%d__tool%d", i%50, i)
		default:
			text = fmt.Sprintf("mcp__server%d__get_%d_*", i%50, i)
		}
		fmt.Fprintf(&b, "%s- %s: %q\n", indent, kind, text)
		if match != "" && i/5%10 < examples {
			fmt.Fprintf(&b, "%s  match: [%q]\n%s  not_match: [%q]\n", indent, match, indent, not)
		}
	}
	b.WriteString("rules:\n")
	for i := range manyRules / 5 {
		rule("  ", i)
	}
	b.WriteString("agents:\n")
	for a := range manyAgents {
		fmt.Fprintf(&b, "  agent%d:\n    mode: default\n    working_directories: [/srv/agent%d]\n    rules:\n", a, a)
		for i := range manyRules * 4 / 5 / manyAgents {
			rule("      ", manyRules/5+a*40+i)
		}
	}
	return b.String()
}

// BenchmarkLoad measures the cost of bringing a configuration of 10,000 rules and 200 agents
// into force, and its parts.
func BenchmarkLoad(b *testing.B) {
	ctx := context.Background()
	for _, examples := range []int{0, 10} {
		w := newWorld(b, large(examples))
		trial := ruletest.Tester{Catalog: w.Catalog, Targets: targets()}
		measure := func(name string, part func() error) {
			b.Run(fmt.Sprintf("examples=%d/%s", examples, name), func(b *testing.B) {
				for b.Loop() {
					if err := part(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		parse := func() (*config.Config, error) { return config.Parse("test.yaml", []byte(w.yaml), w.dirs) }
		measure("parse", func() error { _, err := parse(); return err })
		cfg, err := parse()
		if err != nil {
			b.Fatal(err)
		}
		measure("try", func() error { return trial.CheckExamples(ctx, cfg) })
		measure("differ", func() error { cfg.Tighten(cfg); return nil })
		wider, err := config.Parse("test.yaml", []byte(strings.ReplaceAll(w.yaml, "make target", "make goal")), w.dirs)
		if err != nil {
			b.Fatal(err)
		}
		measure("differ-much", func() error { cfg.Tighten(wider); return nil })
		measure("apply", func() error { _, err := w.Apply(ctx, cfg); return err })
	}
}

// otherRules are rules of tools not called by BenchmarkManyRules: names, globs and contents.
func otherRules(n int) (yaml string, stored []engine.Rule) {
	var b strings.Builder
	for i := range n {
		r := engine.Rule{Tool: fmt.Sprintf("mcp__server%d__tool%d", i%50, i), Behavior: engine.Deny, Scope: engine.Global}
		switch i % 3 {
		case 1:
			r.Tool = fmt.Sprintf("mcp__server%d__get_%d_*", i%50, i)
		case 2:
			text := fmt.Sprintf("pattern%d", i)
			r.Tool, r.Content = "Grep", &text
		}
		stored = append(stored, r)
		fmt.Fprintf(&b, "  - deny: %q\n", r.String())
	}
	return b.String(), stored
}

// BenchmarkManyRules is BenchmarkCheck/gate beside 10 and beside 10,000 rules of
// other tools, in the configuration and in the store.
func BenchmarkManyRules(b *testing.B) {
	for _, n := range []int{10, manyRules} {
		yaml, stored := otherRules(n)
		for _, where := range []string{"config", "stored"} {
			inFile := ""
			if where == "config" {
				inFile = yaml
			}
			w, r := benchedBeside(b, inFile)
			if where == "stored" {
				for _, part := range slices.Collect(slices.Chunk(stored, 2000)) {
					if _, err := w.Store.ChangeRules(b.Context(), store.Change{Add: part, By: "bench"}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.Run(fmt.Sprintf("%s/%d", where, n), func(b *testing.B) {
				for b.Loop() {
					if res, err := w.Gate.Check(b.Context(), caller("worker"), r, nil); err != nil || res.Decision.Stage != engine.StageAllowRule {
						b.Fatalf("got %+v, %v, want allow by a rule", res, err)
					}
				}
			})
		}
	}
}

// BenchmarkManyStored measures work with 10,000 stored rules and as many sessions, apart from
// deciding.
func BenchmarkManyStored(b *testing.B) {
	w := newWorld(b, "rules: []\n")
	ctx := b.Context()
	_, stored := otherRules(manyRules)
	for part := range slices.Chunk(stored, 2000) {
		if _, err := w.Store.ChangeRules(ctx, store.Change{Add: part, By: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range manyRules {
		if _, err := w.Store.TouchSession(ctx, store.Session{ID: fmt.Sprint("s", i), Token: "check:worker", Agent: "worker"}); err != nil {
			b.Fatal(err)
		}
	}
	measure := func(name string, part func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := part(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	measure("list-rules", func() error { _, err := w.Gate.Rules(ctx, store.RuleFilter{}); return err })
	measure("list-sessions", func() error { _, err := w.Store.Sessions(ctx, store.SessionFilter{}); return err })
	measure("add-remove", func() error {
		r, _, err := w.Gate.AddRule(ctx, "bench", engine.Rule{Tool: "Bash", Behavior: engine.Allow, Scope: engine.Global})
		if err == nil {
			err = w.Gate.RemoveRule(ctx, "bench", r.ID)
		}
		return err
	})
	measure("restart", func() error {
		if err := w.Close(); err != nil {
			return err
		}
		w.open()
		return nil
	})
}

func targets() *target.Resolver { return &target.Resolver{FS: target.OS()} }
