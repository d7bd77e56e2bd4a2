package assembly_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

func addDeploy(t *testing.T, w *world, wasm []byte) {
	t.Helper()
	_, err := w.Catalog.Add(t.Context(), modules.Request{File: deployFile, Wasm: wasm, Grant: &wire.Grant{MayAllow: true}, By: "ana"})
	if err != nil {
		t.Fatal(err)
	}
}

// deployed decides a deployment to staging. It returns the decision and the version of the module,
// -1 for another decision than its own.
func deployed(t *testing.T, w *world, call string) (engine.Decision, int) {
	t.Helper()
	r := wire.Request{Tool: "Deploy", Input: []byte(staging), CallID: call, Context: wire.CallContext{Session: "s-" + call, CWD: "/"}}
	res, err := w.Gate.Check(context.Background(), caller("worker"), r, nil)
	if err != nil || res.AuditSeq == 0 {
		t.Errorf("got row %d, %v, want a row", res.AuditSeq, err)
	}
	n := -1
	if res.Decision.Behavior == engine.Allow {
		if _, err := fmt.Sscanf(res.Decision.Reason, "r%d", &n); err != nil {
			t.Errorf("allowed: %+v", res.Decision)
		}
	}
	return res.Decision, n
}

// awaitVersion decides until a module is in force; below 0 until it is not.
func awaitVersion(t *testing.T, w *world, name string, want int) {
	t.Helper()
	for i := 0; t.Context().Err() == nil; i++ {
		if _, n := deployed(t, w, fmt.Sprintf("%s-%d", name, i)); n == want {
			return
		}
	}
}

// After a change of a module on one daemon no other one uses the version before.
func TestTeam_modulesAreInForceEverywhere(t *testing.T) {
	t.Parallel()
	team, versions := newTeam(t, 3, ""), swaptest.Open(t, repo.File("testdata"))
	least, stop := atomic.Int64{}, make(chan struct{})
	least.Store(-1)
	var checks sync.WaitGroup
	for i, w := range team {
		checks.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
				}
				want := int(least.Load())
				if d, n := deployed(t, w, fmt.Sprintf("c%d-%d", i, k)); n >= 0 && n < want {
					t.Errorf("daemon %d used version %d after %d was in force: %+v", i, n, want, d)
					return
				}
			}
		})
	}
	for n := range 4 {
		addDeploy(t, team[n%3], versions.Version(n))
		least.Store(int64(n))
		for i, w := range team {
			awaitVersion(t, w, fmt.Sprintf("v%d-%d", n, i), n)
		}
	}
	least.Store(-1)
	back := modules.Request{File: deployFile, By: "ana"}
	if _, err := team[2].Catalog.Rollback(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	for i, w := range team {
		awaitVersion(t, w, fmt.Sprint("back-", i), 2)
	}
	if _, err := team[1].Catalog.Remove(t.Context(), deployFile, "ana"); err != nil {
		t.Fatal(err)
	}
	for i, w := range team {
		if d, n := deployed(t, w, fmt.Sprint("removed-", i)); n >= 0 {
			t.Errorf("daemon %d: got %+v after the removal", i, d)
		}
	}
	close(stop)
	checks.Wait()
	if report, err := team[0].Store.VerifyAudit(t.Context()); err != nil || !report.OK() {
		t.Errorf("audit: got %+v, %v, want one sound chain", report, err)
	}
}

// A daemon that was away takes over what changed, and one that cannot load a module denies its
// calls and says why.
func TestTeam_modulesReachADaemonThatWasAway(t *testing.T) {
	t.Parallel()
	team, versions := newTeam(t, 2, ""), swaptest.Open(t, repo.File("testdata"))
	here, there := team[0], team[1]
	addDeploy(t, here, versions.Version(1))
	awaitVersion(t, there, "first", 1)
	if err := there.Host.Close(); err != nil {
		t.Fatal(err)
	}
	addDeploy(t, here, versions.Version(2))
	there.open()
	awaitVersion(t, there, "again", 2)
	if _, err := there.Catalog.Rollback(t.Context(), modules.Request{File: deployFile, By: "ana"}); err != nil {
		t.Errorf("a rollback on the other daemon: %v", err)
	}
	awaitVersion(t, here, "back", 1)

	if err := there.Host.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(there.dirs.Config, "modules")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no directory can be there
		t.Fatal(err)
	}
	there.open()
	if d, _ := deployed(t, there, "blocked"); d.Behavior != engine.Deny {
		t.Errorf("without the module: got %+v, want a denial", d)
	}
	problem := func() string {
		for t.Context().Err() == nil {
			nodes, err := here.Store.Nodes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range nodes {
				if len(n.Problems) > 0 {
					return strings.Join(n.Problems, "\n")
				}
			}
		}
		return ""
	}
	if got := problem(); !strings.Contains(got, deployFile) {
		t.Errorf("list of daemons: got %q, want the module", got)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	awaitVersion(t, there, "mended", 1)
}

// Bytes or a grant changed in the database are not loaded.
func TestTeam_changedModulesAreNotLoaded(t *testing.T) {
	t.Parallel()
	versions := swaptest.Open(t, repo.File("testdata"))
	for name, query := range map[string]string{
		"bytes": "UPDATE modules SET wasm = $1 WHERE digest = '" + sandbox.Digest(versions.Version(1)) + "'",
		"grant": `UPDATE settings SET value = convert_to(replace(convert_from(value, 'UTF8'), $1, '"may_allow":false'), 'UTF8') WHERE name = 'module deploy.wasm'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			team := newTeam(t, 1, "")
			addDeploy(t, team[0], versions.Version(1))
			forged := any(versions.Version(2))
			if name == "grant" {
				forged = `"may_allow":true`
			}
			storetest.Exec(t, team[0].Store.Path(), query, forged)
			late := newMember(t, team[0], "")
			if e := late.Catalog.Lookup("Deploy"); e.Err == nil {
				t.Errorf("got module %s, want none", e.Digest)
			}
			if d, n := deployed(t, late, "forged"); d.Behavior != engine.Deny || n >= 0 {
				t.Errorf("got %+v, want a denial", d)
			}
		})
	}
}
