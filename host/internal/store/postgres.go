package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// ErrUnavailable means the database server does not answer. Nothing was decided on: the caller
// denies.
var ErrUnavailable = errors.New("the database does not answer")

// postgres is a store in a PostgreSQL database. Several daemons share it; every other program has
// it alone. RATIONALE.md, "Why is a decision stored only on the rules it was made with?".
type postgres struct {
	place  string // the URL, with its password
	wait   time.Duration
	shared bool
	node   string // this daemon's id, in changes and notifications
	config *pgx.ConnConfig
	schema string
	writes *sql.DB
	reads  *sql.DB
	// last is the head this process wrote or read last; nil before the first transaction.
	last *link
	// perhaps is the head of a transaction whose connection was lost in COMMIT; nil for none.
	perhaps *link
	away    bool // the last try to connect failed
}

// newPostgres reads a URL. Options of the connection such as sslmode, sslrootcert and passfile stand
// in it, as libpq writes them.
func newPostgres(place string, wait time.Duration, shared bool) (*postgres, error) {
	d := &postgres{place: place, wait: wait, shared: shared}
	u, err := url.Parse(place)
	if err != nil {
		return nil, errors.New("the store's URL cannot be read: want postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full")
	}
	if _, has := u.User.Password(); has || u.Query().Has("password") {
		return nil, fmt.Errorf("%w: the URL holds a password: put it into a file and name that with passfile=FILE, or set PGPASSWORD", ErrUnsafe)
	}
	if err := checkTLS(u); err != nil {
		return nil, err
	}
	if d.config, err = pgx.ParseConfig(u.String()); err != nil {
		return nil, fmt.Errorf("the store's URL cannot be read: %w", err)
	}
	d.config.ConnectTimeout = patience
	d.config.DialFunc = dialBounded
	for name, value := range map[string]string{
		"application_name":            holderName(),
		marker:                        "1",
		"TimeZone":                    "UTC",
		"statement_timeout":           "60s",
		"lock_timeout":                "4s",
		"tcp_keepalives_idle":         "5",
		"tcp_keepalives_interval":     "2",
		"tcp_keepalives_count":        "3",
		"tcp_user_timeout":            "10000",
		"standard_conforming_strings": "on",
	} {
		d.config.RuntimeParams[name] = value
	}
	return d, nil
}

// marker is a setting of each connection. A pool between Callgate and the database refuses or loses
// it: there the lock of the store would belong to another program's connection.
const marker = "callgate.direct"

// checkTLS refuses a connection over a network that could silently be without TLS, and asks for a
// verified one where the URL says nothing.
func checkTLS(u *url.URL) error {
	q := u.Query()
	switch mode := q.Get("sslmode"); {
	case isLocal(u, q):
		return nil
	case mode == "allow" || mode == "prefer":
		return fmt.Errorf("%w: sslmode=%s may connect without TLS: use sslmode=verify-full, or sslmode=disable in a private network", ErrUnsafe, mode)
	case mode == "":
		q.Set("sslmode", "verify-full")
		u.RawQuery = q.Encode()
	}
	return nil
}

// isLocal reports whether the server is on this machine.
func isLocal(u *url.URL, q url.Values) bool {
	host := u.Hostname()
	if h := q.Get("host"); h != "" {
		host = h
	}
	ip := net.ParseIP(host)
	return host == "" || host[0] == '/' || host == "localhost" || ip != nil && ip.IsLoopback()
}

// holderName names this process to others on the database, at most 63 bytes.
func holderName() string {
	host, _ := os.Hostname() // a name is a help, not a need
	name := "callgate process " + strconv.Itoa(os.Getpid()) + " on " + host
	return name[:min(len(name), 63)]
}

func (d *postgres) name() string {
	u, err := url.Parse(d.place)
	if err != nil {
		return "postgres"
	}
	q := u.Query()
	q.Del("password")
	u.RawQuery = q.Encode()
	return u.Redacted()
}

func (d *postgres) open(ctx context.Context) (writes, reads *sql.DB, err error) {
	d.writes = sql.OpenDB(connector{stdlib.GetConnector(*d.config)})
	d.writes.SetMaxOpenConns(1)
	d.reads = sql.OpenDB(connector{stdlib.GetConnector(*d.config)})
	d.reads.SetMaxOpenConns(poolSize)
	d.reads.SetMaxIdleConns(poolSize)
	if err := d.prepare(ctx); err != nil {
		return nil, nil, d.explain(err)
	}
	return d.writes, d.reads, nil
}

