package gate_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/wire"
)

// viewed is the reason of the newest decision, as read by a program for Chorus's table.
func (w *world) viewed() (reason string) {
	w.T.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.Dir, "state", "callgate.db")+"?mode=ro")
	if err != nil {
		w.T.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a second error says nothing more
	rows, err := db.Query("SELECT detail FROM audit")
	if err != nil {
		w.T.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // a second error says nothing more
	for rows.Next() {
		if err := rows.Scan(&reason); err != nil {
			w.T.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		w.T.Fatal(err)
	}
	return reason
}

// TestAuditView_reasons: the view names the profile where it denied, and nothing else
// where something else did although the profile asked or the call was about one.
func TestAuditView_reasons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
people: {dev: {roles: [developer]}}
permission_grants: {admin: [open]}
agents: {worker: {profile: some, user: dev}}
profiles: {some: {ask: ['tool:Probe:.*', 'tool:self_edit_permissions:.*']}}
`)
	denied := func(r wire.Request, want string) {
		t.Helper()
		w.Check(worker, r)
		if got := w.viewed(); !strings.Contains(got, want) {
			t.Errorf("%s %s: got %q, want %q", r.Tool, r.Input, got, want)
		}
	}
	other := call("x")
	other.Tool = "Other"
	denied(other, "Profile: some")
	denied(selfEdit(`{"profile":"open"}`, wire.CallContext{Session: "s1"}), "dev may not grant the profile open")
	background := call("b")
	background.Context = wire.CallContext{Session: "s2", Kind: "background"}
	denied(background, "a background session may not ask")
	for _, value := range []string{"1", "2", "3"} {
		shown, done := w.Start(worker, call(value))
		w.Answer(shown.ID, ask.Answer{Verdict: ask.Deny})
		<-done
	}
	denied(call("4"), "this session is paused after several denials")
}
