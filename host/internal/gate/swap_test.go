package gate_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// swappable is a catalogue with one module to replace, or break.
type swappable struct {
	digest string
	tool   engine.Tool
	err    error
	// inputs are those of the tool's rule examples.
	inputs []string
}

func (s *swappable) Lookup(name string) modules.Entry {
	e := modules.Entry{Entry: engine.Entry{Name: name, Tool: s.tool, Own: true, MayAllow: true, MayReadOnly: true, Err: s.err}, Module: "probe", Version: "1", File: "probe.wasm", Digest: s.digest}
	e.InputSchema = json.RawMessage(`{"required": ["value"]}`)
	return e
}

func (s *swappable) Tools() []wire.Tool {
	i := wire.Tool{Name: "Probe"}
	for _, input := range s.inputs {
		i.RuleExamples = append(i.RuleExamples, wire.RuleExample{Input: json.RawMessage(input)})
	}
	return []wire.Tool{i}
}

func (*swappable) Release() {}

// swapping opens a world with a replaceable module.
func swapping(t *testing.T, first *swappable) (*world, *atomic.Pointer[swappable]) {
	t.Helper()
	w := newWorld(t, "agents:\n  worker: {mode: default, user: ann}\n")
	current := &atomic.Pointer[swappable]{}
	current.Store(first)
	w.reopenOn(current)
	return w, current
}

func (w *world) reopenOn(current *atomic.Pointer[swappable]) {
	w.T.Helper()
	parts := w.Parts(w.Broker)
	parts.Catalog = func() describe.Snapshot { return current.Load() }
	var err error
	if w.Gate, err = assembly.NewGate(parts); err != nil {
		w.T.Fatal(err)
	}
	if err := w.Gate.Recall(context.Background()); err != nil {
		w.T.Fatal(err)
	}
}

func saying(v engine.Verdict) *tool {
	return &tool{Check: func(*engine.Call) engine.Verdict { return v }}
}

// failing is a tool with a failing check.
type failing struct{ *tool }

func (failing) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	return engine.Verdict{Behavior: engine.Allow}, errors.New("the answer is garbage")
}

// TestSwap_asksThatWait: a person approves the earlier module's ask; the current module decides
// the call again.
func TestSwap_asksThatWait(t *testing.T) {
	t.Parallel()
	asks := engine.Verdict{Behavior: engine.Ask, Reason: "production"}
	for name, tt := range map[string]struct {
		next *swappable
		// want is the answer; again means: a person is asked anew.
		want  engine.Behavior
		again bool
	}{
		"answers the same":  {next: &swappable{digest: "d2", tool: saying(asks)}, want: engine.Allow},
		"allows":            {next: &swappable{digest: "d2", tool: saying(engine.Verdict{Behavior: engine.Allow})}, want: engine.Allow},
		"denies":            {next: &swappable{digest: "d2", tool: saying(engine.Verdict{Behavior: engine.Deny, Reason: "never"})}},
		"asks differently":  {next: &swappable{digest: "d2", tool: saying(engine.Verdict{Behavior: engine.Ask, Reason: "a freeze"})}, again: true},
		"asks for safety":   {next: &swappable{digest: "d2", tool: saying(engine.Verdict{Behavior: engine.Ask, Reason: "production", BypassImmune: true})}, again: true},
		"answers garbage":   {next: &swappable{digest: "d2", tool: failing{&tool{}}}, again: true},
		"is gone or broken": {next: &swappable{digest: "", err: errors.New("the file is gone")}, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, current := swapping(t, &swappable{digest: "d1", tool: saying(asks)})
			shown, done := w.Start(worker, call("x"))
			if shown.ModuleDigest != "d1" {
				t.Errorf("the ask names module %q; want d1", shown.ModuleDigest)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			events := w.Broker.Subscribe(ctx)
			current.Store(tt.next)
			w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
			if tt.again {
				next := nextShown(t, events, shown.ID)
				told := "the tool's module was replaced: d1 is now d2 (probe 1)"
				if tt.next.digest == "" {
					told = "the tool's module d1 is gone"
				}
				if next.ModuleDigest != tt.next.digest || !slices.Contains(next.Changed, told) {
					t.Errorf("the new ask: got module %q, changed %q; want %q among it", next.ModuleDigest, next.Changed, told)
				}
				w.Answer(next.ID, ask.Answer{Verdict: ask.Deny})
			}
			res := <-done
			if res.Decision.Behavior != tt.want {
				t.Errorf("got %+v; want %s", res.Decision, tt.want)
			}
			row := w.LastRow()
			if res.ModuleDigest != tt.next.digest || row.ModuleDigest != tt.next.digest || row.Module != "probe 1" {
				t.Errorf("the result names module %q, the audit %q (%s); want %q, which answered", res.ModuleDigest, row.ModuleDigest, row.Module, tt.next.digest)
			}
		})
	}
}

