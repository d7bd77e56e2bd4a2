package daemon_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestT15_EditedRowIsToldAtStart: a row is edited while no daemon runs; the next one says so in
// its log, names the row and the fix, and serves as before.
func TestT15_EditedRowIsToldAtStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: default}}\n")
	d, stop := w.Serve(nil)
	path := d.Host.Store.Path()
	worker := w.Agent(d.Address().String(), "worker")
	var edited int64
	for _, command := range []string{"ls docs", "ls src"} {
		res, err := worker.Check(t.Context(), bash("s1", "", command), nil)
		if err != nil || res.AuditSeq == 0 {
			t.Fatalf("%s: got %+v, %v, want a row of the audit", command, res, err)
		}
		if edited == 0 {
			edited = res.AuditSeq
		}
	}
	stop()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(context.Background(), "UPDATE audit_log SET action_string = 'ls elsewhere' WHERE seq = ?", edited); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log := newLines()
	d, _ = w.Serve(log.logger())
	line := log.await(t, "the audit log was changed")
	for _, want := range []string{"level=ERROR", "callgate audit verify", "restore a copy", fmt.Sprint("row=", edited)} {
		if !strings.Contains(line, want) {
			t.Errorf("got %q, want it to tell %q", line, want)
		}
	}
	res, err := w.Agent(d.Address().String(), "worker").Check(t.Context(), bash("s1", "", "ls"), nil)
	if err != nil || res.Decision.Behavior != engine.Allow {
		t.Errorf("a call after it: got %+v, %v, want it allowed", res.Decision, err)
	}
}

// TestWholeAuditIsNotTalkedAbout: where nothing was changed nothing is said.
func TestWholeAuditIsNotTalkedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: default}}\n")
	log := newLines()
	d, stop := w.Serve(log.logger())
	worker := w.Agent(d.Address().String(), "worker")
	if _, err := worker.Check(t.Context(), bash("s1", "", "ls"), nil); err != nil {
		t.Fatal(err)
	}
	stop()
	close(log.each)
	for line := range log.each {
		if strings.Contains(line, "audit") {
			t.Errorf("the log says %q of a whole audit", line)
		}
	}
}
