package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func (d *sqliteFile) openAlone(ctx context.Context, make bool) (conn *sql.Conn, reads *sql.DB, err error) {
	switch _, err := os.Lstat(d.path); {
	case errors.Is(err, fs.ErrNotExist) && !make:
		return nil, nil, fmt.Errorf("%w: there is no store", ErrNotFound)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	if err := makeDirectory(filepath.Dir(d.path)); err != nil {
		return nil, nil, err
	}
	if d.lock, err = takeLock(ctx, d.path+".lock", d.busy); err != nil {
		return nil, nil, err
	}
	if make {
		if err := makeFile(d.path); err != nil {
			return nil, nil, err
		}
	}
	fresh, err := checkMagic(d.path)
	if err != nil {
		return nil, nil, err
	}
	pragmas := []string{"query_only(1)"}
	if make {
		pragmas = []string{"synchronous(FULL)", "foreign_keys(1)"}
	}
	if d.writes, err = connect(d.path, d.busy, 1, pragmas...); err != nil {
		return nil, nil, err
	}
	if err := d.checkCopied(ctx, fresh, make); err != nil {
		return nil, nil, err
	}
	if d.reads, err = connect(d.path, d.busy, readers, "query_only(1)"); err != nil {
		return nil, nil, err
	}
	conn, err = d.writes.Conn(ctx)
	return conn, d.reads, err
}

// checkCopied checks a source, or a target and makes its tables.
func (d *sqliteFile) checkCopied(ctx context.Context, fresh, make bool) error {
	if !fresh {
		if err := d.checkSound(ctx); err != nil {
			return err
		}
	}
	version := "SELECT max(version_id) FROM goose_db_version"
	if err := checkVersion(ctx, d.writes, "SELECT count(*) FROM sqlite_master WHERE name = ?", version, migrationFiles, "migrations", make); err != nil || !make {
		return err
	}
	return d.prepare(ctx)
}

func (d *sqliteFile) tables(ctx context.Context, conn *sql.Conn) (map[string][]column, error) {
	return readTables(ctx, conn, `SELECT m.name, c.name, false FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version' ORDER BY m.name, c.cid`)
}

func (d *sqliteFile) fill(ctx context.Context, conn *sql.Conn, table string, columns []column, rows *sql.Rows) (n int64, err error) {
	insert, err := conn.PrepareContext(ctx, "INSERT INTO "+table+" ("+namesOf(columns)+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	scan := scanner(len(columns))
	for ; rows.Next(); n++ {
		values, err := scan(rows)
		if err != nil {
			return n, err
		}
		for i, v := range values {
			if is, ok := v.(bool); ok {
				values[i] = int64(0)
				if is {
					values[i] = int64(1)
				}
			}
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return n, err
		}
	}
	return n, nil
}