// nextShown is the ask shown after another one.
func nextShown(t *testing.T, events <-chan ask.Event, before string) ask.Ask {
	t.Helper()
	for ev := range events {
		if ev.Kind == ask.EventShown && ev.Ask.ID != before {
			return ev.Ask
		}
	}
	t.Fatal("no ask was shown")
	return ask.Ask{}
}

// TestT05_swapping: all stored rules of a tool are tried on its new module before it is in
// force. Allow rules it reads otherwise are suspended, for good where their examples do not
// show it; deny and ask rules stay.
func TestT05_swapping(t *testing.T) {
	t.Parallel()
	inputs := []string{`{"value":"web-1"}`, `{"value":"db"}`}
	exact := &swappable{digest: "d1", tool: &tool{}, inputs: inputs}
	prefixes := &swappable{digest: "d2", tool: &tool{Prefixes: true, Version: "d2"}, inputs: inputs}
	w, current := swapping(t, exact)
	add := func(b engine.Behavior, content string, match, notMatch []string) {
		t.Helper()
		r := engine.Rule{Tool: "Probe", Content: &content, Behavior: b, Scope: engine.Global, Match: match, NotMatch: notMatch}
		if _, _, err := w.Gate.AddRule(t.Context(), "ann", r); err != nil {
			t.Fatal(err)
		}
	}
	add(engine.Allow, "a", []string{"a"}, []string{"ab"})              // its own example tells
	add(engine.Allow, "web", nil, nil)                                 // only the tool's examples do
	add(engine.Allow, "web-", []string{"web-"}, []string{"elsewhere"}) // a near miss known to the new one as well
	add(engine.Allow, "db", nil, nil)                                  // means the same
	add(engine.Deny, "dev", nil, nil)
	add(engine.Ask, "we", nil, nil)
	want := func(step, value string, b engine.Behavior) {
		t.Helper()
		res, err := w.Gate.Evaluate(t.Context(), worker, call(value))
		if err != nil || res.Decision.Behavior != b {
			t.Errorf("%s: %s: got %+v, %v; want %s", step, value, res.Decision, err, b)
		}
	}
	want("before", "a", engine.Allow)
	want("before", "web", engine.Allow)
	tried := w.Gate.TryStored(t.Context(), prefixes, []string{"probe.wasm"})
	for _, err := range w.Store.Audit(t.Context(), store.Filter{Event: store.EventRulesSuspended}) {
		t.Errorf("a module that was only tried suspended rules (%v)", err)
	}
	suspended := w.Gate.Swapping(t.Context(), prefixes, []string{"probe.wasm"})
	if !slices.Equal(tried, suspended) {
		t.Errorf("tried: %q; want as at the swap, %q", tried, suspended)
	}
	if got := strings.Join(suspended, "; "); got != "Probe(a) global; Probe(web) global; Probe(web-) global" {
		t.Errorf("suspended %q; want a, web and web-", got)
	}
	if got := w.Gate.Swapping(t.Context(), prefixes, []string{"other.wasm"}); len(got) != 0 {
		t.Errorf("of a file that has no tool of them: got %q", got)
	}
	want("not yet swapped", "web", engine.Allow)
	after := func(step string) {
		t.Helper()
		want(step, "a", engine.Ask)
		want(step, "web-1", engine.Ask)
		want(step, "db", engine.Allow)
		want(step, "dev-1", engine.Deny)
	}
	current.Store(prefixes)
	after("swapped")
	w.reopenOn(current)
	after("after a restart")
	for row, err := range w.Store.Audit(t.Context(), store.Filter{Event: store.EventRulesSuspended}) {
		if err != nil || row.ModuleDigest != "d2" || !strings.Contains(row.Detail, "Probe(web)") || strings.Contains(row.Detail, "Probe(db)") {
			t.Errorf("audited as %+v, %v", row, err)
		}
	}
	current.Store(exact)
	want("back", "a", engine.Allow)
	want("back", "web", engine.Allow)
}

