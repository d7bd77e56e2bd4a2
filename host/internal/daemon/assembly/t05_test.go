package assembly_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// TestT05_newModuleReadsRulesMoreWidely: the file of a module changes while the host
// runs, and the new one takes staging/* for every target. The allow rule is suspended
// before it is in force, and told; the deny rule stays. With the module before, the
// rule holds again.
func TestT05_newModuleReadsRulesMoreWidely(t *testing.T) {
	t.Parallel()
	s := &swapper{world: newWorld(t, `
modules: {dev: true, grants: {d: {names: [Deploy], limits: {timeout: 1m}}}}
agents: {worker: {mode: default, working_directories: [PROJECT]}}
`), modules: swaptest.Open(t, repo.File("testdata"))}
	told := make(chan modules.Outcome, 10)
	s.Swaps(listener(func(o modules.Outcome) { told <- o }))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.WatchModules(ctx) // it ends with ctx
	}()
	t.Cleanup(func() { cancel(); <-done })
	put := func(wasm []byte) wire.ModuleSwap {
		t.Helper()
		s.install("new", wasm)
		dir := filepath.Join(s.dirs.Config, "modules")
		if err := os.Rename(filepath.Join(dir, "new.wasm"), filepath.Join(dir, "d.wasm")); err != nil {
			t.Fatal(err)
		}
		for late := time.After(time.Minute); ; {
			select {
			case o := <-told:
				for _, swap := range o.Swaps {
					if swap.Is == sandbox.Digest(wasm) && swap.File == "d.wasm" {
						return swap
					}
				}
			case <-late:
				t.Fatalf("not swapped within a minute: %+v", s.Catalog.Modules())
			}
		}
	}
	want := func(step, target string, b engine.Behavior) {
		t.Helper()
		if d := s.evaluate("worker", s.deploy(target)); d.Behavior != b {
			t.Errorf("%s: %s: got %+v; want %s", step, target, d, b)
		}
	}
	put(s.modules.Version(1))
	content := "staging/*"
	for _, r := range []engine.Rule{
		{Tool: "Deploy", Content: &content, Behavior: engine.Allow, Scope: engine.Global, NotMatch: []string{`{"target":"elsewhere/a"}`}},
		{Tool: "Deploy", Content: &content, Behavior: engine.Deny, Scope: engine.Agent, ScopeKey: "other"},
	} {
		if _, _, err := s.Gate.AddRule(t.Context(), "ann", r); err != nil {
			t.Fatal(err)
		}
	}
	unused := func() string {
		t.Helper()
		rules, err := s.Gate.Rules(t.Context(), store.RuleFilter{Tool: "Deploy"})
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for id, why := range s.Gate.Unused(rules) {
			i := slices.IndexFunc(rules, func(r engine.Rule) bool { return r.ID == id })
			told = append(told, rules[i].Behavior.String()+" "+rules[i].String()+": "+why)
		}
		return strings.Join(told, "; ")
	}
	if got := unused(); got != "" {
		t.Errorf("before a swap: %q, want each rule used", got)
	}
	want("before", "staging/x", engine.Allow)
	want("before", "elsewhere/x", engine.Ask)
	if swap := put(s.modules.Wider(2)); swap.What != wire.SwapSwapped || !slices.Equal(swap.Suspended, []string{"Deploy(staging/*) global"}) {
		t.Errorf("got %+v; want the allow rule suspended", swap)
	}
	want("wider", "elsewhere/x", engine.Ask)
	want("wider", "staging/x", engine.Ask)
	if got := unused(); !strings.Contains(got, "allow Deploy(staging/*): not used with ") || strings.Contains(got, "deny") {
		t.Errorf("it is told %q; want that the allow rule is not used", got)
	}
	if swap := put(s.modules.Version(1)); len(swap.Suspended) != 0 {
		t.Errorf("got %+v; want nothing suspended", swap)
	}
	want("back", "staging/x", engine.Allow)
	if got := unused(); got != "" {
		t.Errorf("with the version before: %q, want each rule used", got)
	}
}
