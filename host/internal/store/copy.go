package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/text/shellword"
)

// CopyOptions configure [Copy]. The zero value is usable.
type CopyOptions struct {
	// Progress hears of each table, of each batch of the audit, and of the verifications; its error
	// ends the copy. nil is fine.
	Progress func(CopyProgress) error
	// Batch is the number of rows of the audit in one transaction of the target. Default 10,000.
	Batch int64
	// LockWait is how long to wait for another process to leave a store. Default 2 s.
	LockWait time.Duration
}

// CopyProgress is a step of [Copy]: Done of Total rows of a table. Verifying is for the comparison
// at the end, where Table is empty.
type CopyProgress struct {
	Table     string
	Done      int64
	Total     int64
	Verifying bool
}

// CopyReport is the result of [Copy].
type CopyReport struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Tables has the number of rows of each table, the same on both sides.
	Tables map[string]int64 `json:"tables"`
	// Audit is the verification of the target's audit; the source's had the same result.
	Audit Report `json:"audit"`
	// Resumed means that an earlier copy was interrupted, Kept is the number of its rows of the audit.
	Resumed bool  `json:"resumed"`
	Kept    int64 `json:"kept,omitempty"`
	// Already means that the target was a whole copy before.
	Already bool `json:"already"`
}

// Errors of Copy.
var (
	// ErrUnfinished is the target of a copy that did not end.
	ErrUnfinished = errors.New("the copy into this store did not end")
	// ErrNotEmpty is a target with something else in it.
	ErrNotEmpty = errors.New("the target holds something else")
	// ErrOlder is a store of an earlier version of Callgate.
	ErrOlder = errors.New("store is older than this program")
)

// unfinished is the row of the table meta that marks the target until the copy has ended.
const unfinished = "unfinished_copy"

// Copy copies a whole store to another place, from SQLite to PostgreSQL, back, or between two of a
// kind. It refuses stores in use, a source with a broken audit, one of another version, and a target
// with anything but an earlier, interrupted copy of the same source: that one is continued. At the
// end each row is compared, and the target's audit verified; until then the target opens nowhere
// (ErrUnfinished). Nothing of the source changes. RATIONALE.md, "How does a store change its engine?".
func Copy(ctx context.Context, from, to string, o CopyOptions) (CopyReport, error) {
	if o.Batch == 0 {
		o.Batch = 10_000
	}
	if o.LockWait == 0 {
		o.LockWait = 2 * time.Second
	}
	if o.Progress == nil {
		o.Progress = func(CopyProgress) error { return nil }
	}
	c := &copier{o: o, report: CopyReport{From: Name(from), To: Name(to), Tables: map[string]int64{}}}
	defer c.close()
	if Name(from) == Name(to) {
		return c.report, fmt.Errorf("copy store %s: FROM and TO are the same place", Name(from))
	}
	if err := c.openBoth(ctx, from, to); err != nil {
		return c.report, err
	}
	err := c.run(ctx)
	if err != nil {
		err = fmt.Errorf("copy store %s to %s: %w", Name(from), Name(to), err)
	}
	return c.report, err
}

// copier is one run of Copy.
type copier struct {
	o        CopyOptions
	from, to *side
	identity string
	report   CopyReport
	closers  []func()
}

// side is one of the two stores.
type side struct {
	db     database
	conn   *sql.Conn
	reads  *sql.DB
	tables map[string][]column
	audit  Report
}

func (c *copier) close() {
	for _, end := range c.closers {
		end()
	}
}

func (c *copier) openBoth(ctx context.Context, from, to string) (err error) {
	if c.from, err = c.open(ctx, from, false); err != nil {
		return fmt.Errorf("open store %s: %w", Name(from), err)
	}
	if c.to, err = c.open(ctx, to, true); err != nil {
		return fmt.Errorf("open store %s: %w", Name(to), err)
	}
	return nil
}

func (c *copier) open(ctx context.Context, place string, make bool) (*side, error) {
	db, err := databaseAt(place, Options{LockWait: c.o.LockWait})
	if err != nil {
		return nil, err
	}
	s := &side{db: db}
	c.closers = append(c.closers, func() {
		if s.conn != nil {
			_ = s.conn.Close() // ends an open transaction
		}
		_ = db.close() // everything is committed
	})
	if s.conn, s.reads, err = db.openAlone(ctx, make); err == nil {
		s.tables, err = db.tables(ctx, s.conn)
	}
	if err != nil {
		return nil, db.explain(err)
	}
	return s, nil
}

