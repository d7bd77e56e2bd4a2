package assembly_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// TestManyRules_ofOtherToolsCostACallNothing: a call beside 10,000 rules of other tools takes
// no more memory, and so no more work, than one beside ten. It counts the whole process's
// allocations, so it runs alone.
func TestManyRules_ofOtherToolsCostACallNothing(t *testing.T) {
	if raceflag.Enabled {
		t.Skip("SKIPPED: 20,000 rules take two minutes under the race detector, which allocates as well, and one goroutine")
	}
	const calls, slack = 20, 100 << 10
	perCall := func(n int, where string) uint64 {
		yaml, stored := otherRules(n)
		if where == "stored" {
			yaml = ""
		}
		w := newWorld(t, "rules:\n  - allow: \"Bash(npm run:*)\"\n"+yaml+"agents: {worker: {mode: default, working_directories: [PROJECT]}}\n")
		if where == "stored" {
			for len(stored) > 0 {
				part := min(len(stored), 2000)
				if _, err := w.Store.ChangeRules(t.Context(), store.Change{Add: stored[:part], By: "test"}); err != nil {
					t.Fatal(err)
				}
				stored = stored[part:]
			}
		}
		r := w.bash("npm run build")
		check := func() {
			if d := w.check("worker", r).Decision; d.Behavior != engine.Allow {
				t.Fatalf("got %+v, want allow", d)
			}
		}
		check()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			check()
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / calls
	}
	for _, where := range []string{"config", "stored"} {
		few, many := perCall(10, where), perCall(manyRules, where)
		if many > few+slack {
			t.Errorf("%s: a call takes %d bytes beside %d rules of other tools, and %d beside 10", where, many, manyRules, few)
		}
	}
}

// TestReload_noDecisionMixesTwoConfigurations: while the configuration of 200 agents changes
// between two, each call is decided by one of them. In each of the two one agent's mode and
// rules belong together: no mixture decides the same.
func TestReload_noDecisionMixesTwoConfigurations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "rules: []\n")
	// In odd, the mode asks and a rule denies; in even, the mode denies calls without a rule
	// and the rule asks, which dont_ask makes a denial by the ask rule.
	text := func(odd bool) string {
		mode, behavior := "dont_ask", "ask"
		if odd {
			mode, behavior = "default", "deny"
		}
		var b strings.Builder
		b.WriteString("agents:\n")
		for a := range manyAgents {
			fmt.Fprintf(&b, "  agent%d:\n    mode: %s\n    working_directories: [%q]\n    rules:\n", a, mode, w.project)
			for i := range 10 {
				fmt.Fprintf(&b, "      - {tool: Bash, content: \"make t%d\", behavior: %s, reason: %s}\n", i, behavior, mode)
			}
		}
		return b.String()
	}
	var configs [2]*config.Config
	for i := range configs {
		var err error
		if configs[i], err = config.Parse("test.yaml", []byte(text(i == 1)), w.dirs); err != nil {
			t.Fatal(err)
		}
	}
	apply := func(i int) {
		if _, err := w.Apply(context.Background(), configs[i]); err != nil {
			t.Error(err)
		}
		if state := w.ConfigState(); state.Pending != "" {
			if _, err := w.AcceptConfig(context.Background(), state.Pending, "ann"); err != nil {
				t.Error(err)
			}
		}
	}
	apply(0)
	stop := make(chan struct{})
	var reloads sync.WaitGroup
	reloads.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				apply(i % 2)
			}
		}
	})
	seen := map[string]int{}
	var mu sync.Mutex
	var calls sync.WaitGroup
	for n := range 4 {
		calls.Go(func() {
			for i := range 60 {
				agent := fmt.Sprintf("agent%d", (n*61+i*7)%manyAgents)
				d := w.evaluate(agent, w.bash(fmt.Sprintf("make t%d", i%10)))
				// The stricter of both, while one waits, denies by the deny rule, in mode
				// dont_ask.
				got := fmt.Sprintf("%s %s", d.Behavior, d.Reason)
				mu.Lock()
				seen[got]++
				mu.Unlock()
				if d.Behavior != engine.Deny || d.Rule == nil || d.Rule.Behavior == engine.Deny && d.Reason != "default" || d.Rule.Behavior == engine.Ask && d.Reason != "dont_ask" {
					t.Errorf("%s: got %+v: no configuration says that", agent, d)
				}
				if d.Rule != nil && d.Rule.ScopeKey != agent {
					t.Errorf("%s is judged by a rule of %s", agent, d.Rule.ScopeKey)
				}
			}
		})
	}
	calls.Wait()
	close(stop)
	reloads.Wait()
	if len(seen) == 0 {
		t.Error("nothing was decided")
	}
	t.Log(seen)
}
