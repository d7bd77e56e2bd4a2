package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// own are the tables and columns about running daemons: they are not copied. A daemon stores the
// bytes of its modules again at its start.
var own = map[string]bool{"changes": true, "leases": true, "modules": true, "nodes": true, "audit_head.epoch": true}

// copyAll copies the audit in batches, and each other table in one transaction. Interrupted, it
// begins again with the audit's last batch.
func (c *copier) copyAll(ctx context.Context) error {
	if err := c.copyAudit(ctx); err != nil {
		return err
	}
	for _, table := range c.others() {
		if err := c.copyTable(ctx, table); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

// others are the tables to copy beside the audit, by name.
func (c *copier) others() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.from.tables)), func(table string) bool { return table == "audit_log" || own[table] })
}

// common are the columns of a table, the same on both sides.
func (c *copier) common(table string) ([]column, error) {
	there := map[string]column{}
	for _, col := range c.to.tables[table] {
		there[col.name] = col
	}
	var out []column
	for _, col := range c.from.tables[table] {
		if own[table+"."+col.name] {
			continue
		}
		target, ok := there[col.name]
		if !ok {
			return nil, fmt.Errorf("%s has no column %s", c.report.To, col.name)
		}
		out = append(out, target)
	}
	return out, nil
}

func namesOf(columns []column) string {
	var names []string
	for _, col := range columns {
		names = append(names, `"`+col.name+`"`)
	}
	return strings.Join(names, ", ")
}

// copyTable replaces the rows of a table.
func (c *copier) copyTable(ctx context.Context, table string) error {
	columns, err := c.common(table)
	if err != nil {
		return err
	}
	var rows int64
	err = c.to.within(ctx, func() error {
		keep := ""
		if table == "meta" {
			keep = " WHERE name <> '" + unfinished + "'"
		}
		if _, err := c.to.conn.ExecContext(ctx, "DELETE FROM "+table+keep); err != nil {
			return err
		}
		rows, err = c.fill(ctx, table, columns, "SELECT "+namesOf(columns)+" FROM "+table)
		return err
	})
	if err != nil {
		return err
	}
	return c.o.Progress(CopyProgress{Table: table, Done: rows, Total: rows})
}

// fill inserts the rows of a query on the source.
func (c *copier) fill(ctx context.Context, table string, columns []column, query string, args ...any) (int64, error) {
	rows, err := c.from.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, c.from.db.explain(err)
	}
	defer rows.Close() // its error comes out of rows.Err
	n, err := c.to.db.fill(ctx, c.to.conn, table, columns, rows)
	return n, cmp.Or(rows.Err(), err)
}

// copyAudit copies the rows of the audit that the target does not have yet.
func (c *copier) copyAudit(ctx context.Context) error {
	columns, err := c.common("audit_log")
	if err != nil {
		return fmt.Errorf("table audit_log: %w", err)
	}
	last, err := c.keepAudit(ctx)
	if err != nil {
		return fmt.Errorf("table audit_log: %w", err)
	}
	total, done := c.from.audit.Rows, c.report.Kept
	for head := c.from.audit.Head; last < head; {
		err := c.to.within(ctx, func() error {
			n, err := c.fill(ctx, "audit_log", columns, "SELECT "+namesOf(columns)+" FROM audit_log WHERE seq > ? ORDER BY seq LIMIT ?", last, c.o.Batch)
			done += n
			if err == nil && n == 0 {
				err = fmt.Errorf("%w: rows %d to %d are missing", ErrAuditBroken, last+1, head)
			}
			return err
		})
		if err == nil {
			last, err = c.to.lastRow(ctx)
		}
		if err != nil {
			return fmt.Errorf("table audit_log after row %d: %w", last, err)
		}
		if err := c.o.Progress(CopyProgress{Table: "audit_log", Done: done, Total: total}); err != nil {
			return err
		}
	}
	return nil
}

func (s *side) lastRow(ctx context.Context) (seq int64, err error) {
	err = s.conn.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM audit_log").Scan(&seq)
	return seq, err
}

// keepAudit returns the last row that an interrupted copy has, or removes its rows when they are no
// longer the beginning of the source's.
func (c *copier) keepAudit(ctx context.Context) (last int64, err error) {
	var first, rows int64
	if err := c.to.conn.QueryRowContext(ctx, "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0), count(*) FROM audit_log").Scan(&first, &last, &rows); err != nil || rows == 0 {
		return c.from.audit.From - 1, err
	}
	same, err := c.sameRow(ctx, last)
	if err != nil {
		return 0, err
	}
	if same && first == c.from.audit.From && rows == last-first+1 {
		c.report.Kept = rows
		return last, nil
	}
	return c.from.audit.From - 1, c.to.within(ctx, func() error {
		_, err := c.to.conn.ExecContext(ctx, "DELETE FROM audit_log")
		return err
	})
}

