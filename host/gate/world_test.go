package gate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/internal/storetest"
	"github.com/callgate/callgate/host/project"
	"github.com/callgate/callgate/host/store"
	"github.com/callgate/callgate/host/target"
)

// tool is a tool in Go: rules match when their content is the member "value" of
// the input, and one of them is proposed for it. It keeps the contexts it saw.
type tool struct {
	mu    sync.Mutex
	seen  []engine.Context
	check func(*engine.Call) engine.Verdict
	// version is the module's digest, d1 when empty; prefixes makes it match every
	// value that begins with a content.
	version  string
	prefixes bool
	// readOnly is what it says of every call.
	readOnly bool
}

func (t *tool) CheckPermissions(_ context.Context, c *engine.Call) (engine.Verdict, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = append(t.seen, c.Context)
	if t.check == nil {
		return engine.Verdict{Behavior: engine.Passthrough}, nil
	}
	return t.check(c), nil
}

func (t *tool) last() engine.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen[len(t.seen)-1]
}

func (t *tool) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: t.readOnly}, nil
}

func value(c *engine.Call) string {
	var in struct{ Value string }
	if json.Unmarshal(c.Input, &in) != nil {
		return ""
	}
	return in.Value
}

func (t *tool) MatchRule(_ context.Context, c *engine.Call, _ engine.Behavior, rules []engine.RuleText) ([]int, error) {
	for i, r := range rules {
		if r.Content == value(c) || t.prefixes && strings.HasPrefix(value(c), r.Content) {
			return []int{i}, nil
		}
	}
	return nil, nil
}

func (t *tool) GenerateSuggestions(_ context.Context, c *engine.Call) ([]engine.SuggestedRule, error) {
	content := value(c)
	return []engine.SuggestedRule{{Content: &content, Description: "this value"}}, nil
}

// tools is a catalogue that answers for every name with the one tool.
type tools struct{ tool *tool }

func (c tools) Lookup(name string) catalog.Entry {
	return catalog.Entry{
		Entry:       engine.Entry{Name: name, Tool: c.tool, MayAllow: true, MayReadOnly: true},
		InputSchema: json.RawMessage(`{"required": ["value"]}`), Digest: cmp.Or(c.tool.version, "d1"),
	}
}

func (tools) Release() {}

func (c tools) Tools() []catalog.Info { return []catalog.Info{{Name: "Probe"}} }

// world is a gate over a real store and broker, with one tool in Go.
type world struct {
	t      *testing.T
	dir    string
	yaml   string
	tool   *tool
	gate   *gate.Gate
	store  *store.Store
	broker *ask.Broker
	// memory and pauseAfter are the broker's; 0 for its defaults.
	memory     time.Duration
	pauseAfter int
	// settings are the configuration in force.
	settings *config.Config
}

const twoDirs = `
agents:
  worker:
    mode: default
    user: ann
    working_directories: [%q]
  loose:
    mode: bypass
`

func newWorld(t *testing.T, yaml string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, yaml: yaml, tool: &tool{}}
	w.open()
	return w
}

// open starts the gate on the world's store, as after a restart.
func (w *world) open() {
	w.t.Helper()
	dirs := config.Dirs{Home: "/home/op", Config: w.dir, State: w.dir, Cache: w.dir}
	cfg, err := config.Parse("test.yaml", []byte(w.yaml), dirs)
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = storetest.Open(w.t, filepath.Join(w.dir, "state", "callgate.db"), store.Options{})
	w.broker = ask.New(ask.Config{Store: w.store, Ended: w.store.Masked, Timeout: time.Minute, Memory: w.memory, PauseAfter: w.pauseAfter})
	if _, err := w.broker.Recover(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.broker.Attach(ask.Surface{Name: "test"})
	w.settings = cfg
	if w.gate, err = gate.New(w.partsWith(w.broker)); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(w.close)
}

// partsWith are the gate's parts with another broker.
func (w *world) partsWith(b *ask.Broker) gate.Config {
	cfg := w.settings
	return gate.Config{
		// A look at a path that takes 200 ms on a busy machine is not what these tests are about.
		Catalog: func() gate.Snapshot { return tools{w.tool} }, Settings: func() gate.Settings { return cfg }, Targets: &target.Resolver{FS: target.OS(), Limits: target.Limits{Time: time.Minute}},
		Projects: &project.Loader{}, Asks: b, Store: w.store,
	}
}

func (w *world) close() {
	w.broker.Close()
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// worker is the check token of the agent "worker".
var worker = gate.Caller{Token: "check:worker", Agent: "worker"}

func call(value string) gate.Request {
	return gate.Request{Tool: "Probe", Input: json.RawMessage(fmt.Sprintf(`{"value":%q}`, value)), Context: gate.Claim{Session: "s1"}}
}

func (w *world) check(caller gate.Caller, r gate.Request) gate.Result {
	w.t.Helper()
	res, err := w.gate.Check(context.Background(), caller, r, nil)
	if err != nil {
		w.t.Fatalf("Check(%s): %v", r.Input, err)
	}
	return res
}

// start checks in the background and returns the ask once it is shown. The gate
// may close meanwhile.
func (w *world) start(caller gate.Caller, r gate.Request) (ask.Ask, <-chan gate.Result) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	events := w.broker.Subscribe(ctx)
	done := make(chan gate.Result, 1)
	go func() {
		res, err := w.gate.Check(ctx, caller, r, nil)
		if err != nil && !errors.Is(err, ask.ErrClosed) {
			w.t.Errorf("Check(%s): %v", r.Input, err)
		}
		done <- res
	}()
	for ev := range events {
		if ev.Kind == ask.EventShown {
			return ev.Ask, done
		}
	}
	w.t.Fatal("no ask was shown")
	return ask.Ask{}, nil
}

func (w *world) answer(id string, a ask.Answer) gate.Answered {
	w.t.Helper()
	a.By, a.Surface = "ann", "test"
	out, err := w.gate.Answer(context.Background(), id, a)
	if err != nil {
		w.t.Fatalf("Answer(%s): %v", id, err)
	}
	return out
}

func (w *world) lastRow() store.Row {
	w.t.Helper()
	for row, err := range w.store.Audit(context.Background(), store.Filter{Newest: true, Event: store.EventDecision, Limit: 1}) {
		if err != nil {
			w.t.Fatal(err)
		}
		return row
	}
	w.t.Fatal("the audit is empty")
	return store.Row{}
}

// decisions counts the decisions in the audit.
func (w *world) decisions() (n int) {
	w.t.Helper()
	for _, err := range w.store.Audit(context.Background(), store.Filter{Event: store.EventDecision}) {
		if err != nil {
			w.t.Fatal(err)
		}
		n++
	}
	return n
}
