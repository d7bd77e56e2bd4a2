package store_test

import (
	"database/sql"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// TestAuditView reads the store as any program for Chorus's table does. Its four example rows
// come out as there.
func TestAuditView(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	at := func(second int) time.Time { return time.Date(2026, 2, 12, 10, 0, second, 999, time.UTC) }
	said := "The bash call was not run: a person denied it"
	for _, r := range []store.Row{
		{Time: at(0), Agent: "frontend", Action: "tool:bash:npm test", Decision: store.Allowed, User: "12345", Detail: "rule Bash(npm test)"},
		{Time: at(5), Agent: "frontend", Action: "tool:git:push origin main", Decision: store.AskApproved, User: "12345", DecidedBy: "12345", Detail: "approved by 12345"},
		{Time: at(10), Agent: "frontend", Action: "tool:bash:rm -rf /", Decision: store.AskDenied, User: "12345", DecidedBy: "12345", Detail: said + ". Do something else, or ask the user why."},
		{Time: at(60), Agent: "writing", Action: "tool:bash:ls", Decision: store.Denied, User: "67890", Stage: "profile", RuleSource: "profile locked", Detail: "profile locked: no pattern matches tool:bash:ls"},
		{Time: at(61), Agent: "a", Action: "x", Decision: store.AskApproved, User: "1", DecidedBy: "ann"},
		{Time: at(62), Agent: "a", Action: "x", Decision: store.AskDenied, User: "1", DecidedBy: "ann", Detail: said + ": use staging"},
		{Time: at(63), Agent: "a", Action: "x", Decision: store.AskTimeout, User: "1", Detail: "no one answered in time"},
		{Time: at(64), Agent: "a", Action: "x", Decision: store.AskCancelled, Detail: "the user interrupted"},
		{Time: at(65), Agent: "a", Action: "x", Decision: store.Denied, Stage: "deny_rule", Detail: "deny rule Bash(rm:*)"},
	} {
		if _, err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddRule(t.Context(), allow("Bash", "ls")); err != nil { // a change is no decision
		t.Fatal(err)
	}
	driver, name := "sqlite", s.Path()+"?mode=ro"
	if os.Getenv(overPostgres) != "" {
		driver, name = "pgx", s.Path()
	}
	db, err := sql.Open(driver, name)
	must(t, err)
	defer db.Close()
	rows, err := db.Query("SELECT * FROM audit")
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	if want := []string{"agent_name", "timestamp", "action_string", "decision", "user_id", "detail"}; !reflect.DeepEqual(columns, want) {
		t.Errorf("columns: got %q, want %q", columns, want)
	}
	var got [][6]string
	for rows.Next() {
		var r [6]string
		must(t, rows.Scan(&r[0], &r[1], &r[2], &r[3], &r[4], &r[5]))
		got = append(got, r)
	}
	must(t, rows.Err())
	want := [][6]string{
		{"frontend", "2026-02-12T10:00:00", "tool:bash:npm test", "allow", "12345", ""},
		{"frontend", "2026-02-12T10:00:05", "tool:git:push origin main", "ask_approved", "12345", ""},
		{"frontend", "2026-02-12T10:00:10", "tool:bash:rm -rf /", "ask_denied", "12345", "User denied"},
		{"writing", "2026-02-12T10:01:00", "tool:bash:ls", "deny", "67890", "Profile: locked"},
		{"a", "2026-02-12T10:01:01", "x", "ask_approved", "1", "Approved by ann"},
		{"a", "2026-02-12T10:01:02", "x", "ask_denied", "1", "User denied: ann: use staging"},
		{"a", "2026-02-12T10:01:03", "x", "ask_timeout", "1", "Nobody answered in time"},
		{"a", "2026-02-12T10:01:04", "x", "ask_cancelled", "", "the user interrupted"},
		{"a", "2026-02-12T10:01:05", "x", "deny", "", "deny rule Bash(rm:*)"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rows:\ngot  %q\nwant %q", got, want)
	}
}

// A store of an earlier schema keeps its rows, their hashes and their admitted values.
func TestMigration_auditBecomesAView(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	s := fresh(t)
	appendMany(t, s, 3)
	before := rowsOf(t, s, store.Filter{})
	must(t, s.Close())
	downTo(t, s.Path(), 9)
	tamper(t, s.Path(), "SELECT prev FROM audit") // the table of old
	s = opened(t, s.Path(), store.Options{})
	if after := rowsOf(t, s, store.Filter{}); !reflect.DeepEqual(after, before) {
		t.Errorf("rows after the migration:\ngot  %+v\nwant %+v", after, before)
	}
	if r := verified(t, s); r.Rows != 3 || r.From != 1 {
		t.Errorf("verify: got %+v, want 3 rows from 1", r)
	}
}
