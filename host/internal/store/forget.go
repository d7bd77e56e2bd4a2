package store

import (
	"context"
	"fmt"
	"time"
)

// Retention of ended asks, and of unused sessions without content. The audit keeps a record of
// both.
const (
	AsksKept     = 90 * 24 * time.Hour
	SessionsKept = 90 * 24 * time.Hour
)

// forgetBatch is how many of them go in one transaction.
const forgetBatch = 200

// ForgetAsks deletes asks ended longer than AsksKept ago, and returns their number.
func (s *Store) ForgetAsks(ctx context.Context) (int, error) {
	n, err := s.forget(ctx, `DELETE FROM asks WHERE seq IN (SELECT seq FROM asks
		WHERE ended_at > 0 AND ended_at < ? AND state NOT IN ('queued', 'shown') ORDER BY ended_at LIMIT ?)`, AsksKept, nil)
	if err != nil {
		return n, fmt.Errorf("forget old asks: %w", err)
	}
	return n, nil
}

// ForgetSessions deletes sessions not seen for longer than SessionsKept and without content: no
// mode of their own, no pause, no rule, no changed shell, no waiting ask. It returns their number.
func (s *Store) ForgetSessions(ctx context.Context) (int, error) {
	n, err := s.forget(ctx, `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
		WHERE seen_at < ? AND mode IS NULL AND fork_mode IS NULL AND paused = '' AND shell = ''
		AND NOT EXISTS (SELECT 1 FROM rules WHERE scope = 'session' AND scope_key = sessions.id)
		AND NOT EXISTS (SELECT 1 FROM asks WHERE state IN ('queued', 'shown') AND session = sessions.id)
		AND NOT EXISTS (SELECT 1 FROM streaks WHERE session = sessions.id) LIMIT ?) RETURNING id`, SessionsKept, s.seen.drop)
	if err != nil {
		return n, fmt.Errorf("forget old sessions: %w", err)
	}
	return n, nil
}

// forget runs a deletion in small transactions until it finds no more. gone, when not nil, receives
// the deleted ids.
func (s *Store) forget(ctx context.Context, query string, kept time.Duration, gone func(ids []string)) (total int, err error) {
	for {
		var ids []string
		var n int64
		run := func(ctx context.Context, t *tx) error {
			before := s.now().Add(-kept).UnixNano()
			if gone == nil {
				res, err := t.ExecContext(ctx, query, before, forgetBatch)
				if err == nil {
					n, err = res.RowsAffected()
				}
				return err
			}
			var err error
			ids, err = returned(ctx, t, query, before, forgetBatch)
			n = int64(len(ids))
			return err
		}
		after := func() {
			if gone != nil {
				gone(ids)
			}
		}
		if err := s.writer.do(ctx, &job{run: run, after: after}); err != nil {
			return total, err
		}
		total += int(n)
		if n < forgetBatch {
			return total, nil
		}
	}
}

// returned runs a change and returns its result.
func returned(ctx context.Context, q queryer, query string, args ...any) ([]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var out []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// drop forgets sessions deleted from the file.
func (v *sessionView) drop(ids []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, id := range ids {
		delete(v.byID, id)
	}
}
