package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// openAlone takes the store's lock for itself before it makes or reads anything, so a daemon is never
// surprised. A source is read in one snapshot on the connection with the lock.
func (d *postgres) openAlone(ctx context.Context, make bool) (conn *sql.Conn, reads *sql.DB, err error) {
	d.writes = sql.OpenDB(connector{stdlib.GetConnector(*d.config)})
	d.writes.SetMaxOpenConns(1)
	d.reads = sql.OpenDB(connector{stdlib.GetConnector(*d.config)})
	d.reads.SetMaxOpenConns(poolSize)
	if conn, err = d.writes.Conn(ctx); err != nil {
		return nil, nil, err
	}
	if err := d.alone(ctx, conn, make); err != nil {
		return conn, d.reads, err
	}
	if !make {
		_, err = conn.ExecContext(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	}
	return conn, d.reads, err
}

func (d *postgres) alone(ctx context.Context, conn *sql.Conn, make bool) error {
	if err := d.checkServer(ctx, conn); err != nil {
		return err
	}
	if err := d.takeLock(ctx, conn, d.lockKey(), false); err != nil {
		return err
	}
	if err := d.checkOwn(ctx, conn); err != nil {
		return err
	}
	exists := "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = ?"
	if err := checkVersion(ctx, conn, exists, "SELECT max(version_id) FROM goose_db_version WHERE is_applied", postgresFiles, "migrations/postgres", make); err != nil || !make {
		return err
	}
	return d.prepare(ctx)
}

func (d *postgres) tables(ctx context.Context, conn *sql.Conn) (map[string][]column, error) {
	return readTables(ctx, conn, `SELECT t.table_name, c.column_name, c.data_type = 'boolean' FROM information_schema.tables t
		JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
		WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND t.table_name <> 'goose_db_version'
		ORDER BY t.table_name, c.ordinal_position`)
}

// fill sends the rows by COPY. It brings the counter of the asks behind its rows.
func (d *postgres) fill(ctx context.Context, conn *sql.Conn, table string, columns []column, rows *sql.Rows) (n int64, err error) {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	err = conn.Raw(func(dc any) error {
		n, err = rawConn(dc).CopyFrom(ctx, pgx.Identifier{table}, names, &copied{rows: rows, columns: columns, scan: scanner(len(columns))})
		return err
	})
	if err == nil && table == "asks" {
		_, err = conn.ExecContext(ctx, "SELECT setval(pg_get_serial_sequence('asks', 'seq'), coalesce(max(seq), 0) + 1, false) FROM asks")
	}
	if err != nil {
		return n, fmt.Errorf("write rows: %w", err)
	}
	return n, nil
}

// copied are the rows of a query, for COPY.
type copied struct {
	rows    *sql.Rows
	columns []column
	scan    func(*sql.Rows) ([]any, error)
}

func (c *copied) Next() bool { return c.rows.Next() }
func (c *copied) Err() error { return c.rows.Err() }

func (c *copied) Values() ([]any, error) {
	values, err := c.scan(c.rows)
	if err != nil {
		return nil, err
	}
	for i, col := range c.columns {
		if v, ok := values[i].(int64); ok && col.flag {
			values[i] = v != 0
		}
	}
	return values, nil
}