// sameRow reports whether both sides have the same row of the audit.
func (c *copier) sameRow(ctx context.Context, seq int64) (bool, error) {
	var hashes [2][]byte
	for i, s := range []*side{c.from, c.to} {
		err := s.conn.QueryRowContext(ctx, "SELECT hash FROM audit_log WHERE seq = ?", seq).Scan(&hashes[i])
		if errors.Is(err, sql.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return string(hashes[0]) == string(hashes[1]), nil
}

// digest is a sum over the rows of a table in any order, and their number.
func (s *side) digest(ctx context.Context, table string, columns []column) (sum [32]byte, n int64, err error) {
	query := "SELECT " + namesOf(columns) + " FROM " + table
	if table == "meta" {
		query += " WHERE name <> '" + unfinished + "'"
	}
	rows, err := s.conn.QueryContext(ctx, query)
	if err != nil {
		return sum, 0, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var all [][32]byte
	scan := scanner(len(columns))
	var buf []byte
	for rows.Next() {
		values, err := scan(rows)
		if err != nil {
			return sum, 0, err
		}
		buf = buf[:0]
		for _, v := range values {
			if buf, err = appendValue(buf, v); err != nil {
				return sum, 0, err
			}
		}
		all = append(all, sha256.Sum256(buf))
	}
	slices.SortFunc(all, func(a, b [32]byte) int { return slices.Compare(a[:], b[:]) })
	whole := sha256.New()
	for _, row := range all {
		whole.Write(row[:])
	}
	return [32]byte(whole.Sum(nil)), int64(len(all)), rows.Err()
}

// scanner reads rows of n columns, each into the same values.
func scanner(n int) func(*sql.Rows) ([]any, error) {
	values, into := make([]any, n), make([]any, n)
	for i := range values {
		into[i] = &values[i]
	}
	return func(rows *sql.Rows) ([]any, error) {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, v := range values {
			if text, ok := v.([]byte); ok && text == nil {
				values[i] = []byte{} // SQLite's driver reads no bytes as nil, and would write that as NULL
			}
		}
		return values, nil
	}
}

// appendValue writes a value the same for both engines: its kind, its length, its bytes.
func appendValue(buf []byte, v any) ([]byte, error) {
	kind, text := byte(0), ""
	switch v := v.(type) {
	case nil:
	case bool:
		kind, text = 'i', "0"
		if v {
			text = "1"
		}
	case int64:
		kind, text = 'i', fmt.Sprint(v)
	case string:
		kind, text = 't', v
	case []byte:
		kind, text = 'b', string(v)
	default:
		return nil, fmt.Errorf("a value has the unknown type %T", v)
	}
	buf = append(buf, kind)
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(text)))
	return append(buf, text...), nil
}

// verify verifies the audit's chain and tree.
func (s *side) verify(ctx context.Context) (Report, error) {
	return (&Store{db: s.db, reads: s.reads}).VerifyAudit(ctx)
}

// compare compares each table of both sides. The rows of the audit need no sum of their own: a whole
// chain with the same head has the same rows.
func (c *copier) compare(ctx context.Context) (err error) {
	if err := c.o.Progress(CopyProgress{Verifying: true}); err != nil {
		return err
	}
	if c.to.audit, err = c.to.verify(ctx); err != nil {
		return err
	}
	if !sameAudit(c.from.audit, c.to.audit) {
		return c.differs("audit_log")
	}
	c.report.Audit = c.to.audit
	c.report.Tables["audit_log"] = c.to.audit.Rows
	for _, table := range c.others() {
		columns, err := c.common(table)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		want, rows, err := c.from.digest(ctx, table, columns)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, c.from.db.explain(err))
		}
		got, _, err := c.to.digest(ctx, table, columns)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, c.to.db.explain(err))
		}
		if got != want {
			return c.differs(table)
		}
		c.report.Tables[table] = rows
	}
	return nil
}

// differs is the error for a table with other rows than in the source.
func (c *copier) differs(table string) error {
	if c.report.Already {
		return fmt.Errorf("%w: a copy of this store that is no longer the same (table %s): one of both was used since: name an empty database, or a file that does not exist", ErrNotEmpty, table)
	}
	return fmt.Errorf("the rows of table %s differ from those in %s: run the command again", table, c.report.From)
}

func sameAudit(a, b Report) bool {
	return a.OK() && b.OK() && a.From == b.From && a.Rows == b.Rows && a.Head == b.Head && a.HeadHash == b.HeadHash &&
		(a.Tree == nil) == (b.Tree == nil) && (a.Tree == nil || *a.Tree == *b.Tree)
}
