package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

var _ ask.Store = (*Store)(nil)

// InsertAsk implements ask.Store.
func (s *Store) InsertAsk(ctx context.Context, a ask.Ask) error {
	body, err := s.askBody(a)
	if err != nil {
		return fmt.Errorf("ask %q: %w", a.ID, err)
	}
	run := func(ctx context.Context, t *tx) error {
		res, err := t.ExecContext(ctx, `INSERT INTO asks (id, token, agent, session, call_id, digest, state, cause, ended_at, used_at, body, node)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING`, a.ID, a.Token, a.Agent, a.Session, a.CallID, a.Digest,
			string(a.State), string(a.Cause), nanos(a.EndedAt), nanos(a.UsedAt), body, a.Node)
		t.told(a.ID)
		if ok, err := changed(res, err); ok || err != nil {
			return err
		}
		return ask.ErrDuplicateID
	}
	return s.changeAsk(ctx, a.ID, &job{run: run, single: true})
}

// CompareAndSetAsk implements ask.Store. An ended ask's raw input is overwritten in the file and,
// as soon as no reader is in the way, in its log; secrets in its other texts are masked.
func (s *Store) CompareAndSetAsk(ctx context.Context, from ask.State, next ask.Ask) (bool, error) {
	body, err := s.askBody(next)
	if err != nil {
		return false, fmt.Errorf("ask %q: %w", next.ID, err)
	}
	var swapped bool
	run := func(ctx context.Context, t *tx) error {
		res, err := t.ExecContext(ctx, `UPDATE asks SET token = ?, agent = ?, session = ?, call_id = ?, digest = ?, state = ?, cause = ?,
			ended_at = ?, used_at = ?, body = ?, node = ?, rev = rev + 1 WHERE id = ? AND state = ? AND rev = ?`, next.Token, next.Agent, next.Session, next.CallID, next.Digest,
			string(next.State), string(next.Cause), nanos(next.EndedAt), nanos(next.UsedAt), body, next.Node, next.ID, string(from), next.Rev)
		t.told(next.ID)
		if swapped, err = changed(res, err); swapped || err != nil {
			return err
		}
		_, err = oneAsk(ctx, t, "id = ?", next.ID)
		return err
	}
	if err := s.changeAsk(ctx, next.ID, &job{run: run, erases: !next.State.Waiting()}); err != nil {
		return false, err
	}
	return swapped, nil
}

// UseAsk implements ask.Store.
func (s *Store) UseAsk(ctx context.Context, id string, at time.Time) (bool, error) {
	var used bool
	run := func(ctx context.Context, t *tx) error {
		a, err := oneAsk(ctx, t, "id = ?", id)
		if err != nil || a.State != ask.Approved || !a.UsedAt.IsZero() {
			return err
		}
		a.UsedAt = at
		body, err := s.askBody(a)
		if err != nil {
			return err
		}
		used, err = changed(t.ExecContext(ctx, "UPDATE asks SET used_at = ?, body = ? WHERE id = ?", nanos(at), body, id))
		return err
	}
	if err := s.changeAsk(ctx, id, &job{run: run}); err != nil {
		return false, err
	}
	return used, nil
}

func (s *Store) changeAsk(ctx context.Context, id string, j *job) error {
	if err := s.writer.do(ctx, j); err != nil {
		return fmt.Errorf("ask %q: %w", id, err)
	}
	return nil
}

// Ask implements ask.Store.
func (s *Store) Ask(ctx context.Context, id string) (ask.Ask, error) {
	return s.readAsk(ctx, "id = ?", id)
}

// LastAsk implements ask.Store.
func (s *Store) LastAsk(ctx context.Context, key ask.Key) (ask.Ask, error) {
	return s.readAsk(ctx, "token = ? AND session = ? AND call_id = ? ORDER BY seq DESC LIMIT 1", key.Token, key.Session, key.CallID)
}

// DeniedAsk implements ask.Store.
func (s *Store) DeniedAsk(ctx context.Context, agent, digest string, since time.Time) (ask.Ask, error) {
	return s.readAsk(ctx, "agent = ? AND digest = ? AND state = ? AND cause = ? AND ended_at >= ? ORDER BY ended_at DESC, seq DESC LIMIT 1",
		agent, digest, string(ask.Denied), string(ask.CauseAnswered), nanos(since))
}

// WaitingAsks implements ask.Store.
func (s *Store) WaitingAsks(ctx context.Context) ([]ask.Ask, error) {
	return s.readAsks(ctx, "state IN ('queued', 'shown') ORDER BY seq")
}

