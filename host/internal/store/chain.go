package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"time"
)

// chain links the rows of the audit: each row's hash covers its fields and the hash before, and a
// head record names the last row. It belongs to the writer. Rows gather in pending until the
// transaction's end, so a failed change just forgets its rows.
type chain struct {
	head    link
	stale   bool // the head must be read again before the next use
	pending []Row
	news    news
	buf     []byte
}

// link is the end of the chain: the last row's number and hash.
type link struct {
	seq  int64
	hash Hash
}

// columns are the audit's, in the order of the table, of scan and of ready.row. A migration adds new
// ones at the end of all four.
const columns = `seq, timestamp, event, agent_name, session, user_id, tool, action_string, decision, decided_by,
	detail, stage, code, rule_id, rule_text, module_digest, call_id, digest, input, latency, prev, hash, rule_source, module, ask_id, evidence`

// refresh reads the head after a failure left it in doubt.
func (c *chain) refresh(ctx context.Context, conn *sql.Conn) error {
	if !c.stale {
		return nil
	}
	head, err := readHead(ctx, conn)
	if err != nil {
		return err
	}
	c.head, c.stale = head, false
	return nil
}

// queryer is a connection or a pool of them.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func readHead(ctx context.Context, q queryer) (link, error) {
	var l link
	var hash []byte
	if err := q.QueryRowContext(ctx, "SELECT seq, hash FROM audit_head WHERE one = 1").Scan(&l.seq, &hash); err != nil {
		return link{}, fmt.Errorf("%w: read the audit's head: %w", ErrCorrupt, err)
	}
	copy(l.hash[:], hash)
	return l, nil
}

// add gives the row its place. It is written when the transaction ends.
func (c *chain) add(r *Row) {
	r.Seq, r.Prev = c.head.seq+1, c.head.hash
	r.Hash, c.buf = r.sum(c.buf)
	c.pending = append(c.pending, *r)
	c.head = link{r.Seq, r.Hash}
}

// mark is a place in the chain to go back to.
type mark struct {
	head                   link
	pending, changes, asks int
}

func (c *chain) mark() mark {
	return mark{c.head, len(c.pending), len(c.news.changes), len(c.news.asks)}
}

func (c *chain) back(m mark) {
	c.head, c.pending = m.head, c.pending[:m.pending]
	c.news.changes, c.news.asks = c.news.changes[:m.changes], c.news.asks[:m.asks]
}

// These begin the hashed bytes, so two layouts never hash the same bytes: the third for rows with
// evidence, the first for rows with all texts of rest empty, the second for all others.
const (
	chainVersion         = "callgate audit 1\n"
	chainVersionRest     = "callgate audit 2\n"
	chainVersionEvidence = "callgate audit 3\n"
)

// Sum returns the hash of the row's fields; Hash is the stored one.
func (r Row) Sum() Hash {
	sum, _ := r.sum(nil)
	return sum
}

// sum returns the row's hash. Hashed are the version, the hash before, and each
// field in the order of the columns: numbers as 8 bytes big-endian, texts as
// their length likewise and their bytes.
func (r *Row) sum(buf []byte) (Hash, []byte) {
	version, all := chainVersion, r.rest()
	rest := all[:0]
	switch {
	case r.Evidence != "":
		version, rest = chainVersionEvidence, all[:]
	case r.RuleSource != "" || r.Module != "" || r.AskID != "":
		version, rest = chainVersionRest, all[:3]
	}
	buf = append(buf[:0], version...)
	buf = append(buf, r.Prev[:]...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Seq))
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Time.UnixNano()))
	for _, p := range r.texts() {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(*p)))
		buf = append(buf, *p...)
	}
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Latency))
	for _, p := range rest {
		buf = binary.BigEndian.AppendUint64(buf, uint64(len(*p)))
		buf = append(buf, *p...)
	}
	return sha256.Sum256(buf), buf
}

// rest are the texts missing in older rows, in the order of the columns.
func (r *Row) rest() [4]*string {
	return [...]*string{&r.RuleSource, &r.Module, &r.AskID, &r.Evidence}
}

// texts are the row's other texts in the order of the columns.
func (r *Row) texts() [17]*string {
	return [...]*string{(*string)(&r.Event), &r.Agent, &r.Session, &r.User, &r.Tool, &r.Action, (*string)(&r.Decision), &r.DecidedBy,
		&r.Detail, &r.Stage, &r.Code, &r.RuleID, &r.RuleText, &r.ModuleDigest, &r.CallID, &r.Digest, &r.Input}
}

// scan reads a row in the order of the columns.
func (r *Row) scan(rows *sql.Rows) error {
	var at, latency int64
	var prev, hash []byte
	into := make([]any, 0, 26)
	into = append(into, &r.Seq, &at)
	for _, p := range r.texts() {
		into = append(into, p)
	}
	if err := rows.Scan(append(into, &latency, &prev, &hash, &r.RuleSource, &r.Module, &r.AskID, &r.Evidence)...); err != nil {
		return err
	}
	r.Time, r.Latency = time.Unix(0, at).UTC(), time.Duration(latency)
	copy(r.Prev[:], prev)
	copy(r.Hash[:], hash)
	return nil
}