// poolSize is the number of connections for queries beside the writer.
const poolSize = 8

func (d *postgres) close() error {
	var errs []error
	for _, db := range []*sql.DB{d.reads, d.writes} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// writer connects and takes the lock of the store. A database that is away gets patience to come
// back, once: afterwards each change fails at once until it is there.
func (d *postgres) writer(ctx context.Context) (*sql.Conn, error) {
	for {
		conn, err := d.connectWriter(ctx)
		if err == nil || d.away || !isAway(err) {
			d.away = err != nil
			return conn, err
		}
		select {
		case <-ctx.Done():
			d.away = true
			return nil, err
		case <-time.After(retryEvery):
		}
	}
}

// retryEvery is the pause between two tries to connect, or to take a lock.
const retryEvery = 100 * time.Millisecond

func (d *postgres) connectWriter(ctx context.Context) (*sql.Conn, error) {
	conn, err := d.writes.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = d.takeLock(ctx, conn, d.lockKey(), d.shared)
	if err == nil {
		err = d.checkLast(ctx, conn)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// checkLast refuses a database that lost the last row this process knows: it was restored, or a
// standby that was behind took over. Both end the connections, so a new one asks.
func (d *postgres) checkLast(ctx context.Context, conn *sql.Conn) error {
	if d.last == nil || d.last.seq == 0 {
		return nil
	}
	var hash []byte
	var pruned int64
	err := conn.QueryRowContext(ctx, "SELECT (SELECT hash FROM audit_log WHERE seq = ?), (SELECT seq FROM audit_anchor WHERE one = 1)", d.last.seq).Scan(&hash, &pruned)
	switch {
	case err != nil:
		return err
	case pruned >= d.last.seq || bytes.Equal(hash, d.last.hash[:]):
		return nil
	}
	return fmt.Errorf("%w: row %d is missing or another: the database was restored, or a standby that was behind took over: restart callgate to accept it", ErrRewound, d.last.seq)
}

// takeLock takes a session's lock, for itself or together with others, waiting for its holder as
// long as configured. The server releases it with the connection.
func (d *postgres) takeLock(ctx context.Context, conn *sql.Conn, key int64, shared bool) error {
	query := "SELECT pg_try_advisory_lock(?)"
	if shared {
		query = "SELECT pg_try_advisory_lock_shared(?)"
	}
	for end := time.Now().Add(d.wait); ; {
		var got bool
		if err := conn.QueryRowContext(ctx, query, key).Scan(&got); err != nil || got {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w by %s: stop it, or talk to it instead of opening its store", ErrLocked, d.holder(ctx, conn))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryEvery):
		}
	}
}

// lockKey is the number of the lock for the schema of this store; migrateKey that of its
// migrations, which other daemons of an earlier version do not prevent.
func (d *postgres) lockKey() int64    { return numberOf("callgate store " + d.schema) }
func (d *postgres) migrateKey() int64 { return numberOf("callgate migrations " + d.schema) }

func numberOf(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// holder describes the process with the lock.
func (d *postgres) holder(ctx context.Context, conn *sql.Conn) string {
	var name, address sql.NullString
	key := uint64(d.lockKey())
	err := conn.QueryRowContext(ctx, `SELECT a.application_name, host(a.client_addr) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = ? AND l.objid::bigint = ? LIMIT 1`,
		int64(key>>32), int64(key&0xffffffff)).Scan(&name, &address)
	switch {
	case err != nil || name.String == "":
		return "another process"
	case address.String != "":
		return name.String + " at " + address.String
	}
	return name.String
}

func (d *postgres) usable(conn *sql.Conn) bool {
	ok := false
	_ = conn.Raw(func(dc any) error { // a closed one is not usable
		raw := rawConn(dc)
		ok = raw != nil && !raw.IsClosed()
		return nil
	})
	return ok
}

// patience leaves the time to connect, and for the transaction itself.
func (d *postgres) patience() time.Duration { return patience + time.Second }

// begin starts a transaction and locks the chain's head, in one round trip. Until the commit no
// other daemon stores anything.
func (d *postgres) begin(ctx context.Context, conn *sql.Conn) (*link, int64, error) {
	var head link
	var epoch int64
	err := conn.Raw(func(dc any) error {
		b := &pgx.Batch{}
		b.Queue("BEGIN")
		b.Queue("SELECT seq, hash, epoch FROM audit_head WHERE one = 1 FOR UPDATE").QueryRow(func(row pgx.Row) error {
			var hash []byte
			err := row.Scan(&head.seq, &hash, &epoch)
			copy(head.hash[:], hash)
			return err
		})
		return rawConn(dc).SendBatch(ctx, b).Close()
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the audit's head: %w", err)
	}
	switch last := d.last; {
	case last == nil || head == *last || d.perhaps != nil && head == *d.perhaps:
	case head.seq <= last.seq:
		return nil, 0, fmt.Errorf("%w: its last row is %d, and %d were written: it was restored, or a standby that was behind took over: restart callgate to accept it", ErrRewound, head.seq, d.last.seq)
	case !d.shared:
		return nil, 0, fmt.Errorf("%w: another process wrote to it: restart callgate", ErrLocked)
	}
	return &head, epoch, nil
}

// ErrRewound means the store lost rows that it had confirmed.
var ErrRewound = errors.New("the store went back")

// commit writes the rows with one statement, and the head, and ends the transaction, in one round
// trip.
func (d *postgres) commit(ctx context.Context, conn *sql.Conn, c *chain) error {
	err := conn.Raw(func(dc any) error {
		b := &pgx.Batch{}
		if len(c.pending) > 0 {
			b.Queue(insertRows, columnsOf(c.pending)...)
		}
		for id, u := range usesOf(c.pending) {
			b.Queue(translate(addUses), id, u.Count, u.Last.UnixNano())
		}
		if len(c.pending) > 0 || len(c.news.changes) > 0 {
			b.Queue("UPDATE audit_head SET seq = $1, hash = $2, epoch = $3 WHERE one = 1", c.head.seq, c.head.hash[:], c.news.next())
		}
		for _, change := range c.news.changes {
			b.Queue("INSERT INTO changes VALUES ($1, $2, $3, $4)", change.Epoch, change.Kind, change.ID, d.node)
		}
		for _, payload := range d.notifications(&c.news) {
			b.Queue("SELECT pg_notify($1, $2)", d.channel(), payload)
		}
		b.Queue("COMMIT").Exec(func(tag pgconn.CommandTag) error {
			if tag.String() != "COMMIT" {
				return fmt.Errorf("the database answered COMMIT with %s", tag)
			}
			return nil
		})
		return rawConn(dc).SendBatch(ctx, b).Close()
	})
	if err != nil {
		head := c.head
		d.perhaps = &head
		return fmt.Errorf("append rows to %d: %w", c.head.seq, err)
	}
	head := c.head
	d.last, d.perhaps = &head, nil
	return nil
}

const insertRows = `INSERT INTO audit_log SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
	$7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
	$17::text[], $18::text[], $19::text[], $20::bigint[], $21::bytea[], $22::bytea[], $23::text[], $24::text[], $25::text[], $26::text[])`

// columnsOf turns rows into one list for each column, in the order of the columns.
func columnsOf(rows []Row) []any {
	n := len(rows)
	seqs, times, latencies := make([]int64, n), make([]int64, n), make([]int64, n)
	prevs, hashes := make([][]byte, n), make([][]byte, n)
	var texts [17][]string
	var rest [4][]string
	for i := range rows {
		r := &rows[i]
		seqs[i], times[i], latencies[i] = r.Seq, r.Time.UnixNano(), int64(r.Latency)
		prevs[i], hashes[i] = r.Prev[:], r.Hash[:]
		for k, p := range r.texts() {
			texts[k] = append(texts[k], *p)
		}
		for k, p := range r.rest() {
			rest[k] = append(rest[k], *p)
		}
	}
	out := []any{seqs, times}
	for _, column := range texts {
		out = append(out, column)
	}
	out = append(out, latencies, prevs, hashes)
	for _, column := range rest {
		out = append(out, column)
	}
	return out
}

// wipe has nothing to do: the server's vacuum destroys old versions of rows.
func (d *postgres) wipe(context.Context, *sql.Conn) bool { return true }

func (d *postgres) putCall(ctx context.Context, conn *sql.Conn, values []any) (bool, error) {
	return changed(conn.ExecContext(ctx, insertCall, values...))
}

// mayKnow leaves it to the one statement for the call, which its driver has prepared.
func (d *postgres) mayKnow(context.Context, ask.Key) bool { return true }

// by is empty: the planner chooses well by itself.
func (d *postgres) by(string) string { return "" }

// spoils reports whether an error has ended the transaction: after one PostgreSQL refuses every
// statement.
func (d *postgres) spoils(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe)
}
