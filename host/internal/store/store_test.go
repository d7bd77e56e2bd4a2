package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// opened opens a store at path, an empty one when there is none, and closes it
// with the test.
func opened(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	s := storetest.Open(t, path, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fresh opens a new store.
func fresh(t testing.TB) *store.Store {
	t.Helper()
	return opened(t, place(t), store.Options{})
}

// place is where a new store goes: a file or, in the run over PostgreSQL, a schema.
func place(t testing.TB) string {
	t.Helper()
	if server := os.Getenv(overPostgres); server != "" {
		return storetest.Schema(t, server)
	}
	return filepath.Join(t.TempDir(), "state", "store.db")
}

// overPostgres names the server of the run over PostgreSQL.
const overPostgres = "CALLGATE_TEST_STORE"

// sqliteOnly skips a test about SQLite's file in the run over PostgreSQL.
func sqliteOnly(t testing.TB) {
	t.Helper()
	if os.Getenv(overPostgres) != "" {
		t.Skip("about SQLite's file")
	}
}

// reopened closes s and opens its file again.
func reopened(t testing.TB, s *store.Store) *store.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return opened(t, s.Path(), store.Options{LockWait: time.Second})
}

func text(s string) *string { return &s }

// allow is an allow rule for a tool's content, global.
func allow(tool, content string) engine.Rule {
	return engine.Rule{Tool: tool, Content: text(content), Behavior: engine.Allow, Scope: engine.Global, CreatedBy: "ann"}
}

func TestOpen_survivesReopening(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	added, err := s.AddRule(t.Context(), allow("Bash", "npm run build"))
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.Append(t.Context(), store.Row{Agent: "builder", Decision: store.Allowed, Tool: "Bash"})
	if err != nil {
		t.Fatal(err)
	}
	s = reopened(t, s)
	rules, err := s.RulesFor(t.Context(), "builder", "", "", nil)
	if err != nil || len(rules) != 1 || rules[0].ID != added.ID || rules[0].String() != "Bash(npm run build)" {
		t.Errorf("rules after reopening: got %v, %v, want %v", rules, err, added)
	}
	report, err := s.VerifyAudit(t.Context())
	if err != nil || !report.OK() || report.Rows != 2 || report.HeadHash != row.Hash {
		t.Errorf("audit after reopening: got %+v, %v, want 2 sound rows", report, err)
	}
}
