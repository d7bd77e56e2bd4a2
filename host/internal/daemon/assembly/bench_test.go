package assembly_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// benched is the gate for BenchmarkCheck: one allow rule for the call, an unmatched deny and
// ask rule beside it, in a git project.
func benched(b *testing.B) (*world, wire.Request) { return benchedBeside(b, "") }

// benchedBeside is benched with more global rules, as lines of YAML.
func benchedBeside(b *testing.B, rules string) (*world, wire.Request) {
	return benchedIn(b, "default", rules)
}

// benchedIn is benchedBeside in a mode.
func benchedIn(b *testing.B, mode, rules string) (*world, wire.Request) {
	w := newWorld(b, `
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
  - {tool: Bash, content: "rm -rf:*", behavior: deny}
  - {tool: Bash, content: "git push:*", behavior: ask}
`+rules+`agents:
  worker: {mode: `+mode+`, working_directories: [PROJECT]}
`)
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	w.write("package.json", `{"scripts": {"build": "tsc"}}`)
	return w, w.bash("npm run build")
}

// BenchmarkCheck/gate is the whole Gate.Check of `npm run build`, allowed by a rule, audit on,
// again and again: the module's answers are remembered. In gate-named the client gives the call
// an id and reports its end. The others are its parts, in order.
func BenchmarkCheck(b *testing.B) {
	w, r := benched(b)
	ctx := context.Background()
	measure := func(name string, part func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := part(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	measure("gate", func() error {
		res, err := w.Gate.Check(ctx, caller("worker"), r, nil)
		if err == nil && res.Decision.Stage != engine.StageAllowRule {
			err = fmt.Errorf("got %+v, want allow by a rule", res.Decision)
		}
		return err
	})
	measure("gate-named", func() error {
		named := r
		named.CallID, named.Reports = rand.Text(), true
		res, err := w.Gate.Check(ctx, caller("worker"), named, nil)
		if err == nil && res.Decision.Stage != engine.StageAllowRule {
			err = fmt.Errorf("got %+v, want allow by a rule", res.Decision)
		}
		return err
	})
	b.Run("gate-parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if res, err := w.Gate.Check(ctx, caller("worker"), r, nil); err != nil || res.Decision.Behavior != engine.Allow {
					b.Errorf("got %+v, %v", res.Decision, err)
				}
			}
		})
	})
	p := w.parts(b, r)
	anew := 0
	fresh := func() *engine.Call { // no answer to it is remembered
		anew++
		p.call.Input = json.RawMessage(fmt.Sprintf(`{"command":"npm run build","description":"%d"}`, anew))
		return p.call
	}
	measure("input", func() error { _, err := strictjson.Object(r.Input); return err })
	measure("working_directories", func() error {
		_, err := p.targets.Directories(ctx, []string{w.project})
		return err
	})
	measure("project_roots", func() error {
		_, err := p.targets.Project(ctx, w.project, []string{w.project})
		return err
	})
	measure("session", func() error { _, err := w.Store.TouchSession(ctx, p.session); return err })
	measure("digest", func() error { _ = gate.Digest("Bash", p.call.Input, w.project); return nil })
	measure("rules", func() error { _, err := w.Store.RulesFor(ctx, "worker", "s1", w.project, nil); return err })
	measure("project_file", func() error { _, err := p.projects.Load(ctx, w.project); return err })
	measure("describe_call", func() error { _, err := p.entry.Describe(ctx, fresh()); return err })
	measure("targets", func() error {
		_, err := p.targets.Resolve(ctx, p.place, p.call.Input, p.desc.Targets)
		return err
	})
	for _, m := range []struct {
		behavior engine.Behavior
		content  string
	}{{engine.Deny, "rm -rf:*"}, {engine.Ask, "git push:*"}, {engine.Allow, "npm run:*"}} {
		measure("match_rule_"+m.behavior.String(), func() error {
			_, err := p.entry.Tool.MatchRule(ctx, fresh(), m.behavior, []engine.RuleText{{Content: m.content}})
			return err
		})
	}
	measure("check_permissions", func() error { _, err := p.entry.Tool.CheckPermissions(ctx, fresh()); return err })
	measure("audit", func() error { _, err := w.Store.Append(ctx, p.row()); return err })
}

// BenchmarkLines is Gate.Check of 300 command lines as agents write them, each asked for
// the first time, with rules of all three kinds and the audit on; an ask denies at once.
func BenchmarkLines(b *testing.B) {
	w, lines := linesWorld(b)
	b.ReportAllocs()
	var took []time.Duration
	n := 0
	for b.Loop() {
		began := time.Now()
		if _, err := w.Gate.Check(b.Context(), caller("worker"), lines(n), nil); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		n++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "ns/median")
	b.ReportMetric(float64(took[len(took)*99/100]), "ns/p99")
}

