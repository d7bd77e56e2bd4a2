//go:build unix

package assembly_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/rounds"
)

// BenchmarkSimulate is a simulation over 100,000 audited calls of 40 sessions, six in ten of Bash with
// the lines of testdata/bench/commands, the others of Read and Edit. One call in twenty was asked about
// or denied. 1,000, 10,000 or all of the calls differ. The rules: one that allows, one
// that denies, and one that denies files to every tool. cpu-ms is the processor time, on any
// load.
func BenchmarkSimulate(b *testing.B) {
	for _, different := range []int{1000, 10_000, simulatedCalls} {
		w := newWorld(b, lattice)
		w.write(".git/HEAD", "ref: refs/heads/main\n")
		w.fillAudit(b, different)
		for _, c := range []struct{ name, rule string }{{"allow", "Bash(npm run:*)"}, {"deny", "Bash(git push:*)"}, {"files", "Write(secret/**)"}} {
			b.Run(fmt.Sprint(different, "/", c.name), func(b *testing.B) {
				r, err := engine.ParseRule(c.rule)
				if err != nil {
					b.Fatal(err)
				}
				if r.Behavior, r.Scope = engine.Deny, engine.Global; c.name == "allow" {
					r.Behavior = engine.Allow
				}
				used := rounds.CPU()
				for b.Loop() {
					got, err := w.Gate.Simulate(b.Context(), gate.Simulation{Add: []engine.Rule{r}, Since: time.Now().AddDate(0, 0, -7), Rows: 100, Within: time.Minute}, nil)
					if err != nil || got.Calls != simulatedCalls || got.Untried > 0 {
						got.Rows = nil
						b.Fatalf("got %+v, %v", got, err)
					}
					b.ReportMetric(float64(got.Judged), "judged")
				}
				b.ReportMetric(float64((rounds.CPU()-used).Milliseconds())/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// simulatedCalls are the past calls of the benchmark.
const simulatedCalls = 100_000

// fillAudit puts past calls into the audit, n of them different.
func (w *world) fillAudit(b *testing.B, n int) {
	b.Helper()
	text, err := os.ReadFile(repo.File("testdata", "bench", "commands", "lines.txt"))
	if err != nil {
		b.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" || line[0] == '#' })
	for i := range 40 {
		w.pastSession(b, "default", fmt.Sprint("s", i))
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range 256 {
		wait.Go(func() {
			for i := int(next.Add(1)); i <= simulatedCalls; i = int(next.Add(1)) {
				same := i % n
				tool, input := "Bash", object("command", lines[same%len(lines)], "description", fmt.Sprint("Call ", same))
				switch same % 10 {
				case 0, 1, 2:
					tool, input = "Read", object("file_path", fmt.Sprintf("%s/src/%d.go", w.project, same))
				case 3:
					tool, input = "Edit", object("file_path", fmt.Sprintf("%s/src/%d.go", w.project, same), "old_string", "a", "new_string", "b")
				}
				outcome := store.Allowed
				if same%20 == 7 {
					outcome = []store.Outcome{store.AskApproved, store.AskDenied, store.Denied}[same/20%3]
				}
				w.past(b, time.Now(), "default", fmt.Sprint("s", i%40), tool, string(input), outcome)
			}
		})
	}
	wait.Wait()
}
