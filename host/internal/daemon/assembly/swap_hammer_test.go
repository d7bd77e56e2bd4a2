package assembly_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// deploying is a host with the module deploy among the operator's, open to changes while it
// runs.
const deploying = `
modules:
  dev: true
  grants:
    d: {names: [Deploy, deploy], may_allow: true, limits: {fuel: 3000000, timeout: 1m}}
agents:
  worker: {mode: default, working_directories: [PROJECT]}
`

// swapper is such a host.
type swapper struct {
	*world
	modules  *swaptest.Modules
	versions sync.Map // number by digest
}

func newSwapper(t testing.TB) *swapper {
	t.Helper()
	s := &swapper{world: newWorld(t, deploying), modules: swaptest.Open(t, repo.File("testdata"))}
	s.versions.Store(sandbox.Digest(s.modules.Version(0)), 0)
	s.install("d", s.modules.Version(0))
	if _, err := s.Catalog.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := s.Catalog.Lookup("Deploy"); e.Err != nil || e.Module != "deploy" {
		t.Fatalf("got %+v", e)
	}
	return s
}

// swap puts a version in place.
func (s *swapper) swap(t testing.TB, n int) wire.ModuleSwap {
	t.Helper()
	wasm := s.modules.Version(n)
	s.versions.Store(sandbox.Digest(wasm), n)
	return s.change(t, wasm)
}

func (s *swapper) change(t testing.TB, wasm []byte) wire.ModuleSwap {
	t.Helper()
	out, err := s.Catalog.Change(context.Background(), func() error {
		return os.WriteFile(filepath.Join(s.dirs.Config, "modules", "d.wasm"), wasm, 0o600)
	})
	if err != nil || len(out.Swaps) != 1 {
		t.Fatalf("got %+v, %v; want one swap", out, err)
	}
	return out.Swaps[0]
}

// listener hears of swaps alone.
type listener func(modules.Outcome)

func (listener) Compiling(string) {}

func (l listener) Swapped(o modules.Outcome) { l(o) }

// deploy is a call of the module.
func (s *swapper) deploy(target string) wire.Request {
	return s.request("Deploy", object("target", target))
}

// whole reports whether one module in use made all of a result: the named one.
func (s *swapper) whole(t testing.TB, res wire.Result) bool {
	n, ok := s.versions.Load(res.ModuleDigest)
	if !ok {
		t.Errorf("got %+v; want a module that was in use", res)
		return false
	}
	number := n.(int)
	want := map[engine.Behavior]string{engine.Allow: swaptest.Reason(number), engine.Ask: swaptest.Asks(number)}[res.Decision.Behavior]
	if want == "" || !strings.Contains(res.Decision.Reason, want) || res.Action != swaptest.Action(number) {
		t.Errorf("module %s, version %d: got %s, %+v; want %s because of %q", res.ModuleDigest, number, res.Action, res.Decision, swaptest.Action(number), want)
		return false
	}
	return true
}

// TestSwap_host: two clients have calls decided and audited without pause while their module is
// swapped, one file in ten being broken. No decision fails, is lost or mixed, and the audit
// names its module.
func TestSwap_host(t *testing.T) {
	t.Parallel()
	swaps := 200 // 1,000 of the catalogue alone: TestSwap_hammer of host/internal/modules
	if raceflag.Enabled || testing.Short() {
		swaps = 40
		t.Log("40 swaps instead of 200: -short, or the race detector, under which compiling takes a hundred times as long")
	}
	s := newSwapper(t)
	content := "staging/*"
	rule := engine.Rule{Tool: "Deploy", Content: &content, Behavior: engine.Allow, Scope: engine.Global, Match: []string{`{"target":"staging/a"}`}, NotMatch: []string{`{"target":"production/a"}`}}
	if _, _, err := s.Gate.AddRule(t.Context(), "ann", rule); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var clients sync.WaitGroup
	decided := make([]int, 2)
	for c := range decided {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				res, err := s.Gate.Check(context.Background(), caller("worker"), s.deploy("staging/x"), nil)
				if err != nil || res.AuditSeq == 0 || !s.whole(t, res) {
					t.Errorf("got %+v, %v", res, err)
					return
				}
				decided[c]++
				if res, err = s.Gate.Evaluate(context.Background(), caller("worker"), s.deploy("production/x")); err != nil || !s.whole(t, res) {
					t.Errorf("got %+v, %v", res, err)
					return
				}
			}
		})
	}
	for i := 1; i <= swaps && !t.Failed(); i++ {
		if i%10 == 9 {
			bad, want := s.modules.Broken(i/10, i)
			if got := s.change(t, bad); got.What != wire.SwapKept || !strings.Contains(got.Why, want) {
				t.Errorf("swap %d: got %+v; want it kept: %s", i, got, want)
			}
			continue
		}
		if got := s.swap(t, i); got.What != wire.SwapSwapped || len(got.Suspended) > 0 || got.Is != sandbox.Digest(s.modules.Version(i)) {
			t.Errorf("swap %d: got %+v", i, got)
		}
	}
	close(stop)
	clients.Wait()
	rows := 0
	for row, err := range s.Store.Audit(t.Context(), store.Filter{Event: store.EventDecision, Limit: 1 << 20}) {
		if _, known := s.versions.Load(row.ModuleDigest); err != nil || !known || row.Decision != store.Allowed {
			t.Fatalf("audited as %+v, %v", row, err)
		}
		rows++
	}
	t.Logf("%d swaps, %d decisions", swaps, rows)
	if rows != decided[0]+decided[1] || decided[0] == 0 || decided[1] == 0 {
		t.Errorf("%d rows of %d decisions; want each audited once", rows, decided)
	}
}
