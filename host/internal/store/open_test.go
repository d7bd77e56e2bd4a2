package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/callgate/callgate/host/internal/store"
)

func TestOpen_isPrivate(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	s := fresh(t)
	appendMany(t, s, 1)
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(s.Path()): 0o700, s.Path(): 0o600, s.Path() + "-wal": 0o600, s.Path() + "-shm": 0o600, s.Path() + ".lock": 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestOpen_takesOthersReadingAway(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	s := fresh(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	opened(t, s.Path(), store.Options{})
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want 0600", info.Mode(), err)
	}
}

// Every unusable store is refused with the right error, a fix, and not one byte changed.
func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	chmod := func(mode fs.FileMode) func(*testing.T, string) {
		return func(t *testing.T, path string) { must(t, os.Chmod(path, mode)) }
	}
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(text), 0o600)) }
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, string)
		want  error
		says  []string
	}{
		"not a database":       {write("these are not the rules you are looking for"), store.ErrCorrupt, []string{"not a SQLite file", "mv "}},
		"shorter than a head":  {write("SQLite"), store.ErrCorrupt, []string{"not a SQLite file"}},
		"a head and rubbish":   {write("SQLite format 3\x00" + strings.Repeat("rubbish", 1000)), store.ErrCorrupt, []string{"mv "}},
		"damaged pages":        {damage, store.ErrCorrupt, []string{"mv ", "nothing was changed"}},
		"another program's":    {foreign, store.ErrCorrupt, []string{"another program"}},
		"newer":                {newer, store.ErrNewer, []string{"schema 99", "this program knows", ".bak-"}},
		"read-only":            {chmod(0o400), store.ErrReadOnly, []string{"chmod u+w"}},
		"writable by everyone": {chmod(0o666), store.ErrUnsafe, []string{"chmod 600"}},
		"a symbolic link":      {link, store.ErrUnsafe, []string{"not a regular file"}},
		"a directory":          {func(t *testing.T, p string) { must(t, os.Remove(p)); must(t, os.Mkdir(p, 0o700)) }, store.ErrUnsafe, []string{"not a regular file"}},
		"a linked log":         {func(t *testing.T, p string) { must(t, os.Symlink("/dev/null", p+"-wal")) }, store.ErrUnsafe, []string{"-wal"}},
		"a linked lock": {func(t *testing.T, p string) {
			must(t, os.Remove(p+".lock"))
			must(t, os.Symlink("/dev/null", p+".lock"))
		}, store.ErrUnsafe, []string{".lock"}},
		"an open directory": {func(t *testing.T, p string) { must(t, os.Chmod(filepath.Dir(p), 0o777)) }, store.ErrUnsafe, []string{"chmod 700"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fresh(t)
			appendMany(t, s, 100)
			must(t, s.Close())
			c.spoil(t, s.Path())
			before, _ := os.ReadFile(s.Path()) // a directory has no bytes
			again, err := store.Open(t.Context(), s.Path(), store.Options{})
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, %v, want %v", again, err, c.want)
			}
			for _, want := range append(c.says, s.Path()) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error: got %q, want it to say %q", err, want)
				}
			}
			if after, _ := os.ReadFile(s.Path()); string(after) != string(before) {
				t.Errorf("the file was changed: %d bytes before, %d after", len(before), len(after))
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// damage overwrites every page but the first.
func damage(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	must(t, err)
	for i := 4096; i < len(b); i++ {
		b[i] = 0xA5
	}
	must(t, os.WriteFile(path, b, 0o600))
}

func foreign(t *testing.T, path string) {
	must(t, os.Remove(path))
	tamper(t, path, "CREATE TABLE recipes (name TEXT)")
	must(t, os.Chmod(path, 0o600))
}

func newer(t *testing.T, path string) {
	tamper(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
}

func link(t *testing.T, path string) {
	must(t, os.Rename(path, path+".real"))
	must(t, os.Symlink(path+".real", path))
}

func TestOpen_refusesALinkedDirectory(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(t, os.Symlink("real", filepath.Join(dir, "link")))
	if _, err := store.Open(t.Context(), filepath.Join(dir, "link", "store.db"), store.Options{}); !errors.Is(err, store.ErrUnsafe) {
		t.Errorf("got %v, want ErrUnsafe", err)
	}
}

func TestOpen_refusesAnOpenParent(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	dir := filepath.Join(t.TempDir(), "open")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.Chmod(dir, 0o777))
	if _, err := store.Open(t.Context(), filepath.Join(dir, "state", "store.db"), store.Options{}); !errors.Is(err, store.ErrUnsafe) {
		t.Errorf("got %v, want ErrUnsafe", err)
	}
}

func TestOpen_namesTheHolder(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	_, err := store.Open(t.Context(), s.Path(), store.Options{LockWait: time.Millisecond})
	if want := fmt.Sprintf("process %d", os.Getpid()); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want ErrLocked naming %s", err, want)
	}
	appendMany(t, s, 1)
}

