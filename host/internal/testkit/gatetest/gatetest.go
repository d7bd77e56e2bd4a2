// Package gatetest is a gate over a real store and broker with one tool in Go, for tests of the
// gate and of people's changes beside it.
package gatetest

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
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// Tool is a tool in Go: rules match when their content is the member "value" of
// the input, and one of them is proposed for it. It keeps the contexts it saw.
type Tool struct {
	mu   sync.Mutex
	seen []engine.Context
	// Check is its verdict on a call; nil passes every call through.
	Check func(*engine.Call) engine.Verdict
	// Version is the module's digest, d1 when empty; Prefixes makes it match every value with a
	// content as prefix.
	Version  string
	Prefixes bool
	// ReadOnly is its answer for every call.
	ReadOnly bool
}

// CheckPermissions implements engine.Tool.
func (t *Tool) CheckPermissions(_ context.Context, c *engine.Call) (engine.Verdict, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = append(t.seen, c.Context)
	if t.Check == nil {
		return engine.Verdict{Behavior: engine.Passthrough}, nil
	}
	return t.Check(c), nil
}

// Last is the context of the latest call.
func (t *Tool) Last() engine.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen[len(t.seen)-1]
}

// Forget forgets the contexts of its calls.
func (t *Tool) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = nil
}

// CheckReadOnly implements engine.Tool.
func (t *Tool) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: t.ReadOnly}, nil
}

// Value is the member "value" of a call's input.
func Value(c *engine.Call) string {
	var in struct{ Value string }
	if json.Unmarshal(c.Input, &in) != nil {
		return ""
	}
	return in.Value
}

// MatchRule implements engine.Tool.
func (t *Tool) MatchRule(_ context.Context, c *engine.Call, _ engine.Behavior, rules []engine.RuleText) ([]int, error) {
	for i, r := range rules {
		if r.Content == Value(c) || t.Prefixes && strings.HasPrefix(Value(c), r.Content) {
			return []int{i}, nil
		}
	}
	return nil, nil
}

// GenerateSuggestions implements engine.Tool.
func (t *Tool) GenerateSuggestions(_ context.Context, c *engine.Call) ([]engine.SuggestedRule, error) {
	content := Value(c)
	return []engine.SuggestedRule{{Content: &content, Description: "this value"}}, nil
}

// Tools is a catalogue with the one tool for every name.
type Tools struct{ Tool *Tool }

// Lookup implements describe.Catalog.
func (c Tools) Lookup(name string) modules.Entry {
	return modules.Entry{
		Entry:       engine.Entry{Name: name, Tool: c.Tool, MayAllow: true, MayReadOnly: true},
		InputSchema: json.RawMessage(`{"required": ["value"]}`), Digest: cmp.Or(c.Tool.Version, "d1"),
	}
}

// Release implements describe.Snapshot.
func (Tools) Release() {}

// Tools implements describe.Catalog.
func (c Tools) Tools() []wire.Tool { return []wire.Tool{{Name: "Probe"}} }

// World is a gate over a real store and broker, with one tool in Go.
type World struct {
	T      *testing.T
	Dir    string
	YAML   string
	Tool   *Tool
	Gate   assembly.Gate
	Store  *store.Store
	Broker *ask.Broker
	// Memory and PauseAfter are the broker's; 0 for its defaults.
	Memory     time.Duration
	PauseAfter int
	// Settings are the configuration in force.
	Settings *config.Config
}

// TwoDirs is a configuration of a worker in a directory, and of an agent without bounds.
const TwoDirs = `
agents:
  worker:
    mode: default
    user: ann
    working_directories: [%q]
  loose:
    mode: bypass
`

// New opens a world with the configuration yaml, and closes it with the test.
func New(t *testing.T, yaml string) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{T: t, Dir: dir, YAML: yaml, Tool: &Tool{}}
	w.Open()
	return w
}

// Open starts the gate on the world's store, as after a restart.
func (w *World) Open() {
	w.T.Helper()
	dirs := config.Dirs{Home: "/home/op", Config: w.Dir, State: w.Dir, Cache: w.Dir}
	cfg, err := config.Parse("test.yaml", []byte(w.YAML), dirs)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Store = storetest.Open(w.T, filepath.Join(w.Dir, "state", "callgate.db"), store.Options{})
	w.Broker = ask.New(ask.Config{Store: w.Store, Ended: w.Store.Masked, Timeout: time.Minute, Memory: w.Memory, PauseAfter: w.PauseAfter})
	if _, err := w.Broker.Recover(context.Background()); err != nil {
		w.T.Fatal(err)
	}
	w.Broker.Attach(ask.Surface{Name: "test"})
	w.Settings = cfg
	if w.Gate, err = assembly.NewGate(w.Parts(w.Broker)); err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(w.Close)
}

