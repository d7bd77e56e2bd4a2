package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// database is the engine beneath a store: everything that differs between engines. All statements
// elsewhere run on each of them.
type database interface {
	// name is the store's place for messages: the path of a file, or a URL without its password.
	name() string
	// open connects, keeps other programs away and brings the schema up to date.
	open(ctx context.Context) (writes, reads *sql.DB, err error)
	// openAlone connects for [Copy], as the only program with the store. A source (make is false) is
	// opened as it is, for reading; a target is made where it is missing. close disconnects.
	openAlone(ctx context.Context, make bool) (conn *sql.Conn, reads *sql.DB, err error)
	// fill inserts rows, and returns their number.
	fill(ctx context.Context, conn *sql.Conn, table string, columns []column, rows *sql.Rows) (int64, error)
	// tables are the store's tables with their columns, but for those of the engine and of goose.
	tables(ctx context.Context, conn *sql.Conn) (map[string][]column, error)
	// close disconnects; also after a failed open.
	close() error
	// writer is the connection for the writer's transactions; it waits for a database that is away,
	// but not longer than ctx.
	writer(ctx context.Context) (*sql.Conn, error)
	// usable reports whether a connection still works after a failure.
	usable(conn *sql.Conn) bool
	// begin starts a transaction of the writer. The chain continues after the returned link; nil is
	// the writer's own. The epoch is that of the store; 0 where one daemon has it.
	begin(ctx context.Context, conn *sql.Conn) (head *link, epoch int64, err error)
	// commit writes the rows of the audit and its head, and ends the transaction.
	commit(ctx context.Context, conn *sql.Conn, c *chain) error
	// putCall inserts a judged call by insertCall, in the writer's transaction, and reports whether its
	// key was new.
	putCall(ctx context.Context, conn *sql.Conn, values []any) (bool, error)
	// mayKnow is false where there is surely no judged call with this key.
	mayKnow(ctx context.Context, key ask.Key) bool
	// spoils reports whether a statement's error has ended the transaction of a job with one
	// statement.
	spoils(err error) bool
	// patience bounds a transaction; 0 is no bound.
	patience() time.Duration
	// wipe destroys the copies of erased values beside the tables. It reports whether it could.
	wipe(ctx context.Context, conn *sql.Conn) bool
	// explain adds the meaning and the fix to an error of the engine.
	explain(err error) error
	// by names the index to read the audit by, after its table's name; empty means its rows in their
	// order.
	by(index string) string
}

// column is a column of a table.
type column struct {
	name string
	flag bool // a truth value: 0 or 1 in an engine without them
}

// isURL reports whether a store's place names a database server, not a file.
func isURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// databaseAt is the engine for a place: a URL of PostgreSQL, or the path of a SQLite file.
func databaseAt(place string, o Options) (database, error) {
	if isURL(place) {
		return newPostgres(place, o.LockWait, o.Daemon != nil)
	}
	path, err := filepath.Abs(place)
	return &sqliteFile{path: path, busy: o.LockWait}, err
}

// Name is a store's place for messages: a path as it is, a URL without its password.
func Name(place string) string {
	if isURL(place) {
		return (&postgres{place: place}).name()
	}
	return place
}
