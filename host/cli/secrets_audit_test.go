package cli

import (
	"database/sql"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/store"
)

// searchAudit searches the audit for the canaries, and keeps the output of its view and single
// rows. T14.
func (a *asked) searchAudit() {
	a.t.Helper()
	for _, c := range canaries {
		page, err := a.admin.Audit(a.t.Context(), store.Filter{Text: c.secret, Limit: 1})
		if err != nil || len(page.Rows) != 0 {
			a.t.Errorf("a search for the secret of %q finds %d rows, %v: want none", c.secret, len(page.Rows), err)
		}
	}
	page, err := a.admin.Audit(a.t.Context(), store.Filter{Event: store.EventDecision, Newest: true, Limit: 20})
	if err != nil || len(page.Rows) == 0 {
		a.t.Fatalf("got %d rows, %v", len(page.Rows), err)
	}
	for _, r := range page.Rows {
		one, err := a.admin.AuditRow(a.t.Context(), r.Seq)
		if err != nil {
			a.t.Fatal(err)
		}
		a.tell("row "+r.Hash.String(), one)
	}
	db, err := sql.Open("sqlite", filepath.Join(a.Dirs.State, "callgate.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		a.t.Fatal(err)
	}
	defer db.Close()
	var text string
	var n int
	if err := db.QueryRow(`SELECT count(*), group_concat(agent_name || ' ' || timestamp || ' ' || action_string || ' ' || decision || ' ' || user_id || ' ' || detail, char(10)) FROM audit`).Scan(&n, &text); err != nil || n == 0 || !strings.Contains(text, "tool:") {
		a.t.Fatalf("the view: %d rows, %v", n, err)
	}
	a.told["the view audit"] = text
}