// Who waits gets the store when its holder leaves.
func TestOpen_waitsForTheHolder(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	got := make(chan error)
	go func() {
		next, err := store.Open(context.Background(), s.Path(), store.Options{LockWait: time.Minute})
		if err == nil {
			err = next.Close()
		}
		got <- err
	}()
	must(t, s.Close())
	if err := <-got; err != nil {
		t.Errorf("got %v, want the store", err)
	}
}

func TestOpen_stopsWaitingWithItsContext(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Open(ctx, s.Path(), store.Options{LockWait: time.Minute}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// A SQLite shell holding the file makes an open and a write fail in time, with an error, and
// never an allow.
func TestOpen_lockedByAnotherProgram(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	s := fresh(t)
	must(t, s.Close())
	other, err := sql.Open("sqlite", s.Path())
	must(t, err)
	defer other.Close()
	other.SetMaxOpenConns(1)
	_, err = other.Exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (a)")
	must(t, err)
	if _, err := store.Open(t.Context(), s.Path(), store.Options{LockWait: 10 * time.Millisecond}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
}

func TestAppend_lockedByAnotherProgram(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	s := opened(t, filepath.Join(t.TempDir(), "store.db"), store.Options{LockWait: 10 * time.Millisecond})
	other, err := sql.Open("sqlite", s.Path())
	must(t, err)
	other.SetMaxOpenConns(1)
	_, err = other.Exec("BEGIN IMMEDIATE")
	must(t, err)
	if _, err := s.Append(t.Context(), decision()); err == nil {
		t.Error("while another program writes: got no error")
	}
	must(t, other.Close())
	if row, err := s.Append(t.Context(), decision()); err != nil || row.Seq != 1 {
		t.Errorf("afterwards: got row %d, %v, want row 1", row.Seq, err)
	}
}

// An older store is backed up before it is migrated, and the backup opens.
func TestOpen_backsUpBeforeMigrating(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	path := filepath.Join(t.TempDir(), "store.db")
	older(t, path, 1)
	tamper(t, path, "INSERT INTO meta (name, value) VALUES ('note', x'01')")
	s := opened(t, path, store.Options{})
	appendMany(t, s, 1)
	backup := path + ".bak-1"
	info, err := os.Stat(backup)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("backup: got %v, %v, want a file of mode 0600", info, err)
	}
	db, err := sql.Open("sqlite", backup)
	must(t, err)
	defer db.Close()
	var notes, audits int
	must(t, db.QueryRow("SELECT (SELECT count(*) FROM meta WHERE name = 'note'), (SELECT count(*) FROM sqlite_master WHERE name = 'audit')").Scan(&notes, &audits))
	if notes != 1 || audits != 0 {
		t.Errorf("backup: got %d notes and %d audit tables, want 1 and 0", notes, audits)
	}
	opened(t, backup, store.Options{})
}

// older makes a store of an older schema.
func older(t *testing.T, path string, version int64) {
	t.Helper()
	must(t, os.WriteFile(path, nil, 0o600))
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	must(t, err)
	_, err = p.UpTo(t.Context(), version)
	must(t, err)
}

// downTo takes a store back to an older schema.
func downTo(t *testing.T, path string, version int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	must(t, err)
	_, err = p.DownTo(t.Context(), version)
	must(t, err)
}

func TestMigrations_goDownAndUp(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	path := filepath.Join(t.TempDir(), "store.db")
	older(t, path, 3)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	must(t, err)
	_, err = p.DownTo(t.Context(), 0)
	must(t, err)
	_, err = p.Up(t.Context())
	must(t, err)
}

func TestClose_twice(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	must(t, s.Close())
	must(t, s.Close())
}
