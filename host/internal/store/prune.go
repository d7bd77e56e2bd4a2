package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pruneBatch is the number of rows per transaction, so a decision waits for few of them.
const pruneBatch = 200

// Prunable is what PruneAudit would remove.
type Prunable struct {
	// Rows is how many, From and Through the first and the last of them; all 0 for
	// none.
	Rows    int64 `json:"rows"`
	From    int64 `json:"from,omitempty"`
	Through int64 `json:"through,omitempty"`
	// Before is the limit of their age.
	Before time.Time `json:"before"`
}

// ErrAuditBroken is an altered audit: nothing of it is removed, because its rows are the evidence.
var ErrAuditBroken = errors.New("the audit was changed outside Callgate")

// Prunable returns the rows PruneAudit would remove: from the first one older than before, up to
// the first younger one.
func (s *Store) Prunable(ctx context.Context, before time.Time) (Prunable, error) {
	a, err := readAnchor(ctx, s.reads)
	if err == nil {
		var p Prunable
		if p, err = s.prunable(ctx, a, before); err == nil {
			return p, nil
		}
	}
	return Prunable{}, fmt.Errorf("look for old rows of the audit: %w", s.closedOr(err))
}

func (s *Store) prunable(ctx context.Context, a anchor, before time.Time) (Prunable, error) {
	p := Prunable{Before: before.UTC().Round(0)}
	var through int64
	// By number, not by time: the clock may have gone back.
	err := s.reads.QueryRowContext(ctx, `SELECT coalesce((SELECT seq - 1 FROM audit_log WHERE +timestamp >= ? ORDER BY seq LIMIT 1),
		(SELECT seq FROM audit_head))`, moment(before)).Scan(&through)
	// A query cut off by the end of ctx has once answered as if nothing were old.
	if err = cmp.Or(err, ctx.Err()); err == nil && through > a.seq {
		p.Rows, p.From, p.Through = through-a.seq, a.seq+1, through
	}
	return p, err
}

// PruneAudit removes the rows older than before, in the name of by, and returns what it removed.
// First a row records the rows to remove, with the hash of the last of them, and rows admitting
// things in force (rules, tokens, settings) are written anew; then the rows go in small
// transactions with room for others in between. The rest verifies: see VerifyAudit. A process that
// dies on the way leaves a sound audit, and the next PruneAudit or FinishPrune goes on. An audit
// that does not verify stays as it is (ErrAuditBroken).
func (s *Store) PruneAudit(ctx context.Context, before time.Time, by string) (Prunable, error) {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	p, err := s.pruneAudit(ctx, before, by)
	if err != nil {
		return p, fmt.Errorf("prune the audit: %w", s.closedOr(err))
	}
	return p, nil
}

func (s *Store) pruneAudit(ctx context.Context, before time.Time, by string) (Prunable, error) {
	if err := s.finishPrune(ctx); err != nil {
		return Prunable{}, err
	}
	a, err := readAnchor(ctx, s.reads)
	if err != nil {
		return Prunable{}, err
	}
	p, err := s.prunable(ctx, a, before)
	if err != nil || p.Rows == 0 {
		return p, err
	}
	report, err := s.verifyAudit(ctx)
	switch {
	case err != nil:
		return Prunable{}, err
	case !report.OK():
		return Prunable{}, fmt.Errorf("%w: row %d: %s: see `callgate audit verify`", ErrAuditBroken, report.Break.Seq, report.Break.What)
	}
	// The tree keeps the hashes of the rows to remove.
	if _, err := s.growTree(ctx, p.Through); err != nil {
		return Prunable{}, err
	}
	if err := cmp.Or(s.restate(ctx, p.Through), ctx.Err()); err != nil {
		return Prunable{}, err
	}
	if err := s.beginPrune(ctx, p, by); err != nil {
		return Prunable{}, err
	}
	return p, s.finishPrune(ctx)
}

// FinishPrune finishes the removal of an interrupted PruneAudit.
func (s *Store) FinishPrune(ctx context.Context) error {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	if err := s.finishPrune(ctx); err != nil {
		return fmt.Errorf("prune the audit: %w", s.closedOr(err))
	}
	return nil
}

