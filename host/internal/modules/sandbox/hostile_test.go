package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/hostiletest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// hostileLimits are the suite's default limits: a call's fuel is used up in some ten
// milliseconds. Nothing may need the clock.
var hostileLimits = sandbox.Limits{Fuel: 20_000_000, MemoryPages: 256, Timeout: time.Minute}

// limitsOf are the limits of one attack.
func limitsOf(a *hostiletest.Attack) sandbox.Limits {
	l := hostileLimits
	if n := a.Limits["memory_pages"]; n != 0 {
		l.MemoryPages = uint32(n)
	}
	if n := a.Limits["fuel"]; n != 0 {
		l.Fuel = n
	}
	return l
}

// limitNames are the limits named by an error of a kind.
var limitNames = map[string]string{
	string(sandbox.KindFuel): "fuel", string(sandbox.KindStack): "stack_kib", string(sandbox.KindTimeout): "timeout",
}

// suite reads the hostile suite. Under the race detector, with compilations twenty times as
// long, only every third module is left.
func suite(tb testing.TB) []*hostiletest.Attack {
	tb.Helper()
	all, err := hostiletest.Suite(hostile)
	if err != nil {
		tb.Fatal(err)
	}
	if !raceflag.Enabled {
		return all
	}
	var some []*hostiletest.Attack
	for i, a := range all {
		if i%3 == 0 && len(a.Wasm) < 1<<20 {
			some = append(some, a)
		}
	}
	tb.Logf("under -race: %d of %d hostile modules", len(some), len(all))
	return some
}

// TestHostile: each module of the hostile suite ends as its head says, by a bound and never by
// the clock; later calls, on the same module and on a good one, are right; and nothing of it
// stays in the process. It does not run beside other tests, as they would hide leaks.
func TestHostile(t *testing.T) {
	all := suite(t)
	attackAll(t, all[:min(20, len(all))]) // one-time allocations of the process are no leaks
	before := measureProcess()
	good := attackAll(t, all)
	after := settled(before)
	t.Logf("%d modules; the good call between: %v alone, %v in the median; before: %v; after: %v", len(all), good.idle, good.median(), before, after)
	if err := after.beyond(before); err != nil {
		t.Errorf("something stays: %v; before %v, after %v", err, before, after)
	}
	// Half of the calls between may wait for a processor or a collection, not all.
	if most := 50*good.idle + time.Millisecond; good.median() > most {
		t.Errorf("a good call between hostile ones took %v in the median, alone %v", good.median(), good.idle)
	}
}

