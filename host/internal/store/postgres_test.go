package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"

	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// The tests of this package hold over PostgreSQL as well: this one runs them again, in a process
// of its own, with each store in a schema of a server.
func TestOverPostgres(t *testing.T) {
	t.Parallel()
	if os.Getenv(overPostgres) != "" {
		t.Skip("this is the run over PostgreSQL")
	}
	server := storetest.StartServer(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.short="+short(), "-test.skip=^(TestOverPostgres|TestPostgres|Example)")
	cmd.Env = append(os.Environ(), overPostgres+"="+server.URL())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func short() string {
	if testing.Short() {
		return "true"
	}
	return "false"
}

// opensNot tries to open a store and returns the error.
func opensNot(t *testing.T, place string, want error) {
	t.Helper()
	s, err := store.Open(t.Context(), place, store.Options{LockWait: time.Millisecond})
	if err == nil {
		t.Errorf("open: got a store, want %v", want)
		must(t, s.Close())
		return
	}
	if !errors.Is(err, want) {
		t.Errorf("open: got %v, want %v", err, want)
	}
}

// A URL that keeps a password, or that may leave TLS out over a network, connects nowhere.
func TestPostgres_refusesAnUnsafeURL(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]string{
		"password":          "postgres://callgate:secret@127.0.0.1:1/callgate",
		"password argument": "postgres://callgate@127.0.0.1:1/callgate?password=secret",
		"falls back":        "postgres://callgate@db.example.org/callgate?sslmode=prefer",
		"allows":            "postgres://callgate@db.example.org/callgate?sslmode=allow",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.Open(t.Context(), place, store.Options{})
			if !errors.Is(err, store.ErrUnsafe) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want ErrUnsafe without the password", err)
			}
		})
	}
}

func TestPostgres_refusesWhatIsNoStoreOfOurs(t *testing.T) {
	t.Parallel()
	server := storetest.SharedServer(t)
	t.Run("newer", func(t *testing.T) {
		place := storetest.Schema(t, server)
		must(t, opened(t, place, store.Options{}).Close())
		storetest.Exec(t, place, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)")
		opensNot(t, place, store.ErrNewer)
	})
	t.Run("another program's", func(t *testing.T) {
		place := storetest.Schema(t, server)
		storetest.Exec(t, place, "CREATE TABLE rules (name text); CREATE TABLE recipes (name text)")
		opensNot(t, place, store.ErrCorrupt)
	})
	t.Run("in use", func(t *testing.T) {
		place := storetest.Schema(t, server)
		opened(t, place, store.Options{})
		opensNot(t, place, store.ErrLocked)
	})
	t.Run("not durable", func(t *testing.T) {
		opensNot(t, storetest.Schema(t, server)+"&synchronous_commit=off", store.ErrUnsafe)
	})
	t.Run("read only", func(t *testing.T) {
		opensNot(t, storetest.Schema(t, server)+"&default_transaction_read_only=on", store.ErrReadOnly)
	})
}

// While the server is away every change fails, and afterwards the chain goes on.
func TestPostgres_awayAndBack(t *testing.T) {
	t.Parallel()
	server := storetest.StartServer(t)
	s := opened(t, storetest.Schema(t, server.URL()), store.Options{})
	appendMany(t, s, 3)
	server.Stop("immediate")
	for range 2 {
		if row, err := s.Append(t.Context(), decision()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("without a server: got %+v, %v, want ErrUnavailable", row, err)
		}
	}
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ready: got %v, want ErrUnavailable", err)
	}
	server.Start()
	if row, err := s.Append(t.Context(), decision()); err != nil || row.Seq != 4 {
		t.Errorf("afterwards: got row %d, %v, want row 4", row.Seq, err)
	}
	server.Stop("immediate")
	server.Start()
	if row, err := s.Append(t.Context(), decision()); err != nil || row.Seq != 5 {
		t.Errorf("after a restart between two changes: got row %d, %v, want row 5", row.Seq, err)
	}
	if r := verified(t, s); r.Rows != 5 {
		t.Errorf("verify: got %+v, want 5 rows", r)
	}
}

