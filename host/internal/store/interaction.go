package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
)

// KeepInteraction keeps the highest id of a chat's posted interactions, signed with a key, so
// replays are recognised after a restart. RATIONALE.md, "How is a recorded call of Discord's
// endpoint known after a restart?".
func (s *Store) KeepInteraction(ctx context.Context, key string, id uint64) error {
	value := binary.BigEndian.AppendUint64(nil, id) // compares as a number
	run := func(ctx context.Context, t *tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO meta (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE excluded.value > meta.value`, interactionRow(key), value)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return fmt.Errorf("store an interaction: %w", err)
	}
	return nil
}

// LastInteraction returns the highest id given to KeepInteraction for a key; 0 when there was none.
func (s *Store) LastInteraction(ctx context.Context, key string) (uint64, error) {
	var value []byte
	err := s.reads.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = ?", interactionRow(key)).Scan(&value)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("the last interaction: %w", s.closedOr(err))
	case len(value) != 8:
		return 0, fmt.Errorf("%w: the last interaction has %d bytes, want 8", ErrCorrupt, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}

func interactionRow(key string) string { return "interaction " + key }
