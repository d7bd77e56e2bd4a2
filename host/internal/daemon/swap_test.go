package daemon_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// TestSwap_told: a module's file changes while the daemon runs; the events, the list of tools
// and the log report the result, and decisions name the module.
func TestSwap_told(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
modules: {dev: true, grants: {d: {names: [Deploy], may_allow: true, limits: {timeout: 1m}}}}
agents: {default: {mode: default}}
`)
	log := newLines()
	d, _ := w.Serve(log.logger())
	m := swaptest.Open(t, repo.File("testdata"))
	dir := filepath.Join(w.Dirs.Config, "modules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	compiled := 0
	admin := w.Admin(d.Address().String())
	v1, v2 := m.Version(1), m.Version(2)
	steps := []struct {
		wasm []byte
		what wire.SwapKind
		is   []byte
	}{{v1, wire.SwapLoaded, v1}, {v2, wire.SwapSwapped, v2}, {v1[:500], wire.SwapKept, v2}}
	put := func() {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "new"), steps[0].wasm, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "d.wasm")); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := admin.Events(ctx, "", "", func(ev client.Event) error {
		switch ev.Name {
		case protocol.EventReady:
			put()
		case protocol.EventModuleCompiling:
			compiled++
		case protocol.EventModuleSwapped, protocol.EventModuleRefused:
			var s wire.ModuleSwap
			if err := json.Unmarshal(ev.Data, &s); err != nil {
				return err
			}
			step := steps[0]
			if refused := ev.Name == protocol.EventModuleRefused; s.What != step.what || s.Is != sandbox.Digest(step.is) || refused != (step.what == wire.SwapKept) {
				t.Errorf("got %s %+v; want %s", ev.Name, s, step.what)
			}
			if steps = steps[1:]; len(steps) == 0 {
				cancel()
				return nil
			}
			put()
		}
		return nil
	})
	if ctx.Err() == nil {
		t.Fatal(err)
	}
	if compiled < 2 { // the second version may be in the cache
		t.Errorf("told %d times that a module is compiled; want it each time", compiled)
	}
	info, err := admin.Tool(t.Context(), "Deploy")
	if err != nil || info.State != wire.ModuleKept || info.Digest != sandbox.Digest(v2) {
		t.Errorf("got %+v, %v; want the module before kept", info, err)
	}
	for _, want := range []string{"outcome=loaded module=d.wasm", "outcome=swapped module=d.wasm", "outcome=kept module=d.wasm"} {
		if line := log.await(t, want); strings.Contains(want, "kept") && !strings.Contains(line, "stays in use") {
			t.Errorf("got %s; want it said that the module before stays", line)
		}
	}
}
