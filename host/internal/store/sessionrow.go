package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
)

const sessionColumns = "id, agent, token, \"user\", cwd, project_root, kind, parent, mode, paused, paused_at, created_at, seen_at, shell, fork_mode, home"

const putSession = "INSERT INTO sessions (" + sessionColumns + `) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
	ON CONFLICT (id) DO UPDATE SET agent = excluded.agent, token = excluded.token, "user" = excluded."user", cwd = excluded.cwd,
	project_root = excluded.project_root, kind = excluded.kind, parent = excluded.parent, mode = excluded.mode, paused = excluded.paused,
	paused_at = excluded.paused_at, created_at = excluded.created_at, seen_at = excluded.seen_at, shell = excluded.shell, fork_mode = excluded.fork_mode, home = excluded.home`

func saveSession(ctx context.Context, t *tx, s Session) error {
	shell := ""
	if len(s.Shell) > 0 {
		text, err := json.Marshal(s.Shell)
		if err != nil {
			return err
		}
		shell = string(text)
	}
	_, err := t.ExecContext(ctx, putSession,
		s.ID, s.Agent, s.Token, s.User, s.CWD, s.ProjectRoot, string(s.Kind), s.Parent, storedMode(s.Mode),
		s.Paused, nanos(s.PausedAt), nanos(s.CreatedAt), nanos(s.SeenAt), shell, storedMode(s.ForkMode), s.Home)
	return err
}

// storedMode is a mode as it is stored, NULL for none.
func storedMode(mode *engine.Mode) *string {
	if mode == nil {
		return nil
	}
	word := mode.String()
	return &word
}

// readMode turns storedMode round.
func readMode(word sql.NullString) (*engine.Mode, error) {
	if !word.Valid {
		return nil, nil
	}
	mode, err := engine.ParseMode(word.String)
	return &mode, err
}

func oneSession(ctx context.Context, q queryer, id string) (Session, error) {
	found, err := selectSessions(ctx, q, " WHERE id = ?", id)
	if err != nil {
		return Session{}, err
	}
	if len(found) == 0 {
		return Session{}, ErrNotFound
	}
	return found[0], nil
}

func selectSessions(ctx context.Context, q queryer, where string, args ...any) ([]Session, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+sessionColumns+" FROM sessions"+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []Session
	for rows.Next() {
		s, err := scanSession(rows)
		if err != nil {
			return nil, fmt.Errorf("%w: table sessions: %w", ErrCorrupt, err)
		}
		found = append(found, s)
	}
	return found, rows.Err()
}

func scanSession(rows *sql.Rows) (s Session, err error) {
	var mode, forkMode sql.NullString
	var kind, shell string
	var paused, created, seen int64
	if err := rows.Scan(&s.ID, &s.Agent, &s.Token, &s.User, &s.CWD, &s.ProjectRoot, &kind, &s.Parent, &mode,
		&s.Paused, &paused, &created, &seen, &shell, &forkMode, &s.Home); err != nil {
		return s, err
	}
	if shell != "" {
		if err := json.Unmarshal([]byte(shell), &s.Shell); err != nil {
			return s, fmt.Errorf("shell: %w", err)
		}
	}
	s.PausedAt, s.CreatedAt, s.SeenAt = fromNanos(paused), fromNanos(created), fromNanos(seen)
	var errs [3]error
	s.Kind, errs[0] = engine.ParseKind(kind)
	s.Mode, errs[1] = readMode(mode)
	s.ForkMode, errs[2] = readMode(forkMode)
	return s, errors.Join(errs[:]...)
}
