package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// crashStore names, for the copy of this test to be killed, its store.
const crashStore = "CALLGATE_TEST_CRASH_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashStore); path != "" {
		if err := appendUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const crashRows = 1000

// appendUntilKilled appends rows, all at once, and prints each acknowledged one.
func appendUntilKilled(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	var out sync.Mutex
	lines := json.NewEncoder(os.Stdout)
	var wg sync.WaitGroup
	for i := range crashRows {
		wg.Go(func() {
			id := fmt.Sprint(i)
			row, err := s.AppendCall(ctx, store.Row{Decision: store.Allowed, Tool: "Bash", CallID: id, Input: `{"command":"npm test"}`}, judged(id, "d", time.Now()))
			out.Lock()
			defer out.Unlock()
			if err == nil {
				err = lines.Encode(row)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		})
	}
	wg.Wait()
	select {} // until killed
}

// A process killed with SIGKILL amid 1,000 concurrent decisions has lost no answered one, and
// no row is there without its call.
func TestAppend_survivesSIGKILL(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 137, 600, crashRows} {
		t.Run(fmt.Sprintf("after_%d", after), func(t *testing.T) {
			t.Parallel()
			path := place(t)
			acknowledged := killedAfter(t, path, after)
			if len(acknowledged) < after {
				t.Fatalf("acknowledged before the kill: got %d, want at least %d", len(acknowledged), after)
			}
			s := opened(t, path, store.Options{})
			report, err := s.VerifyAudit(t.Context())
			if err != nil || !report.OK() {
				t.Fatalf("verify after the kill: got %+v, %v, want a whole audit", report, err)
			}
			found := map[int64]store.Row{}
			for row, err := range s.Audit(t.Context(), store.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				found[row.Seq] = row
			}
			for _, row := range found {
				if c, err := s.Call(t.Context(), judged(row.CallID, "", time.Time{}).Key); err != nil || c.AuditSeq != row.Seq {
					t.Errorf("row %d: its call is %+v, %v", row.Seq, c, err)
				}
			}
			for _, want := range acknowledged {
				if got := found[want.Seq]; got != want {
					t.Errorf("row %d: got %+v, want the acknowledged %+v", want.Seq, got, want)
				}
			}
			t.Logf("%d rows acknowledged, %d found", len(acknowledged), report.Rows)
		})
	}
}

// killedAfter runs the copy, kills it after n printed rows, and returns all of them.
func killedAfter(t *testing.T, path string, n int) []store.Row {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashStore+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var rows []store.Row
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var row store.Row
		if json.Unmarshal(lines.Bytes(), &row) != nil {
			break // the line cut by the kill
		}
		if rows = append(rows, row); len(rows) == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the copy ended by itself: %v, want killed", cmd.ProcessState)
	}
	return rows
}
