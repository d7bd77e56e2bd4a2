package host_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/project"
	"github.com/callgate/callgate/host/store"
	"github.com/callgate/callgate/host/target"
)

// benched is the gate that BenchmarkCheck measures: one allow rule for the call,
// a deny and an ask rule beside it that do not match, in a git project.
func benched(b *testing.B) (*world, gate.Request) { return benchedBeside(b, "") }

// benchedBeside is benched with more global rules, as lines of YAML.
func benchedBeside(b *testing.B, rules string) (*world, gate.Request) {
	w := newWorld(b, `
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
  - {tool: Bash, content: "rm -rf:*", behavior: deny}
  - {tool: Bash, content: "git push:*", behavior: ask}
`+rules+`agents:
  worker: {mode: default, working_directories: [PROJECT]}
`)
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	w.write("package.json", `{"scripts": {"build": "tsc"}}`)
	return w, w.bash("npm run build")
}

// BenchmarkCheck/gate is the whole Gate.Check of `npm run build`, allowed by a
// rule, audit on. In gate-named the client gives the call an id and reports its end.
// The others are its parts, in the order in which it runs them.
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
	measure("input", func() error { _, err := gate.StrictObject(r.Input); return err })
	measure("working_directories", func() error {
		_, err := p.targets.Directories(ctx, []string{w.project})
		return err
	})
	measure("project_roots", func() error {
		_, err := p.targets.ProjectRoots(ctx, w.project, []string{w.project})
		return err
	})
	measure("session", func() error { _, err := w.Store.TouchSession(ctx, p.session); return err })
	measure("digest", func() error { _ = gate.Digest("Bash", p.call.Input, w.project); return nil })
	measure("rules", func() error { _, err := w.Store.RulesFor(ctx, "worker", "s1", w.project, nil); return err })
	measure("project_file", func() error { _, err := p.projects.Load(ctx, w.project); return err })
	measure("describe_call", func() error { _, err := p.entry.Describe(ctx, p.call); return err })
	measure("targets", func() error {
		_, err := p.targets.Resolve(ctx, p.place, p.call.Input, p.desc.Targets)
		return err
	})
	for _, m := range []struct {
		behavior engine.Behavior
		content  string
	}{{engine.Deny, "rm -rf:*"}, {engine.Ask, "git push:*"}, {engine.Allow, "npm run:*"}} {
		measure("match_rule_"+m.behavior.String(), func() error {
			_, err := p.entry.Tool.MatchRule(ctx, p.call, m.behavior, []engine.RuleText{{Content: m.content}})
			return err
		})
	}
	measure("check_permissions", func() error { _, err := p.entry.Tool.CheckPermissions(ctx, p.call); return err })
	measure("audit", func() error { _, err := w.Store.Append(ctx, p.row()); return err })
}

// parts are what Gate.Check of a request works with.
type parts struct {
	entry    catalog.Entry
	call     *engine.Call
	desc     catalog.Description
	place    target.Place
	targets  *target.Resolver
	projects *project.Loader
	session  store.Session
	result   gate.Result
}

func (w *world) parts(b *testing.B, r gate.Request) parts {
	input, err := gate.StrictObject(r.Input)
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
	p.desc, related, err = gate.Touch(b.Context(), w.Catalog.Lookup, p.targets, p.entry, p.call)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d targets, %d calls of their owners, in %s", len(p.call.Context.Targets), len(related), filepath.Base(w.project))
	p.result = w.check("worker", r)
	return p
}

// row is an audit row like that of the whole check.
func (p parts) row() store.Row {
	rule := p.result.Decision.Rule
	return store.Row{
		Agent: "worker", Action: p.result.Action, Decision: store.Allowed, Detail: p.result.Decision.Reason, Session: "s1",
		Tool: "Bash", ModuleDigest: p.entry.Digest, Stage: string(p.result.Decision.Stage), Code: p.result.Decision.Code,
		RuleID: rule.ID, RuleText: rule.String(), CallID: rand.Text(), Digest: p.result.Digest, Input: string(p.call.Input),
	}
}
