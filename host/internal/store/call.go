package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// CallsKept is how long judged calls are remembered.
const CallsKept = 7 * 24 * time.Hour

// ErrCallReused means another tool or input was judged under this call id before.
var ErrCallReused = errors.New("the call id was used before for another call")

// Call is one judged call of a client with named calls. It holds digests and no input.
type Call struct {
	// Key is the token's name, the session and the client's id of the call.
	Key   ask.Key
	Agent string
	// SubAgent is the client's calling sub-agent; empty for its main one.
	SubAgent string
	// Tool is the canonical name.
	Tool string
	CWD  string
	// InputDigest covers Tool and the input, Digest the cwd as well.
	InputDigest string
	Digest      string
	// Behavior is the client's answer: Allow or Deny.
	Behavior engine.Behavior
	Outcome  Outcome
	// AskID is the ask answered by a person; empty without an ask.
	AskID string
	// Moves reports whether the call may change the current directory or links.
	Moves    bool
	JudgedAt time.Time
	// FinishedAt is when the client reported the call's end; zero before.
	FinishedAt time.Time
	// AuditSeq is the audit row with the answer.
	AuditSeq int64
}

// AppendCall is Append, and keeps the judged call in the same transaction: both are on disk when it
// returns, or neither. A known key is judged anew, and counts as unfinished again; with another
// InputDigest it is ErrCallReused. RATIONALE.md, "Why does a named call keep a line of its own in
// the store?".
func (s *Store) AppendCall(ctx context.Context, r Row, c Call) (Row, error) {
	r, err := s.clean(r)
	if err != nil {
		return Row{}, fmt.Errorf("audit: %w", err)
	}
	run := func(ctx context.Context, t *tx) error {
		t.chain.add(&r)
		c.AuditSeq = r.Seq
		return putCall(ctx, t, c)
	}
	if err := s.writer.do(ctx, &job{run: run, single: true, epoch: r.Epoch}); err != nil {
		return Row{}, fmt.Errorf("audit: %w", err)
	}
	return r, nil
}

// insertCall does nothing for a known key.
const insertCall = "INSERT INTO calls VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,0,?,?) ON CONFLICT DO NOTHING"

// putCall keeps a call. The first statement does nothing for a known key, so a failure of either
// leaves nothing behind.
func putCall(ctx context.Context, t *tx, c Call) error {
	behavior, outcome, judged := c.Behavior.String(), string(c.Outcome), c.JudgedAt.UnixNano()
	kept, err := t.db.putCall(ctx, t.Conn, []any{
		c.Key.Token, c.Key.Session, c.Key.CallID, c.Agent, c.Tool, c.CWD, c.InputDigest, c.Digest, behavior, outcome, c.AskID, c.Moves,
		judged, c.AuditSeq, c.SubAgent,
	})
	if err != nil || kept {
		return err
	}
	kept, err = changed(t.ExecContext(ctx, `UPDATE calls SET cwd = ?, digest = ?, behavior = ?, outcome = ?, ask_id = ?, moves = ?, judged_at = ?,
		finished_at = 0, audit_seq = ?, sub_agent = ? WHERE token = ? AND session = ? AND call_id = ? AND input_digest = ? AND tool = ?`,
		c.CWD, c.Digest, behavior, outcome, c.AskID, c.Moves, judged, c.AuditSeq, c.SubAgent,
		c.Key.Token, c.Key.Session, c.Key.CallID, c.InputDigest, c.Tool))
	if err == nil && !kept {
		err = ErrCallReused
	}
	return err
}

const callColumns = `token, session, call_id, agent, tool, cwd, input_digest, digest, behavior, outcome, ask_id, moves,
	judged_at, finished_at, audit_seq, sub_agent`

// Call returns the call judged under a key; ErrNotFound when there is none.
func (s *Store) Call(ctx context.Context, key ask.Key) (Call, error) {
	if !s.db.mayKnow(ctx, key) {
		return Call{}, fmt.Errorf("look up a call: %w", ErrNotFound)
	}
	return s.oneCall(ctx, "token = ? AND session = ? AND call_id = ?", key.Token, key.Session, key.CallID)
}

// OpenCall returns a session's unfinished call with this input, allowed at or after since, the last
// one first; ErrNotFound when there is none.
func (s *Store) OpenCall(ctx context.Context, token, session, inputDigest string, since time.Time) (Call, error) {
	return s.oneCall(ctx, `token = ? AND session = ? AND finished_at = 0 AND judged_at >= ? AND input_digest = ? AND behavior = 'allow'
		ORDER BY judged_at DESC LIMIT 1`, token, session, since.UnixNano(), inputDigest)
}