// TestT05_swappingPastCalls: neither the rule's own examples nor the tool's show that the new
// module reads it more widely, but an agent's earlier call does. The rule stayed in use.
func TestT05_swappingPastCalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		row   store.Row
		wider bool
	}{
		"shown by a call":    {store.Row{Tool: "Probe", Input: `{"value":"web-9"}`}, true},
		"by another name":    {store.Row{Tool: "probe", Input: `{"value":"web-9"}`}, false},
		"both read it alike": {store.Row{Tool: "Probe", Input: `{"value":"elsewhere"}`}, false},
		"matched before":     {store.Row{Tool: "Probe", Input: `{"value":"web"}`}, false},
		"cut":                {store.Row{Tool: "Probe", Input: `{"value":"web-9`}, false},
		"another tool":       {store.Row{Tool: "Other", Input: `{"value":"web-9"}`}, false},
		"no call":            {store.Row{Tool: "Probe", Input: `{"value":"web-9"}`, Event: store.EventRuleAdded}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs := []string{`{"value":"x"}`, `{"value":"y"}`}
			w, _ := swapping(t, &swappable{digest: "d1", tool: &tool{}, inputs: inputs})
			for _, content := range []string{"web", "we", "db"} {
				r := engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Allow, Scope: engine.Global, Match: []string{content}, NotMatch: []string{"other"}}
				if _, _, err := w.Gate.AddRule(t.Context(), "ann", r); err != nil {
					t.Fatal(err)
				}
			}
			if tt.row.Event == "" {
				tt.row.Event, tt.row.Decision = store.EventDecision, store.Allowed
			}
			if _, err := w.Store.Append(t.Context(), tt.row); err != nil {
				t.Fatal(err)
			}
			next := &swappable{digest: "d2", tool: &tool{Prefixes: true, Version: "d2"}, inputs: inputs}
			got := w.Gate.Swapping(t.Context(), next, []string{"probe.wasm"})
			want := []string(nil)
			if tt.wider {
				want = []string{"Probe(we) global", "Probe(web) global"}
			}
			if tt.row.Input == `{"value":"web"}` {
				want = []string{"Probe(we) global"} // web itself it matched before
			}
			if !slices.Equal(got, want) {
				t.Errorf("suspended %q; want %q", got, want)
			}
		})
	}
}

// stalling fails with each of the agents' calls, after any time it likes.
type stalling struct {
	*tool
	asked *atomic.Int32
}

func (s stalling) MatchRule(ctx context.Context, c *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	if strings.Contains(string(c.Input), "past") {
		s.asked.Add(1)
		return nil, context.DeadlineExceeded
	}
	return s.tool.MatchRule(ctx, c, b, rules)
}

// TestT05_swappingPastCallsStall: a module using all its time for each past call does not delay
// its exchange for minutes.
func TestT05_swappingPastCallsStall(t *testing.T) {
	t.Parallel()
	inputs := []string{`{"value":"x"}`, `{"value":"y"}`}
	w, _ := swapping(t, &swappable{digest: "d1", tool: &tool{}, inputs: inputs})
	content := "web"
	r := engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Allow, Scope: engine.Global, Match: []string{content}, NotMatch: []string{"other"}}
	if _, _, err := w.Gate.AddRule(t.Context(), "ann", r); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		row := store.Row{Event: store.EventDecision, Decision: store.Allowed, Tool: "Probe", Input: fmt.Sprintf(`{"value":"past %d"}`, i)}
		if _, err := w.Store.Append(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	var asked atomic.Int32
	next := &swappable{digest: "d2", tool: stalling{&tool{Version: "d2"}, &asked}, inputs: inputs}
	if got := w.Gate.Swapping(t.Context(), next, []string{"probe.wasm"}); len(got) > 0 || asked.Load() != 3 {
		t.Errorf("suspended %q, asked about %d past calls, want 3", got, asked.Load())
	}
}

// TestT05_suspensionsForged: with unknown suspensions, rules of third-party modules do not
// allow.
func TestT05_suspensionsForged(t *testing.T) {
	t.Parallel()
	w, current := swapping(t, &swappable{digest: "d1", tool: &tool{}, inputs: []string{`{"value":"web-1"}`, `{"value":"x"}`}})
	content := "web"
	if _, _, err := w.Gate.AddRule(t.Context(), "ann", engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Allow, Scope: engine.Global}); err != nil {
		t.Fatal(err)
	}
	next := &swappable{digest: "d2", tool: &tool{Prefixes: true}, inputs: current.Load().inputs}
	if got := w.Gate.Swapping(t.Context(), next, []string{"probe.wasm"}); len(got) != 1 {
		t.Fatalf("suspended %q; want web", got)
	}
	db, err := sql.Open("sqlite", filepath.Join(w.Dir, "state", "callgate.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`UPDATE settings SET value = CAST('[]' AS BLOB) WHERE name = 'suspended_rules'`)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	parts := w.Parts(w.Broker)
	parts.Catalog = func() describe.Snapshot { return next }
	g, err := assembly.NewGate(parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Recall(t.Context()); !errors.Is(err, store.ErrForged) {
		t.Errorf("got %v; want it told", err)
	}
	if res, err := g.Evaluate(t.Context(), worker, call("web")); err != nil || res.Decision.Behavior == engine.Allow {
		t.Errorf("got %+v, %v; want no such rule to allow", res.Decision, err)
	}
}
