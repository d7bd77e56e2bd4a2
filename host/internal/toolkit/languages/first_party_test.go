package languages

import (
	"io/fs"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/plugins"
)

// quickRules are those taking seconds on a module of many tools: `callgate tool conformance
// plugins/dist/standard.wasm` tries the others as well.
var quickRules = []string{"abi.", "describe.", "suggest.", "input.unreadable", "input.unreadable-deny", "input.control", "work.bounded"}

// TestFirstPartyConforms: Callgate's own modules keep the promises required of all others.
func TestFirstPartyConforms(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("a Go module compiles for minutes under the race detector; go test without -race runs it")
	}
	compiledtest.Modules(t)
	options := conformance.Options{Seed: 1, Generated: 4, Only: quickRules}
	bench, err := workbench.Open(t.Context(), workbench.Options{CacheDir: compiledtest.Cache(), Limits: sandbox.Limits{CompileTime: 10 * time.Minute, Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := bench.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range plugins.Names() {
		t.Run(name, func(t *testing.T) {
			wasm, err := fs.ReadFile(plugins.Modules(), name)
			if err != nil {
				t.Fatal(err)
			}
			m, problem := bench.LoadBytes(t.Context(), name, wasm)
			report, err := conformance.Check(t.Context(), conformance.Of(bench, m, problem), options)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if f.Level == conformance.Failed {
					t.Errorf("%s %s %s: tried %s, came %s", f.ID, f.Tool, f.Verb, f.Tried, f.Came)
				}
			}
			passed := report.Count(conformance.Passed)
			t.Logf("%d calls, %d rules passed", report.Calls, passed)
			if !report.Conforms() || passed < 15 {
				t.Errorf("%s: %d rules passed, conforms: %t; want 15, and it to conform", name, passed, report.Conforms())
			}
		})
	}
}