// BenchmarkThroughput is BenchmarkLines by 64 clients at once.
func BenchmarkThroughput(b *testing.B) {
	w, lines := linesWorld(b)
	throughput(b, w, lines)
}

// BenchmarkThroughputAgain is BenchmarkThroughput of lines that were asked for before, as most
// lines of a session were.
func BenchmarkThroughputAgain(b *testing.B) {
	w, lines := linesWorld(b)
	known := make([]wire.Request, 300)
	for i := range known {
		known[i] = lines(i)
		if _, err := w.Gate.Check(b.Context(), caller("worker"), known[i], nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	throughput(b, w, func(n int) wire.Request { return known[n%len(known)] })
}

// throughput checks calls by 64 clients at once.
func throughput(b *testing.B, w *world, call func(n int) wire.Request) {
	var n atomic.Int64
	b.SetParallelism((64 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	began := time.Now()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := w.Gate.Check(b.Context(), caller("worker"), call(int(n.Add(1))), nil); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(n.Load())/time.Since(began).Seconds(), "decisions/s")
}

// BenchmarkOwnRules is BenchmarkCheck/gate of a new line beside 10 and beside 10,000
// rules of its own tool.
func BenchmarkOwnRules(b *testing.B) {
	for _, n := range []int{10, manyRules} {
		w, r := benchedBeside(b, ownRules(n))
		anew := 0
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				anew++
				r.Input = json.RawMessage(fmt.Sprintf(`{"command":"npm run build","description":"%d"}`, anew))
				if res, err := w.Gate.Check(b.Context(), caller("worker"), r, nil); err != nil || res.Decision.Stage != engine.StageAllowRule {
					b.Fatalf("got %+v, %v, want allow by a rule", res, err)
				}
			}
		})
	}
}

// linesWorld is a gate and requests with the lines of testdata/bench/commands, none
// twice the same.
func linesWorld(b *testing.B) (*world, func(n int) wire.Request) {
	w, r := benchedIn(b, "dont_ask", "")
	text, err := os.ReadFile(repo.File("testdata", "bench", "commands", "lines.txt"))
	if err != nil {
		b.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" || line[0] == '#' })
	return w, func(n int) wire.Request {
		input, err := json.Marshal(map[string]string{"command": lines[n%len(lines)], "description": fmt.Sprint(n)})
		if err != nil {
			b.Error(err)
		}
		q := r
		q.Input = input
		return q
	}
}

// parts are the data of a Gate.Check.
type parts struct {
	entry    modules.Entry
	call     *engine.Call
	desc     modules.Description
	place    target.Place
	targets  *target.Resolver
	projects *project.Loader
	session  store.Session
	result   wire.Result
}

func (w *world) parts(b *testing.B, r wire.Request) parts {
	input, err := strictjson.Object(r.Input)
	if err != nil {
		b.Fatal(err)
	}
	p := parts{
		entry: w.Catalog.Lookup("Bash"), targets: &target.Resolver{FS: target.OS()}, projects: &project.Loader{},
		place:   target.Place{CWD: w.project, Home: w.dirs.Home, WorkingDirectories: []string{w.project}},
		session: store.Session{ID: "s1", Token: "check:worker", Agent: "worker", CWD: w.project, ProjectRoot: w.project},
		call: &engine.Call{Tool: "Bash", Input: input, Context: engine.Context{
			Agent: "worker", Session: "s1", CWD: w.project, Home: w.dirs.Home, WorkingDirectories: []string{w.project}, ProjectRoot: w.project,
		}},
	}
	var related []engine.Related
	p.desc, related, err = describe.Call(b.Context(), w.Catalog.Lookup, p.targets, p.entry, p.call)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d targets, %d calls of their owners, in %s", len(p.call.Context.Targets), len(related), filepath.Base(w.project))
	p.result = w.check("worker", r)
	return p
}

// row is an audit row like the one of the whole check.
func (p parts) row() store.Row {
	rule := p.result.Decision.Rule
	return store.Row{
		Agent: "worker", Action: p.result.Action, Decision: store.Allowed, Detail: p.result.Decision.Reason, Session: "s1",
		Tool: "Bash", ModuleDigest: p.entry.Digest, Stage: string(p.result.Decision.Stage), Code: p.result.Decision.Code,
		RuleID: rule.ID, RuleText: rule.String(), CallID: rand.Text(), Digest: p.result.Digest, Input: string(p.call.Input),
	}
}