// WaitingRevs implements ask.Store.
func (s *Store) WaitingRevs(ctx context.Context) (map[string]int64, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT id, rev FROM asks WHERE state IN ('queued', 'shown')")
	if err != nil {
		return nil, fmt.Errorf("read asks: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	found := map[string]int64{}
	for rows.Next() {
		var id string
		var rev int64
		if err := rows.Scan(&id, &rev); err != nil {
			return nil, fmt.Errorf("read asks: %w", err)
		}
		found[id] = rev
	}
	return found, rows.Err()
}

// SaveStreak implements ask.Store. The session shows its pause, and its begin and
// end are audited, in the same transaction.
func (s *Store) SaveStreak(ctx context.Context, k ask.Streak) error {
	var known Session
	var changed bool
	run := func(ctx context.Context, t *tx) (err error) {
		t.changed(KindStreak, k.Session)
		k, err := keepPause(ctx, t, k)
		if err != nil {
			return err
		}
		query, args := putStreak, []any{k.Session, k.Refusals, nanos(k.PausedAt), k.Why}
		if k.Refusals == 0 && k.PausedAt.IsZero() {
			query, args = "DELETE FROM streaks WHERE session = ?", []any{k.Session}
		}
		if _, err = t.ExecContext(ctx, query, args...); err == nil {
			known, changed, err = s.notePause(ctx, t, k)
		}
		return err
	}
	after := func() {
		if changed {
			s.seen.put(known)
		}
	}
	if err := s.writer.do(ctx, &job{run: run, after: after}); err != nil {
		return fmt.Errorf("streak of session %q: %w", k.Session, err)
	}
	return nil
}

// keepPause keeps a pause that another daemon stored: counting a refusal does not end it, a person
// does.
func keepPause(ctx context.Context, t *tx, k ask.Streak) (ask.Streak, error) {
	if k.By != "" || k.Why != "" {
		return k, nil
	}
	var paused int64
	var why string
	err := t.QueryRowContext(ctx, "SELECT paused_at, why FROM streaks WHERE session = ?", k.Session).Scan(&paused, &why)
	if errors.Is(err, sql.ErrNoRows) {
		return k, nil
	}
	if paused > 0 {
		k.PausedAt, k.Why = fromNanos(paused), why
	}
	return k, err
}

const putStreak = `INSERT INTO streaks (session, refusals, paused_at, why) VALUES (?, ?, ?, ?)
	ON CONFLICT (session) DO UPDATE SET refusals = excluded.refusals, paused_at = excluded.paused_at, why = excluded.why`

// Streaks implements ask.Store.
func (s *Store) Streaks(ctx context.Context) ([]ask.Streak, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT session, refusals, paused_at, why FROM streaks ORDER BY session")
	if err != nil {
		return nil, fmt.Errorf("read streaks: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []ask.Streak
	for rows.Next() {
		var k ask.Streak
		var paused int64
		if err := rows.Scan(&k.Session, &k.Refusals, &paused, &k.Why); err != nil {
			return nil, fmt.Errorf("read streaks: %w", err)
		}
		k.PausedAt = fromNanos(paused)
		found = append(found, k)
	}
	return found, rows.Err()
}

func (s *Store) readAsk(ctx context.Context, where string, args ...any) (ask.Ask, error) {
	a, err := oneAsk(ctx, s.reads, where, args...)
	if err != nil {
		return ask.Ask{}, fmt.Errorf("read ask: %w", s.closedOr(err))
	}
	return a, nil
}

func (s *Store) readAsks(ctx context.Context, where string, args ...any) ([]ask.Ask, error) {
	found, err := selectAsks(ctx, s.reads, where, args...)
	if err != nil {
		return nil, fmt.Errorf("read asks: %w", s.closedOr(err))
	}
	return found, nil
}

func oneAsk(ctx context.Context, q queryer, where string, args ...any) (ask.Ask, error) {
	found, err := selectAsks(ctx, q, where, args...)
	if err != nil {
		return ask.Ask{}, err
	}
	if len(found) == 0 {
		return ask.Ask{}, ask.ErrUnknown
	}
	return found[0], nil
}

func selectAsks(ctx context.Context, q queryer, where string, args ...any) ([]ask.Ask, error) {
	rows, err := q.QueryContext(ctx, "SELECT body, rev, node FROM asks WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []ask.Ask
	for rows.Next() {
		var body sql.RawBytes
		var a ask.Ask
		if err := rows.Scan(&body, &a.Rev, &a.Node); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(body, &a); err != nil {
			return nil, fmt.Errorf("%w: table asks: %w", ErrCorrupt, err)
		}
		found = append(found, a)
	}
	return found, rows.Err()
}

// changed reports whether a statement changed a row.
func changed(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
