package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/wire"
)

// Options say how the calls are put. The zero value is somebody who stores nothing, in
// the modes of the record, each session in a project of its own.
type Options struct {
	// Modules are the first-party modules.
	Modules fs.FS
	// Compiler is the command that compiles modules; see sandbox.Config.
	Compiler []string
	// CacheDir keeps compiled modules between runs; empty keeps nothing.
	CacheDir string
	// Config is the text of a configuration file, as Settings returns it.
	Config []byte
	// Mode is the mode to decide in; empty means that of each call, or else the
	// configuration's.
	Mode string
	// Store has the approver store the first set of rules on offer, for the project.
	Store bool
	// Shared has all sessions of one project share it, and so the rules stored there.
	Shared bool
}

// patience is what one call of a module may take on a busy machine.
const patience = time.Minute

// approverName answers in a replay.
const approverName = "replay"

// Run puts the calls of all sessions to one gate and returns what became of them, in
// their order. Everything it made on disk is gone then.
func Run(ctx context.Context, sessions []Session, o Options) (outcomes []Outcome, err error) {
	err = withGate(ctx, o, func(g *running) error {
		outcomes, err = g.all(ctx, sessions)
		return err
	})
	return outcomes, err
}

// running is a gate that calls are put to.
type running struct {
	host *assembly.Host
	o    Options
	dir  string

	mu    sync.Mutex
	asked map[string]asked
}

// asked is an ask with what its answer could not do.
type asked struct {
	ask.Ask
	refused error
}

// withGate opens a gate in a temporary directory, with its approver, for f.
func withGate(ctx context.Context, o Options, f func(*running) error) (err error) {
	dir, err := makeDir(o.CacheDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	own := filepath.Join(dir, "gate")
	dirs := config.Dirs{Home: own, Config: filepath.Join(own, "config"), State: filepath.Join(own, "state"), Cache: o.CacheDir}
	if dirs.Cache == "" {
		dirs.Cache = filepath.Join(own, "cache")
	}
	cfg, err := config.Parse("replay.yaml", o.Config, dirs)
	if err != nil {
		return err
	}
	cfg.File = "" // it has no file to watch
	// Fuel still bounds a call, and is the same on every machine: a time-out of the clock
	// would count the machine's load as asks.
	cfg.Modules.Limits.Timeout = config.Duration(patience)
	host, err := assembly.Open(ctx, assembly.Options{Config: cfg, CacheDir: dirs.Cache, Modules: o.Modules, Compiler: o.Compiler})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	g := &running{host: host, o: o, dir: filepath.Join(dir, "fs"), asked: map[string]asked{}}
	defer host.Asks.Attach(ask.Surface{Name: approverName, Approver: approverName})()
	defer g.approve(ctx)()
	return f(g)
}

// makeDir makes a directory beside the cache: a project in the system's temporary directory would
// be asked about more often, because anybody may put files there.
func makeDir(cache string) (string, error) {
	const name = "callgate-replay-"
	if cache != "" {
		if dir, err := os.MkdirTemp(filepath.Dir(cache), name); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", name)
}

// approve answers every ask that is shown, until stop is called, which waits for its end.
func (g *running) approve(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	events := g.host.Asks.Subscribe(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range events {
			switch ev.Kind {
			case ask.EventShown:
				g.answer(ctx, ev.Ask)
			case ask.EventLagged:
				for _, a := range g.host.Asks.Waiting(ask.Filter{State: ask.Shown}) {
					g.answer(ctx, a)
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// answer approves, and stores the first set on offer when that is the policy and it can
// be stored.
func (g *running) answer(ctx context.Context, a ask.Ask) {
	said := ask.Answer{Verdict: ask.Approve, By: approverName, Surface: approverName, ConfirmID: a.ID}
	if s := a.Decision.Suggestions; g.o.Store && len(s) > 0 {
		said.Sets = []int{s[0].Set}
	}
	g.mu.Lock()
	g.asked[a.ID] = asked{Ask: a}
	g.mu.Unlock()
	_, err := g.host.Gate.Answer(ctx, a.ID, said)
	if err == nil || len(said.Sets) == 0 {
		return
	}
	g.mu.Lock()
	g.asked[a.ID] = asked{a, err}
	g.mu.Unlock()
	said.Sets = nil
	_, _ = g.host.Gate.Answer(ctx, a.ID, said) // an ask that ended meanwhile needs no answer
}

// take returns an ask and forgets it.
func (g *running) take(id string) asked {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.asked[id]
	delete(g.asked, id)
	return a
}

// all puts every session, those of one project one after the other.
func (g *running) all(ctx context.Context, sessions []Session) ([]Outcome, error) {
	type key struct{ source, repository string }
	var projects [][]int
	at := map[key]int{}
	repository := repositories(sessions)
	for i, s := range sessions {
		k := key{s.Source, repository[i]}
		n, known := at[k]
		if !known || !g.o.Shared {
			n = len(projects)
			at[k] = n
			projects = append(projects, nil)
		}
		projects[n] = append(projects[n], i)
	}
	found := make([][]Outcome, len(sessions))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for n, members := range projects {
		work.Go(func() error {
			for _, i := range members {
				p, err := newPlace(filepath.Join(g.dir, strconv.Itoa(n)), sessions[i], repository[i])
				if err != nil {
					return fmt.Errorf("make the project %s: %w", sessions[i].Root, err)
				}
				if found[i], err = g.session(ctx, p, i, sessions[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	var all []Outcome
	for _, o := range found {
		all = append(all, o...)
	}
	return all, nil
}

// session puts the calls of one session, one after the other, as an agent does.
func (g *running) session(ctx context.Context, p place, n int, s Session) ([]Outcome, error) {
	out := make([]Outcome, 0, len(s.Calls))
	known := newMemory()
	for i, c := range s.Calls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		req := g.request(p, n, i, c)
		if s.Claude {
			req.Context.WorkingDirectories = append(req.Context.WorkingDirectories, p.plans())
		}
		o := Outcome{Source: s.Source, Session: s.ID, Seq: i, Tool: c.Tool, Input: json.RawMessage(c.Input), CWD: c.CWD, call: engine.Call{
			Tool: c.Tool, Input: req.Input, Context: engine.Context{CWD: req.Context.CWD, Home: p.home, WorkingDirectories: req.Context.WorkingDirectories, ProjectRoot: p.root},
		}}
		res, err := g.host.Gate.Check(ctx, authority.Caller{Token: approverName, Kind: authority.Integrator}, req, nil)
		o.settle(p, res, err)
		if res.AskID != "" {
			o.ask(p, g.take(res.AskID), g.o.Store)
			known.note(&o)
		}
		out = append(out, o)
	}
	return out, nil
}

// request is the call as the agent's client would put it.
func (g *running) request(p place, n, i int, c Call) wire.Request {
	input, cwd := p.put(c)
	return wire.Request{
		CallID: fmt.Sprintf("c%d-%d", n, i), Tool: c.Tool, Input: input, Timeout: time.Hour,
		Context: wire.CallContext{Agent: approverName, Session: fmt.Sprintf("s%d", n), Mode: cmp.Or(g.o.Mode, c.Mode), CWD: cwd, Home: p.home, WorkingDirectories: []string{p.root}},
	}
}
