package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// checkVersion refuses a store of another version, but for a target whose tables are not all made.
func checkVersion(ctx context.Context, q queryer, exists, version string, files fs.FS, dir string, make bool) error {
	want, err := newestMigration(files, dir)
	if err != nil {
		return err
	}
	var made, used int
	if err := q.QueryRowContext(ctx, exists, "goose_db_version").Scan(&made); err != nil {
		return err
	}
	if made == 0 && make {
		return nil
	}
	if made == 0 {
		return fmt.Errorf("%w: there is no store", ErrNotFound)
	}
	var has sql.NullInt64
	if err := q.QueryRowContext(ctx, version).Scan(&has); err != nil {
		return err
	}
	if err := q.QueryRowContext(ctx, exists, "meta").Scan(&used); err != nil {
		return err
	}
	if used > 0 {
		if err := q.QueryRowContext(ctx, "SELECT count(*) FROM meta").Scan(&used); err != nil {
			return err
		}
	}
	switch {
	case has.Int64 > want:
		return fmt.Errorf("%w: it has schema %d, this program knows %d: use the newer callgate", ErrNewer, has.Int64, want)
	case has.Int64 < want && (!make || used > 0):
		return fmt.Errorf("%w: it has schema %d, this program %d: start its daemon once with this program (callgate serve), and stop it", ErrOlder, has.Int64, want)
	}
	return nil
}

// newestMigration is the number of the last migration in a directory.
func newestMigration(files fs.FS, dir string) (newest int64, err error) {
	names, err := fs.Glob(files, dir+"/*.sql")
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		newest = max(newest, n)
	}
	return newest, err
}

// readTables reads the names of tables and columns, and whether a column is a truth value.
func readTables(ctx context.Context, conn *sql.Conn, query string) (map[string][]column, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	out := map[string][]column{}
	for rows.Next() {
		var table string
		var c column
		if err := rows.Scan(&table, &c.name, &c.flag); err != nil {
			return nil, err
		}
		out[table] = append(out[table], c)
	}
	return out, rows.Err()
}
