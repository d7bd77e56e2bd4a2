package daemon_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/modules"

	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// patientModules are generous limits for a busy machine.
const patientModules = "modules: {limits: {compile_time: 10m, timeout: 1m}}\n"

// inUse has a person put a module in use as deploy.wasm.
func inUse(t *testing.T, d *daemon.Daemon, wasm []byte) string {
	t.Helper()
	done, err := d.Host.Catalog.Add(t.Context(), modules.Request{File: "deploy.wasm", Wasm: wasm, Grant: &wire.Grant{MayReadOnly: true}, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	return done.Digest
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repo.File("testdata"), name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// deployment is a call of the tool of the deploy examples.
func deployment(session, id, operation, target string, dry bool) wire.Request {
	input := fmt.Sprintf(`{"operation":%q,"target":%q}`, operation, target)
	if dry {
		input = fmt.Sprintf(`{"operation":%q,"target":%q,"dry_run":true}`, operation, target)
	}
	return wire.Request{CallID: id, Tool: "Deploy", Input: json.RawMessage(input), Context: wire.CallContext{Session: session, CWD: "/"}}
}

// TestAccept_everyLanguage: the example in each language takes the place of the one before in a
// daemon under constant load from two clients. With each of them, the same calls have the same
// decisions, rules, suggestions and cards.
func TestAccept_everyLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patientModules+`
agents: {default: {mode: accept_edits}}
`)
	d, _ := w.Serve(nil)
	var digests []string
	first := map[string]string{}
	begun := inUse(t, d, testdata(t, "deploy/wat.wasm"))
	for content, behavior := range map[string]engine.Behavior{"staging/*": engine.Allow, "rollback staging/db": engine.Deny, "deploy live/*": engine.Ask} {
		if _, _, err := d.Host.Gate.AddRule(t.Context(), "ann", engine.Rule{Tool: "Deploy", Content: &content, Behavior: behavior, Scope: engine.Global}); err != nil {
			t.Fatal(err)
		}
	}
	stop := busy(t, d, w)
	for _, language := range []string{"wat", "c", "rust", "assemblyscript", "typescript"} {
		digest := inUse(t, d, testdata(t, "deploy/"+language+".wasm"))
		digests = append(digests, digest)
		for name, req := range forty() {
			got := told(t, d, req, digest)
			if want, known := first[name]; !known {
				first[name] = got
			} else if got != want {
				t.Errorf("%s in %s: got\n%s\nwant as in wat\n%s", name, language, got, want)
			}
		}
	}
	if begun != digests[0] || len(first) != 40 {
		t.Errorf("%d calls, and wat is %s, then %s", len(first), begun, digests[0])
	}
	for digest := range stop() {
		if !slices.Contains(digests, digest) {
			t.Errorf("a call was decided by the module %q, which is none of the five", digest)
		}
	}
}

// forty are calls of every kind.
func forty() map[string]wire.Request {
	all := map[string]wire.Request{}
	for _, operation := range []string{"status", "deploy", "rollback", "scale"} {
		for _, target := range []string{"staging/web", "staging/db", "prod/web", "live/web", "nowhere"} {
			for _, dry := range []bool{false, true} {
				name := fmt.Sprintf("%s %s %t", operation, target, dry)
				all[name] = deployment("s", "c "+name, operation, target, dry)
			}
		}
	}
	return all
}

// told is the complete output about a call judged by the module with this digest.
func told(t *testing.T, d *daemon.Daemon, req wire.Request, digest string) string {
	t.Helper()
	res, err := d.Host.Gate.Evaluate(t.Context(), authority.Caller{Token: "check:default", Agent: tokenfile.DefaultAgent}, req)
	if err != nil || res.ModuleDigest != digest {
		t.Fatalf("%s: by module %q, %v; want %s", req.Input, res.ModuleDigest, err, digest)
	}
	decision, err := json.Marshal(res.Decision)
	if err != nil {
		t.Fatal(err)
	}
	shown := card.Terminal(card.Render(ask.Ask{ID: "abcdef", Agent: tokenfile.DefaultAgent, Tool: req.Tool, Input: req.Input, CWD: "/", Decision: res.Decision, Action: res.Action, State: ask.Shown}, time.Time{}), 100, false)
	return string(decision) + "\n" + shown
}

// busy has two clients call without pause, with calls decided the same by every module, until
// the end; it returns the number of calls by module.
func busy(t *testing.T, d *daemon.Daemon, w *world.World) (stop func() map[string]int) {
	t.Helper()
	var running sync.WaitGroup
	var mu sync.Mutex
	var over atomic.Bool
	by := map[string]int{}
	for i, target := range []string{"staging/web", "prod/web"} {
		client := w.Agent(d.Address().String(), tokenfile.DefaultAgent)
		operation, want := "deploy", engine.StageAllowRule
		if i == 1 {
			operation, want = "status", engine.StageReadOnly
		}
		running.Go(func() {
			for n := 0; !over.Load(); n++ {
				res, err := client.Check(t.Context(), deployment(fmt.Sprintf("busy%d", i), fmt.Sprint(n), operation, target, false), nil)
				if err != nil || res.Decision.Behavior != engine.Allow || res.Decision.Stage != want {
					t.Errorf("%s %s: got %+v, %v; want it allowed by %s", operation, target, res.Decision, err, want)
					return
				}
				mu.Lock()
				by[res.ModuleDigest]++
				mu.Unlock()
			}
		})
	}
	return func() map[string]int {
		over.Store(true)
		running.Wait()
		t.Logf("calls by module: %v", by)
		return by
	}
}
