package store

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a SQLite file as a Callgate store ("CGAT").
const applicationID = 0x43474154

// sqliteMagic is how every SQLite file begins.
const sqliteMagic = "SQLite format 3\x00"

// prepare checks the file and brings it to this program's schema.
func (d *sqliteFile) prepare(ctx context.Context) error {
	fresh, err := checkMagic(d.path)
	if err != nil {
		return err
	}
	if !fresh {
		if err := d.checkSound(ctx); err != nil {
			return err
		}
	}
	if _, err := d.writes.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	// Freed pages are overwritten: an erased input is gone from the file.
	if _, err := d.writes.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
		return err
	}
	return d.migrate(ctx)
}

// checkMagic reports whether the file is new, and refuses other files than databases before SQLite
// sees them.
func checkMagic(path string) (fresh bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close() // only read
	head := make([]byte, len(sqliteMagic))
	n, err := io.ReadFull(f, head)
	if n == 0 && errors.Is(err, io.EOF) {
		return true, nil
	}
	if !bytes.Equal(head[:n], []byte(sqliteMagic)) {
		return false, fmt.Errorf("%w: it is not a SQLite file", ErrCorrupt)
	}
	return false, nil
}

// checkSound looks for damage. VerifyAudit checks the possibly large audit; everything else is
// small.
func (d *sqliteFile) checkSound(ctx context.Context) error {
	var id int64
	if err := d.writes.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	var tables int
	if err := d.writes.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	if id != applicationID && tables > 0 {
		return fmt.Errorf("%w: it is a database of another program", ErrCorrupt)
	}
	for _, table := range []string{"meta", "rules", "sessions", "asks", "streaks", "audit_head", "audit_anchor", "audit_tree", "settings", "calls", "rule_uses", "tokens", "cards", "card_threads"} {
		if err := d.checkTable(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

func (d *sqliteFile) checkTable(ctx context.Context, table string) error {
	var exists bool
	row := d.writes.QueryRowContext(ctx, "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?", table)
	if err := row.Scan(&exists); err != nil || !exists {
		return err
	}
	var found string
	if err := d.writes.QueryRowContext(ctx, "PRAGMA quick_check('"+table+"')").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: table %s: %s", ErrCorrupt, table, strings.TrimSpace(found))
	}
	return nil
}

// migrate runs the missing migrations, after backing up a file with content.
func (d *sqliteFile) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, d.writes, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	has, want, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case has > want:
		return fmt.Errorf("%w: it has schema %d, this program knows %d: use the newer callgate, or restore %s.bak-%d",
			ErrNewer, has, want, d.path, want)
	case has == want:
		return nil
	case has > 0:
		if err := d.backup(ctx, has); err != nil {
			return fmt.Errorf("back up before migrating from schema %d to %d: %w", has, want, err)
		}
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate from schema %d to %d: %w", has, want, err)
	}
	return nil
}

// backup copies the store to path.bak-VERSION. An interrupted backup never gets the name.
func (d *sqliteFile) backup(ctx context.Context, version int64) error {
	name := fmt.Sprintf("%s.bak-%d", d.path, version)
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := d.writes.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return err
	}
	return os.Rename(part, name)
}

// explain adds the meaning and the fix to an error of SQLite.
func (d *sqliteFile) explain(err error) error {
	var se interface{ Code() int } // the driver's, or a codeError
	if errors.As(err, &se) {
		switch se.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return fmt.Errorf("%w by another program (a SQLite shell?): close it: %w", ErrLocked, err)
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			return fmt.Errorf("%w: make the file and its directory writable: %w", ErrReadOnly, err)
		}
	}
	if errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w; nothing was changed: to start anew, move it aside (mv %s %[2]s.broken) with its -wal and -shm files, or restore a .bak file", err, d.path)
	}
	return err
}