// run copies and verifies what openBoth has opened.
func (c *copier) run(ctx context.Context) error {
	if err := c.checkSource(ctx); err != nil {
		return err
	}
	if err := c.checkTarget(ctx); err != nil {
		return err
	}
	if !c.report.Already {
		if err := c.copyAll(ctx); err != nil {
			return c.to.db.explain(err)
		}
	}
	if err := c.compare(ctx); err != nil {
		return err
	}
	if c.report.Already {
		return nil
	}
	return c.to.within(ctx, func() error {
		_, err := c.to.conn.ExecContext(ctx, "DELETE FROM meta WHERE name = ?", unfinished)
		return err
	})
}

// within runs a change of the target in a transaction.
func (s *side) within(ctx context.Context, change func() error) error {
	if _, err := s.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	err := change()
	if err == nil {
		_, err = s.conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = s.conn.ExecContext(back, "ROLLBACK") // a lost connection has rolled back
	}
	return err
}

// metaValue reads a value of the table meta; nil for none.
func metaValue(ctx context.Context, q queryer, name string) (value []byte, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

// checkUnfinished refuses the target of a copy that did not end.
func checkUnfinished(ctx context.Context, q queryer, place string) error {
	mark, err := metaValue(ctx, q, unfinished)
	if err != nil || mark == nil {
		return err
	}
	var m copyMark
	_ = json.Unmarshal(mark, &m) // its text is a help only
	return fmt.Errorf("%w: continue it with `callgate store migrate %s %s`, or make an empty one", ErrUnfinished, shellword.Quote(m.From), shellword.Quote(place))
}

// copyMark is the value of the row unfinished.
type copyMark struct {
	// Identity is of the source; From its place.
	Identity string `json:"identity"`
	From     string `json:"from"`
}

// checkSource refuses a source that nothing can be made of, and verifies its audit.
func (c *copier) checkSource(ctx context.Context) error {
	if err := checkUnfinished(ctx, c.from.conn, c.report.From); err != nil {
		return err
	}
	key, err := metaValue(ctx, c.from.conn, "mask_key")
	if err != nil {
		return c.from.db.explain(err)
	}
	if key == nil {
		return fmt.Errorf("%w: it was never used: there is nothing to copy", ErrNotFound)
	}
	c.identity = identityOf(key)
	if err := c.o.Progress(CopyProgress{Verifying: true}); err != nil {
		return err
	}
	c.from.audit, err = c.from.verify(ctx)
	if err == nil && !c.from.audit.OK() {
		err = fmt.Errorf("%w: row %d of %s: %s: find out which program wrote to it, and restore a copy", ErrAuditBroken, c.from.audit.Break.Seq, c.report.From, c.from.audit.Break.What)
	}
	return err
}

// identityOf names a store by its random key, without giving that away.
func identityOf(key []byte) string {
	sum := sha256.Sum256(append([]byte("callgate store\x00"), key...))
	return hex.EncodeToString(sum[:])
}

// checkTarget marks an empty target, and finds out about a whole or an interrupted copy.
func (c *copier) checkTarget(ctx context.Context) error {
	mark, err := metaValue(ctx, c.to.conn, unfinished)
	if err != nil {
		return c.to.db.explain(err)
	}
	key, err := metaValue(ctx, c.to.conn, "mask_key")
	if err != nil {
		return c.to.db.explain(err)
	}
	var m copyMark
	switch {
	case mark != nil && (json.Unmarshal(mark, &m) != nil || m.Identity != c.identity):
		return fmt.Errorf("%w: an unfinished copy of the store %s: continue that one, or make an empty database", ErrNotEmpty, m.From)
	case mark != nil:
		c.report.Resumed = true
		return nil
	case key != nil && identityOf(key) == c.identity:
		c.report.Already = true
		return nil
	}
	for table := range c.to.tables {
		rows, err := c.to.count(ctx, table)
		if err != nil {
			return c.to.db.explain(err)
		}
		if rows > 0 && !beginsWith[table] {
			return fmt.Errorf("%w: table %s has %d rows: name an empty database, or a file that does not exist", ErrNotEmpty, table, rows)
		}
	}
	head, err := readHead(ctx, c.to.conn)
	if err == nil && head.seq > 0 {
		err = fmt.Errorf("%w: its audit had %d rows: name an empty database, or a file that does not exist", ErrNotEmpty, head.seq)
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(copyMark{c.identity, c.report.From})
	if err != nil {
		return err
	}
	return c.to.within(ctx, func() error {
		_, err := c.to.conn.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES (?, ?)", unfinished, text)
		return err
	})
}

// beginsWith are the tables with rows in an empty store.
var beginsWith = map[string]bool{"meta": true, "audit_head": true, "audit_anchor": true, "audit_tree": true}

func (s *side) count(ctx context.Context, table string) (rows int64, err error) {
	err = s.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&rows)
	return rows, err
}
