package store

import (
	"context"
	"database/sql"
)

// database is the engine beneath a store: everything that differs between engines. All statements
// elsewhere run on each of them.
type database interface {
	// name is the store's place for messages: the path of a file, or a URL without its password.
	name() string
	// open connects, keeps other programs away and brings the schema up to date.
	open(ctx context.Context) (writes, reads *sql.DB, err error)
	// close disconnects; also after a failed open.
	close() error
	// begin starts a transaction of the writer.
	begin(ctx context.Context, conn *sql.Conn) error
	// wipe destroys the copies of erased values beside the tables. It reports whether it could.
	wipe(ctx context.Context, conn *sql.Conn) bool
	// explain adds the meaning and the fix to an error of the engine.
	explain(err error) error
	// search names the index for a search of the audit, after its table's name. narrow is a search
	// for certain values of columns.
	search(narrow bool) string
}