// MovingCalls returns at most two unfinished calls of a session, allowed at or after since, with a
// possible change of the current directory or links, the oldest first.
func (s *Store) MovingCalls(ctx context.Context, token, session string, since time.Time) ([]Call, error) {
	found, err := s.selectCalls(ctx, `token = ? AND session = ? AND finished_at = 0 AND judged_at >= ? AND moves AND behavior = 'allow'
		ORDER BY judged_at LIMIT 2`, token, session, since.UnixNano())
	if err != nil {
		return nil, fmt.Errorf("calls of session %q: %w", session, s.closedOr(err))
	}
	return found, nil
}

// maxCalls bounds one list of calls.
const maxCalls = 100_000

// Calls returns a session's remembered judged calls, the oldest first.
func (s *Store) Calls(ctx context.Context, session string) ([]Call, error) {
	found, err := s.selectCalls(ctx, "session = ? ORDER BY audit_seq LIMIT ?", session, maxCalls)
	if err != nil {
		return nil, fmt.Errorf("calls of session %q: %w", session, s.closedOr(err))
	}
	return found, nil
}

// FinishCall records that a call has ended, and writes row with it when row is not nil, in one
// transaction. An unknown or ended call stays as it is.
func (s *Store) FinishCall(ctx context.Context, key ask.Key, at time.Time, row *Row) error {
	if row != nil {
		clean, err := s.clean(*row)
		if err != nil {
			return fmt.Errorf("call %q: %w", key.CallID, err)
		}
		row = &clean
	}
	run := func(ctx context.Context, t *tx) error {
		if row != nil {
			t.chain.add(row)
		}
		_, err := t.ExecContext(ctx, "UPDATE calls SET finished_at = ? WHERE token = ? AND session = ? AND call_id = ? AND finished_at = 0",
			at.UnixNano(), key.Token, key.Session, key.CallID)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return fmt.Errorf("call %q: %w", key.CallID, err)
	}
	return nil
}

// EndCalls records that every call of one sub-agent of a session (the main agent for "") has ended.
// Ended calls stay as they are.
func (s *Store) EndCalls(ctx context.Context, token, session, subAgent string, at time.Time) error {
	run := func(ctx context.Context, t *tx) error {
		_, err := t.ExecContext(ctx, "UPDATE calls SET finished_at = ? WHERE token = ? AND session = ? AND sub_agent = ? AND finished_at = 0",
			at.UnixNano(), token, session, subAgent)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return fmt.Errorf("end the calls of session %q: %w", session, err)
	}
	return nil
}

// ForgetCalls deletes calls judged longer than CallsKept ago, and returns their number.
func (s *Store) ForgetCalls(ctx context.Context) (int, error) {
	var n int64
	run := func(ctx context.Context, t *tx) error {
		res, err := t.ExecContext(ctx, "DELETE FROM calls WHERE judged_at < ?", s.now().Add(-CallsKept).UnixNano())
		if err == nil {
			n, err = res.RowsAffected()
		}
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return 0, fmt.Errorf("forget old calls: %w", err)
	}
	return int(n), nil
}

func (s *Store) oneCall(ctx context.Context, where string, args ...any) (Call, error) {
	found, err := s.selectCalls(ctx, where, args...)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Call{}, fmt.Errorf("look up a call: %w", s.closedOr(err))
	}
	return found[0], nil
}

func (s *Store) selectCalls(ctx context.Context, where string, args ...any) ([]Call, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT "+callColumns+" FROM calls WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []Call
	for rows.Next() {
		c, err := scanCall(rows)
		if err != nil {
			return nil, fmt.Errorf("%w: table calls: %w", ErrCorrupt, err)
		}
		found = append(found, c)
	}
	return found, rows.Err()
}

func scanCall(rows *sql.Rows) (c Call, err error) {
	var behavior string
	var judged, finished int64
	if err := rows.Scan(&c.Key.Token, &c.Key.Session, &c.Key.CallID, &c.Agent, &c.Tool, &c.CWD, &c.InputDigest, &c.Digest,
		&behavior, &c.Outcome, &c.AskID, &c.Moves, &judged, &finished, &c.AuditSeq, &c.SubAgent); err != nil {
		return c, err
	}
	c.JudgedAt, c.FinishedAt = fromNanos(judged), fromNanos(finished)
	c.Behavior, err = engine.ParseBehavior(behavior)
	return c, err
}