// beginPrune records the rows to remove. RATIONALE.md, "Why does pruning the audit write rows?".
func (s *Store) beginPrune(ctx context.Context, p Prunable, by string) error {
	run := func(ctx context.Context, t *tx) error {
		var hash []byte
		if err := t.QueryRowContext(ctx, "SELECT hash FROM audit_log WHERE seq = ?", p.Through).Scan(&hash); err != nil {
			return err
		}
		row, err := s.clean(Row{
			Event: EventAuditPruned, DecidedBy: by, RuleText: prunedRow(p.Through), Digest: hex.EncodeToString(hash),
			Detail: fmt.Sprintf("rows %d to %d, older than %s", p.From, p.Through, p.Before.Format(time.RFC3339)),
		})
		if err != nil {
			return err
		}
		t.chain.add(&row)
		if _, err := t.ExecContext(ctx, forgetUses, p.Before.UnixNano()); err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, "UPDATE audit_anchor SET target = ? WHERE one = 1", p.Through)
		return err
	}
	return s.writer.do(ctx, &job{run: run})
}

// finishPrune removes rows until the target is reached.
func (s *Store) finishPrune(ctx context.Context) error {
	a, err := readAnchor(ctx, s.reads)
	for err == nil && a.seq < a.target {
		if err = ctx.Err(); err == nil {
			a, err = s.pruneSome(ctx, a)
		}
	}
	return err
}

// pruneSome removes the next rows, as one change. It waits for the change even when ctx ends: rows
// removed after the release of s.pruning would look missing to a verification.
func (s *Store) pruneSome(ctx context.Context, a anchor) (anchor, error) {
	next := a
	next.seq = min(a.seq+pruneBatch, a.target)
	run := func(ctx context.Context, t *tx) error {
		var hash []byte
		if err := t.QueryRowContext(ctx, "SELECT hash FROM audit_log WHERE seq = ?", next.seq).Scan(&hash); err != nil {
			return fmt.Errorf("row %d: %w", next.seq, err)
		}
		copy(next.hash[:], hash)
		if _, err := t.ExecContext(ctx, "DELETE FROM audit_log WHERE seq <= ?", next.seq); err != nil {
			return err
		}
		_, err := t.ExecContext(ctx, "UPDATE audit_anchor SET seq = ?, hash = ? WHERE one = 1", next.seq, next.hash[:])
		return err
	}
	return next, s.writer.do(context.WithoutCancel(ctx), &job{run: run, erases: next.seq == next.target})
}

// anchor is the removed part: the last row's number and hash, and the number of the last row to
// remove.
type anchor struct {
	link
	target int64
}

func readAnchor(ctx context.Context, q queryer) (a anchor, err error) {
	var hash []byte
	if err := q.QueryRowContext(ctx, "SELECT seq, hash, target FROM audit_anchor WHERE one = 1").Scan(&a.seq, &hash, &a.target); err != nil {
		return anchor{}, fmt.Errorf("%w: read the audit's anchor: %w", ErrCorrupt, err)
	}
	copy(a.hash[:], hash)
	return a, nil
}

// pruned begins the text of an EventAuditPruned row: the last number.
const pruned = "audit through row "

func prunedRow(through int64) string { return pruned + strconv.FormatInt(through, 10) }

// removedBy reads a row of EventAuditPruned; one without a number removed none.
func removedBy(r Row) Removed {
	out := Removed{At: r.Time, By: r.DecidedBy, Detail: r.Detail, Seq: r.Seq}
	number, _ := strings.CutPrefix(r.RuleText, pruned)
	through, err := strconv.ParseInt(number, 10, 64)
	if err == nil && out.Hash.UnmarshalText([]byte(r.Digest)) == nil {
		out.Through = through
	}
	return out
}

// LastPrune returns when rows were removed last; the zero time for never.
func (s *Store) LastPrune(ctx context.Context) (time.Time, error) {
	var at sql.NullInt64
	err := s.reads.QueryRowContext(ctx, "SELECT max(timestamp) FROM audit_log WHERE event <> 'decision' AND event = ?", string(EventAuditPruned)).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("look for the last removal: %w", s.closedOr(err))
	}
	return fromNanos(at.Int64), nil
}
