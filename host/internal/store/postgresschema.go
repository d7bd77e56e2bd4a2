package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/postgres/*.sql
var postgresFiles embed.FS

// oldestServer is the oldest version of PostgreSQL with tests, as the server itself numbers it.
const oldestServer = 140000

// prepare checks the server and brings the schema to this program's version.
func (d *postgres) prepare(ctx context.Context) error {
	conn, err := d.reads.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // it goes back to the pool
	if err := d.checkServer(ctx, conn); err != nil {
		return err
	}
	if err := d.takeLock(ctx, conn, d.migrateKey(), false); err != nil {
		return err
	}
	err = d.migrate(ctx, conn)
	_, unlockErr := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(?)", d.migrateKey())
	return errors.Join(err, unlockErr)
}

// checkServer refuses a server without what a store needs.
func (d *postgres) checkServer(ctx context.Context, conn *sql.Conn) error {
	var version int
	var direct, schema sql.NullString
	var encoding, durable string
	var standby bool
	err := conn.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting(?, true), current_schema(),
		current_setting('server_encoding'), current_setting('synchronous_commit'), pg_is_in_recovery()`, marker).
		Scan(&version, &direct, &schema, &encoding, &durable, &standby)
	switch {
	case err != nil:
		return err
	case version < oldestServer:
		return fmt.Errorf("the server's version is %d: want PostgreSQL %d or later", version/10000, oldestServer/10000)
	case direct.String != "1":
		return fmt.Errorf("%w: a pool such as pgbouncer is in between: connect to PostgreSQL itself, Callgate has a pool of its own", ErrUnsafe)
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: create it with ENCODING 'UTF8'", encoding)
	case durable == "off":
		return fmt.Errorf("%w: synchronous_commit is off, so a crash loses confirmed decisions: ALTER DATABASE ... SET synchronous_commit = on", ErrUnsafe)
	case standby:
		return fmt.Errorf("%w: the server is a standby: name the primary", ErrReadOnly)
	case schema.String == "":
		return errors.New("the schema of search_path does not exist: create it")
	}
	d.schema = schema.String
	return nil
}

// migrate runs the missing migrations. The caller holds the lock of the store.
func (d *postgres) migrate(ctx context.Context, conn *sql.Conn) error {
	files, err := fs.Sub(postgresFiles, "migrations/postgres")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, d.reads, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if err := d.checkOwn(ctx, conn); err != nil {
		return err
	}
	has, want, err := p.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case has > want:
		return fmt.Errorf("%w: it has schema %d, this program knows %d: use the newer callgate", ErrNewer, has, want)
	case has == want:
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate from schema %d to %d: %w", has, want, err)
	}
	return nil
}

// checkOwn refuses a schema with tables of another program.
func (d *postgres) checkOwn(ctx context.Context, conn *sql.Conn) error {
	var tables, ours int
	err := conn.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE table_name IN ('goose_db_version', 'audit_head'))
		FROM information_schema.tables WHERE table_schema = current_schema()`).Scan(&tables, &ours)
	if err == nil && tables > 1 && ours != 2 {
		err = fmt.Errorf("%w: schema %s has tables of another program: create a database for Callgate", ErrCorrupt, d.schema)
	}
	return err
}

// explain adds the meaning and the fix to an error of the server or of the way to it.
func (d *postgres) explain(err error) error {
	var pe *pgconn.PgError
	errors.As(err, &pe)
	switch {
	case pe != nil && pe.Code == "08P01" && pe.Severity == "FATAL":
		return fmt.Errorf("%w: a pool such as pgbouncer is in between: connect to PostgreSQL itself, Callgate has a pool of its own: %w", ErrUnsafe, err)
	case pe != nil && (pe.Code == "25006" || pe.Code == "42501"):
		return fmt.Errorf("%w: give the account all rights on its database: %w", ErrReadOnly, err)
	case pe != nil && pe.Code == "53100":
		return fmt.Errorf("%w: the server's disk is full: %w", ErrUnavailable, err)
	case isAway(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// isAway reports whether the server is not there, or does not take anybody now.
func isAway(err error) bool {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Code[:2] == "57" || pe.Code[:2] == "53" || pe.Code[:2] == "08" || pe.Code == "55P03"
	}
	var ce *pgconn.ConnectError
	var ne net.Error
	return errors.As(err, &ce) || errors.As(err, &ne) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn)
}
