package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/machine/filelock"

	_ "modernc.org/sqlite" // the database driver
)

// readers is the number of connections for queries beside the writer.
const readers = 4

// sqliteFile is a store in one SQLite file, open in one process.
type sqliteFile struct {
	path   string
	busy   time.Duration // how long to wait for another holder of a lock
	lock   *filelock.Lock
	writes *sql.DB
	reads  *sql.DB
	ready  *ready // on the writer's connection

	looking sync.Mutex
	lookUp  *ready // on look, a connection for reading; nil before its first use
	look    *sql.Conn
}

func (d *sqliteFile) name() string { return d.path }

func (d *sqliteFile) open(ctx context.Context) (writes, reads *sql.DB, err error) {
	if err := makeDirectory(filepath.Dir(d.path)); err != nil {
		return nil, nil, err
	}
	if d.lock, err = takeLock(ctx, d.path+".lock", d.busy); err != nil {
		return nil, nil, err
	}
	if err := makeFile(d.path); err != nil {
		return nil, nil, err
	}
	if d.writes, err = connect(d.path, d.busy, 1, "synchronous(FULL)", "foreign_keys(1)"); err != nil {
		return nil, nil, err
	}
	if err := d.prepare(ctx); err != nil {
		return nil, nil, d.explain(err)
	}
	d.reads, err = connect(d.path, d.busy, readers+1, "query_only(1)") // one for lookUp
	return d.writes, d.reads, err
}

// connect opens path with n connections. SQLite opens lazily: nothing is
// touched yet.
func connect(path string, busy time.Duration, n int, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds())}}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

func (d *sqliteFile) close() error {
	var errs []error
	d.looking.Lock()
	defer d.looking.Unlock()
	for _, r := range []*ready{d.ready, d.lookUp} {
		if r != nil {
			errs = append(errs, r.end())
		}
	}
	d.ready, d.lookUp = nil, nil
	if d.look != nil {
		errs = append(errs, d.look.Close())
		d.look = nil
	}
	for _, db := range []*sql.DB{d.reads, d.writes} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Release())
	}
	return errors.Join(errs...)
}

func (d *sqliteFile) writer(ctx context.Context) (*sql.Conn, error) {
	conn, err := d.writes.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if d.ready, err = readyOn(conn, writerTexts); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (d *sqliteFile) usable(*sql.Conn) bool { return true }

func (d *sqliteFile) spoils(error) bool { return false }

func (d *sqliteFile) patience() time.Duration { return 0 }

func (d *sqliteFile) begin(context.Context, *sql.Conn) (head *link, epoch int64, err error) {
	return nil, 0, d.ready.step(beginWrite)
}

func (d *sqliteFile) commit(_ context.Context, _ *sql.Conn, c *chain) error {
	if len(c.pending) > 0 {
		for i := range c.pending {
			if err := d.ready.row(&c.pending[i]); err != nil {
				return fmt.Errorf("append row %d: %w", c.pending[i].Seq, err)
			}
		}
		for id, u := range usesOf(c.pending) {
			if err := d.ready.uses(id, u); err != nil {
				return fmt.Errorf("count the use of a rule: %w", err)
			}
		}
		if err := d.ready.head(&c.head); err != nil {
			return err
		}
	}
	return d.ready.step(commitWrite)
}

// putCall is one of the writer's statements.
func (d *sqliteFile) putCall(_ context.Context, _ *sql.Conn, values []any) (bool, error) {
	return d.ready.call(values)
}

// mayKnow looks on a connection of its own: most calls are new, and the driver would compile a
// statement for each.
func (d *sqliteFile) mayKnow(ctx context.Context, key ask.Key) bool {
	d.looking.Lock()
	defer d.looking.Unlock()
	if d.lookUp == nil && !d.makeLookUp(ctx) {
		return true
	}
	found, err := d.lookUp.has(key)
	return found || err != nil
}

func (d *sqliteFile) makeLookUp(ctx context.Context) bool {
	conn, err := d.reads.Conn(ctx)
	if err != nil {
		return false
	}
	r, err := readyOn(conn, readerTexts)
	if err != nil {
		_ = conn.Close() // back to the others
		return false
	}
	d.lookUp, d.look = r, conn
	return true
}

// maxWipeWait is how long emptying the log waits for readers, in milliseconds.
const maxWipeWait = 20

// wipe empties the write-ahead log.
func (d *sqliteFile) wipe(ctx context.Context, conn *sql.Conn) bool {
	busyTimeout(ctx, conn, maxWipeWait)
	defer busyTimeout(ctx, conn, d.busy.Milliseconds())
	var busy, pages, moved int
	row := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return row.Scan(&busy, &pages, &moved) == nil && busy == 0
}

func busyTimeout(ctx context.Context, conn *sql.Conn, ms int64) {
	_, _ = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", ms)) // cannot fail on an open connection
}

// by insists on an index, or on none. Left to itself SQLite reads the rows, ten times slower.
func (d *sqliteFile) by(index string) string {
	if index == "" {
		return " NOT INDEXED"
	}
	return " INDEXED BY " + index
}