// attackAll runs attacks, as many at once as there are processors.
func attackAll(t *testing.T, all []*hostiletest.Attack) *goodCall {
	t.Helper()
	limits := hostileLimits
	limits.MemoryPages = 1024
	r, err := sandbox.New(t.Context(), sandbox.Config{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	good := newGoodCall(t, r)
	t.Run("attack", func(t *testing.T) {
		for _, a := range all {
			t.Run(a.Name, func(t *testing.T) {
				t.Parallel()
				attack(t, r.WithLimits(limitsOf(a)), a, good)
			})
		}
	})
	if err := r.Close(context.Background()); err != nil {
		t.Errorf("close: %v", err)
	}
	return good
}

func attack(t *testing.T, r *sandbox.Runtime, a *hostiletest.Attack, good *goodCall) {
	m, err := r.Load(t.Context(), a.Name+".wasm", a.Wasm)
	if !a.Loads() {
		want := a.Expect[hostiletest.Load].Text
		if m != nil || err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1024 || sandbox.Clean(err.Error(), 1024) != err.Error() {
			t.Errorf("load: got %v, %v; want an error of one clean line with %q", m, err, want)
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	defer m.Close(context.Background())
	rounds, called := 2, append([]string{sandbox.Describe, sandbox.DescribeCall}, verbs...)
	if _, dead := a.Expect[hostiletest.Any]; dead {
		rounds, called = 1, called[:3] // each call starts an instance, with ten times the fuel
	}
	first := map[string]string{}
	for range rounds {
		for _, verb := range called {
			if !m.Has(verb) {
				continue
			}
			said := end(t, m, a, verb)
			if want, again := first[verb]; again && said != want {
				t.Errorf("%s: got %s; before it was %s", verb, said, want)
			}
			first[verb] = said
			good.call(t)
		}
	}
}

// end runs one verb, judges how it ends, and returns it in words.
func end(t *testing.T, m *sandbox.Module, a *hostiletest.Attack, verb string) string {
	t.Helper()
	want := a.Of(verb)
	got, err := m.Call(t.Context(), verb, []byte(`{"input":{}}`))
	if err == nil {
		right := want.Is(hostiletest.OK) && (strings.HasPrefix(string(got), harmless[verb])) ||
			want.Is(hostiletest.Text) && strings.Contains(string(got), want.Text)
		if !right {
			t.Errorf("%s: got %.200q; want %v %q", verb, got, want.Kinds, want.Text)
		}
		return string(got)
	}
	var e *sandbox.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: got %v; want an *Error", verb, err)
		return err.Error()
	}
	if !want.Is(string(e.Kind)) || !contains(e.Message, want.Text) {
		t.Errorf("%s: got %s: %q; want %v %q", verb, e.Kind, e.Message, want.Kinds, want.Text)
	}
	if limit := limitNames[string(e.Kind)]; limit != e.Limit && limit != "" {
		t.Errorf("%s: got limit %q; want %q", verb, e.Limit, limit)
	}
	if len(e.Message) > 1024 || sandbox.Clean(e.Message, 1024) != e.Message {
		t.Errorf("%s: the message is not one clean line: %q", verb, e.Message)
	}
	return err.Error()
}

// contains reports whether a text holds one of the parts between bars.
func contains(text, parts string) bool {
	return slices.ContainsFunc(strings.Split(parts, "|"), func(part string) bool { return strings.Contains(text, part) })
}

// harmless are the answers of testdata/modules/common.inc.
var harmless = map[string]string{
	sandbox.Describe: `{"abi":1,"name":"`, sandbox.CheckPermissions: `{"behavior":"passthrough"}`, sandbox.CheckReadOnly: `{"read_only":false}`,
	sandbox.MatchRule: `{"matched":[]}`, sandbox.GenerateSuggestions: `{"rules":[]}`,
}

// goodCall is a call of a good module between hostile ones.
type goodCall struct {
	module *sandbox.Module
	idle   time.Duration // the median when nothing else runs

	mu   sync.Mutex
	took []time.Duration
}

func newGoodCall(t *testing.T, r *sandbox.Runtime) *goodCall {
	t.Helper()
	g := &goodCall{module: load(t, r, "deploy")}
	for range 200 {
		g.call(t)
	}
	g.idle, g.took = g.median(), nil
	return g
}

func (g *goodCall) call(t *testing.T) {
	t.Helper()
	start := time.Now()
	got, err := g.module.Call(t.Context(), sandbox.CheckPermissions, []byte(`{"target":"staging/web"}`))
	took := time.Since(start)
	if err != nil || string(got) != `{"behavior":"allow","reason":"staging"}` {
		t.Errorf("the good module: got %s, %v", got, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.took = append(g.took, took)
}

func (g *goodCall) median() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.Sort(g.took)
	return g.took[len(g.took)/2]
}

// process is the possible leaks of hostile modules.
type process struct {
	goroutines, files, mappings int
	resident                    int64
}

func (p process) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d mappings, %d MiB", p.goroutines, p.files, p.mappings, p.resident>>20)
}

// beyond lists the growth of p since before, beyond the Go runtime's own: its heap's arenas and
// the threads' stacks.
func (p process) beyond(before process) error {
	switch {
	case p.goroutines > before.goroutines:
		return errors.New("goroutines")
	case p.files > before.files:
		return errors.New("open files")
	case p.mappings > before.mappings+60: // of some 200 modules with instances each
		return errors.New("mappings")
	case p.resident > before.resident+96<<20:
		return errors.New("resident memory")
	}
	return nil
}