// Parts are the gate's parts with another broker.
func (w *World) Parts(b *ask.Broker) assembly.Parts {
	cfg := w.Settings
	return assembly.Parts{
		// These tests are not about a look at a path taking 200 ms on a busy machine.
		Catalog: func() describe.Snapshot { return Tools{w.Tool} }, Settings: func() *config.Config { return cfg }, Targets: &target.Resolver{FS: target.OS(), Limits: target.Limits{Time: time.Minute}},
		Projects: &project.Loader{}, Asks: b, Store: w.Store,
	}
}

// Close ends the gate, as before a restart.
func (w *World) Close() {
	w.Broker.Close()
	if err := w.Store.Close(); err != nil {
		w.T.Error(err)
	}
}

// Worker is the check token of the agent "worker".
var Worker = authority.Caller{Token: "check:worker", Agent: "worker"}

// Call is a call of the tool in session s1.
func Call(value string) wire.Request {
	return wire.Request{Tool: "Probe", Input: json.RawMessage(fmt.Sprintf(`{"value":%q}`, value)), Context: wire.CallContext{Session: "s1"}}
}

// Check decides a call without an ask. An ask is withdrawn and fails the test at once: here it
// would never be answered.
func (w *World) Check(caller authority.Caller, r wire.Request) wire.Result {
	w.T.Helper()
	ctx, withdraw := context.WithCancel(context.Background())
	defer withdraw()
	res, err := w.Gate.Check(ctx, caller, r, func(ev *ask.Event) {
		if ev.Kind == ask.EventShown {
			w.T.Errorf("%s %s: a person is asked: %s", r.Tool, r.Input, ev.Ask.Decision.Reason)
			withdraw()
		}
	})
	if err != nil {
		w.T.Fatalf("Check(%s): %v", r.Input, err)
	}
	return res
}

// Start checks in the background and returns the ask once it is shown. The gate
// may close meanwhile.
func (w *World) Start(caller authority.Caller, r wire.Request) (ask.Ask, <-chan wire.Result) {
	w.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.T.Cleanup(cancel)
	events := w.Broker.Subscribe(ctx)
	done := make(chan wire.Result, 1)
	go func() {
		res, err := w.Gate.Check(ctx, caller, r, nil)
		if err != nil && !errors.Is(err, ask.ErrClosed) {
			w.T.Errorf("Check(%s): %v", r.Input, err)
		}
		done <- res
	}()
	for {
		select {
		case ev := <-events:
			if ev.Kind == ask.EventShown {
				return ev.Ask, done
			}
		case res := <-done:
			select {
			case ev := <-events: // shown, and answered by something else already
				if ev.Kind == ask.EventShown {
					done <- res
					return ev.Ask, done
				}
			default:
			}
			w.T.Fatalf("%s %s: no ask was shown: %s (%s)", r.Tool, r.Input, res.Decision.Behavior, res.Decision.Reason)
		}
	}
}

// Answer answers an ask as ann.
func (w *World) Answer(id string, a ask.Answer) ask.AnswerResult {
	w.T.Helper()
	a.By, a.Surface = "ann", "test"
	out, err := w.Gate.Answer(context.Background(), id, a)
	if err != nil {
		w.T.Fatalf("Answer(%s): %v", id, err)
	}
	return out
}

// LastRow is the newest decision in the audit.
func (w *World) LastRow() store.Row {
	w.T.Helper()
	for row, err := range w.Store.Audit(context.Background(), store.Filter{Newest: true, Event: store.EventDecision, Limit: 1}) {
		if err != nil {
			w.T.Fatal(err)
		}
		return row
	}
	w.T.Fatal("the audit is empty")
	return store.Row{}
}

// Decisions counts the decisions in the audit.
func (w *World) Decisions() (n int) {
	w.T.Helper()
	for _, err := range w.Store.Audit(context.Background(), store.Filter{Event: store.EventDecision}) {
		if err != nil {
			w.T.Fatal(err)
		}
		n++
	}
	return n
}

// EventsOf are the rows of the audit about an event, the oldest first.
func (w *World) EventsOf(event store.Event) (rows []store.Row) {
	w.T.Helper()
	for row, err := range w.Store.Audit(context.Background(), store.Filter{Event: event}) {
		if err != nil {
			w.T.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// AnswerAs is an answer of a person with roles.
func (w *World) AnswerAs(id, by string, a ask.Answer, roles ...string) (ask.AnswerResult, error) {
	a.By, a.Surface, a.Roles, a.ConfirmID = by, "test", roles, id
	return w.Gate.Answer(context.Background(), id, a)
}
