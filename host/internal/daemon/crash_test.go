package daemon_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

const crashChecks = 1000

// TestChecksSurviveSIGKILL kills a daemon with SIGKILL amid 1,000 checks: its answers are in
// the audit, which is whole, and the next daemon decides.
func TestChecksSurviveSIGKILL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {a: {mode: default}, b: {mode: default}, c: {mode: default}}\n")
	answered := checkUntilKilled(t, w)
	d, _ := w.Serve(nil)
	if report, err := d.Host.Store.VerifyAudit(t.Context()); err != nil || report.Break != nil {
		t.Fatalf("verify after the kill: got %+v, %v, want a whole audit", report, err)
	}
	found := map[int64]string{}
	for row, err := range d.Host.Store.Audit(t.Context(), store.Filter{Event: store.EventDecision}) {
		if err != nil {
			t.Fatal(err)
		}
		found[row.Seq] = row.CallID
	}
	for seq, id := range answered {
		if found[seq] != id {
			t.Errorf("row %d: got call %q, want the answered call %q", seq, found[seq], id)
		}
	}
	t.Logf("answered before the kill: %d of %d; rows: %d", len(answered), crashChecks, len(found))
	res, err := w.Agent(d.Address().String(), "a").Check(t.Context(), bash("s", "", "ls -la"), nil)
	if err != nil || res.Decision.Behavior != engine.Allow {
		t.Errorf("the next daemon: got %+v, %v, want allow", res.Decision, err)
	}
}

// checkUntilKilled starts a daemon in a process of its own, checks, kills it when
// a third is answered, and returns the answered calls by audit row.
func checkUntilKilled(t *testing.T, w *world.World) map[int64]string {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childRoot+"="+w.Root, childCache+"="+w.Dirs.Cache)
	child.Stderr = t.Output()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the daemon did not start: %v", err)
	}
	address := strings.TrimSpace(line)
	var mu sync.Mutex
	answered := map[int64]string{}
	kill := sync.OnceFunc(func() {
		if err := child.Process.Kill(); err != nil {
			t.Error(err)
		}
	})
	var wg sync.WaitGroup
	for i := range crashChecks {
		agent := string("abc"[i%3])
		wg.Go(func() {
			id := fmt.Sprintf("toolu_%d", i)
			c := w.Agent(address, agent)
			res, err := c.Check(t.Context(), bash("s"+agent, id, "cat a.txt"), nil)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				return // refused for want of a place, or killed
			}
			answered[res.AuditSeq] = id
			if len(answered) == crashChecks/3 {
				kill()
			}
		})
	}
	wg.Wait()
	kill()
	_ = child.Wait() // it was killed
	if len(answered) < crashChecks/3 {
		t.Fatalf("answered: got %d, want %d or more", len(answered), crashChecks/3)
	}
	return answered
}
