package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector makes connections that understand this package's statements.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errors.New("the driver made a connection of another type"), inner.Close())
	}
	return &translated{conn}, nil
}

// translated is a connection that rewrites each statement for PostgreSQL.
type translated struct{ *stdlib.Conn }

func (c *translated) Prepare(query string) (driver.Stmt, error) {
	return c.Conn.Prepare(translate(query))
}

func (c *translated) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.PrepareContext(ctx, translate(query))
}

func (c *translated) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, translate(query), args)
}

func (c *translated) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, translate(query), args)
}

// words differ between the engines: SQLite's LIKE takes ASCII letters of either case for equal, as
// ILIKE does over columns of collation C.
var words = strings.NewReplacer(" LIKE ", " ILIKE ", "instr(", "strpos(")

// translate numbers the places for arguments and replaces words. No statement of this package has
// a question mark in a text.
func translate(query string) string {
	query = words.Replace(query)
	if !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	b.Grow(len(query) + 32)
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		query = after
	}
}

// patience is how long the database may be silent in the middle of an answer, and how long the
// writer waits for a database that is away.
const patience = 5 * time.Second

// dialBounded dials connections that fail when the other side stays silent. Without it a
// connection into a cut network waits for the system, which gives up after many minutes.
func dialBounded(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: patience, KeepAlive: patience}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &bounded{Conn: conn}, nil
}

// bounded is a connection on which each read ends within patience. The driver reads only while it
// expects an answer.
type bounded struct {
	net.Conn
	until atomic.Int64 // the driver's own deadline in Unix nanoseconds, 0 for none
}

func (c *bounded) SetDeadline(t time.Time) error {
	c.note(t)
	return c.Conn.SetDeadline(t)
}

func (c *bounded) SetReadDeadline(t time.Time) error {
	c.note(t)
	return c.Conn.SetReadDeadline(t)
}

func (c *bounded) note(t time.Time) {
	if t.IsZero() {
		c.until.Store(0)
		return
	}
	c.until.Store(max(1, t.Unix()*int64(time.Second)))
}

func (c *bounded) Read(b []byte) (int, error) {
	if c.until.Load() == 0 {
		if err := c.Conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(b)
}

// rawConn is the driver's own connection beneath one of database/sql.
func rawConn(dc any) *pgx.Conn {
	c, ok := dc.(*translated)
	if !ok {
		return nil // never: the pools are made of connector
	}
	return c.Conn.Conn()
}