// A store without rows that it confirmed takes no more, nor does one in which another process wrote.
// It is not ready then, though it can be read, and its owner hears of that once, and of the end.
func TestPostgres_refusesAnotherHead(t *testing.T) {
	t.Parallel()
	server := storetest.SharedServer(t)
	for name, c := range map[string]struct {
		change string
		want   error
	}{
		"went back": {"UPDATE audit_head SET seq = 2", store.ErrRewound},
		"went on":   {"UPDATE audit_head SET seq = 9", store.ErrLocked},
		"replaced":  {"UPDATE audit_head SET hash = decode(repeat('01', 32), 'hex')", store.ErrRewound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heard := make(chan error, 8)
			s := opened(t, storetest.Schema(t, server), store.Options{Failed: func(err error) { heard <- err }})
			appendMany(t, s, 3)
			head := rowsOf(t, s, store.Filter{})[2].Hash
			storetest.Exec(t, s.Path(), c.change)
			for range 2 {
				if row, err := s.Append(t.Context(), decision()); !errors.Is(err, c.want) {
					t.Errorf("got %+v, %v, want %v", row, err, c.want)
				}
				if err := s.Ready(t.Context()); !errors.Is(err, c.want) {
					t.Errorf("ready: got %v, want %v", err, c.want)
				}
			}
			storetest.Exec(t, s.Path(), fmt.Sprintf("UPDATE audit_head SET seq = 3, hash = decode('%s', 'hex')", head))
			if err := s.Ready(t.Context()); err != nil {
				t.Errorf("with its rows again: not ready: %v", err)
			}
			if row, err := s.Append(t.Context(), decision()); err != nil {
				t.Errorf("with its rows again: got %+v, %v", row, err)
			}
			close(heard)
			var got []error
			for err := range heard {
				got = append(got, err)
			}
			if len(got) != 2 || !errors.Is(got[0], c.want) || got[1] != nil {
				t.Errorf("heard: got %v, want %v once, and its end", got, c.want)
			}
		})
	}
}

// Both engines have the same tables with the same columns, so that each migration comes twice, but
// for those about several daemons.
func TestPostgres_hasTheColumnsOfSQLite(t *testing.T) {
	t.Parallel()
	postgresPlace := storetest.Schema(t, storetest.SharedServer(t))
	opened(t, postgresPlace, store.Options{})
	file := fresh(t)
	got := columnsIn(t, "pgx", postgresPlace, "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema()")
	got = slices.DeleteFunc(got, func(c string) bool {
		table, _, _ := strings.Cut(c, ".")
		return c == "audit_head.epoch" || slices.Contains([]string{"changes", "leases", "modules", "nodes"}, table)
	})
	want := columnsIn(t, "sqlite", file.Path(), "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')")
	if !slices.Equal(got, want) {
		t.Errorf("columns:\npostgres %q\nsqlite   %q", got, want)
	}
}

// PostgreSQL has the indexes of SQLite, but for one that its planner does not need.
func TestPostgres_hasTheIndexesOfSQLite(t *testing.T) {
	t.Parallel()
	place := storetest.Schema(t, storetest.SharedServer(t))
	opened(t, place, store.Options{})
	got := columnsIn(t, "pgx", place, "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()")
	for _, index := range columnsIn(t, "sqlite", fresh(t).Path(), "SELECT name FROM sqlite_master WHERE type = 'index' AND name <> 'audit_search'") {
		if !slices.Contains(got, index) {
			t.Errorf("postgres has no index %s: %q", index, got)
		}
	}
}

func columnsIn(t *testing.T, driver, place, query string) (columns []string) {
	t.Helper()
	db, err := sql.Open(driver, place)
	must(t, err)
	defer db.Close()
	rows, err := db.Query(query)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var column string
		must(t, rows.Scan(&column))
		if !strings.HasPrefix(column, "goose") && !strings.HasPrefix(column, "sqlite") {
			columns = append(columns, column)
		}
	}
	must(t, rows.Err())
	slices.Sort(columns)
	return columns
}
