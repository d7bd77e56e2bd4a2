package assembly_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/wire"
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

// ownRules are n rules of the Bash tool about programs that nobody calls.
func ownRules(n int) string {
	var yaml strings.Builder
	for i := range n {
		fmt.Fprintf(&yaml, "  - {tool: Bash, content: \"program%d build:*\", behavior: %s}\n", i, []string{"deny", "ask", "allow"}[i%3])
	}
	return yaml.String()
}

// TestManyRules_ofTheOwnToolDecideTheSame: beside so many rules of its tool that its module names
// first words, a call is decided as beside a few, also where it cannot be read or prepared.
func TestManyRules_ofTheOwnToolDecideTheSame(t *testing.T) {
	t.Parallel()
	const rules = `
rules:
  - {tool: Bash, content: "rm:*", behavior: deny}
  - {tool: Bash, content: "git push", behavior: ask}
  - {tool: Bash, content: "npm run:*", behavior: allow}
  - {tool: Bash, content: "/opt/x y", behavior: allow}
  - {tool: Bash, content: "files: edit", behavior: ask}
  - {tool: Bash, content: "git * main", behavior: deny}
  - {tool: Read, content: "secret.txt", behavior: deny}
`
	const agents = "agents: {worker: {mode: default, working_directories: [PROJECT]}}\n"
	few, many := newWorld(t, rules+agents), newWorld(t, rules+ownRules(100)+agents)
	text, err := os.ReadFile(repo.File("testdata", "bench", "commands", "lines.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{"sudo -u root /bin/rm x", "npm run build && rm x", "echo 'rm x' > s.sh; bash s.sh", "$(cat x) y", "git  'push'", "/opt/x y", "cat secret.txt", "touch a", "git merge main", "eval x", `rm "`}
	for i, line := range strings.Split(string(text), "\n") {
		if i%5 == 0 && line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	inputs := []string{`{"command":7}`, `{"command":"rm x","more":1}`, `{}`}
	for _, line := range lines {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, string(input))
	}
	said := func(d engine.Decision) string {
		text := fmt.Sprint(d.Behavior, " ", d.Stage, " ", d.Code, " ", d.BypassImmune, " ")
		if d.Rule != nil {
			text += d.Rule.String()
		}
		return text
	}
	same := func(what string, claim func(w *world, r *wire.Request)) {
		for _, input := range inputs {
			var got [2]string
			for i, w := range []*world{few, many} {
				r := w.request("Bash", json.RawMessage(input))
				claim(w, &r)
				got[i] = said(w.evaluate("worker", r))
			}
			if got[0] != got[1] {
				t.Errorf("%s, %s: beside few rules %s, beside many %s", what, input, got[0], got[1])
			}
		}
	}
	same("a call", func(*world, *wire.Request) {})
	inputs = inputs[:12]
	same("a call of a sub-agent", func(w *world, r *wire.Request) {
		r.Context.Child = &wire.Child{Name: "x", WorkingDirectories: []string{w.at("sub")}}
	})
	for _, w := range []*world{few, many} {
		w.write(".callgate.yaml", "no: [mapping\n")
	}
	same("a call with an unreadable project file", func(*world, *wire.Request) {})
}

// TestManyRules_ofTheOwnToolCostLittle: a call beside 10,000 rules of its own tool takes no more
// memory than one beside ten. It counts the whole process's allocations, so it runs alone.
func TestManyRules_ofTheOwnToolCostLittle(t *testing.T) {
	if raceflag.Enabled {
		t.Skip("SKIPPED: the race detector allocates as well")
	}
	const calls, slack = 20, 100 << 10
	perCall := func(n int) uint64 {
		w := newWorld(t, "rules:\n  - allow: \"Bash(npm run:*)\"\n"+ownRules(n)+"agents: {worker: {mode: default, working_directories: [PROJECT]}}\n")
		anew := 0
		check := func() {
			anew++
			r := w.request("Bash", json.RawMessage(fmt.Sprintf(`{"command":"npm run build","description":"%d"}`, anew)))
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
	if few, many := perCall(10), perCall(manyRules); many > few+slack {
		t.Errorf("a call takes %d bytes beside %d rules of its own tool, and %d beside 10", many, manyRules, few)
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
