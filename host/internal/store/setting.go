package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// maxSetting bounds a setting's value, in bytes.
const maxSetting = 4 << 20

// ErrForged is a value changed outside Callgate: the audit has no row for it.
var ErrForged = errors.New("it was changed outside Callgate")

// Setting returns a value stored by SaveSetting. ErrNotFound when there is none; ErrForged when it
// differs from the audit's last row about it (threat T15).
func (s *Store) Setting(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	var digest sql.NullString
	row := s.reads.QueryRowContext(ctx, `SELECT value, (SELECT digest FROM audit_log WHERE event <> 'decision' AND rule_text = ?
		ORDER BY seq DESC LIMIT 1) FROM settings WHERE name = ?`, settingRow(name), name)
	err := row.Scan(&value, &digest)
	if err == nil {
		s.noteRead(name, value)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("setting %s: %w", name, s.missing(ctx, name))
	case err != nil:
		return nil, fmt.Errorf("setting %s: %w", name, s.closedOr(err))
	case digest.String != settingDigest(name, value):
		return nil, fmt.Errorf("setting %s: %w", name, ErrForged)
	}
	return value, nil
}

// ReadSetting reads a setting with JSON in it into v. One never stored leaves v as it is, without an
// error; after an error, as for one changed outside Callgate, v counts for nothing.
func ReadSetting(ctx context.Context, s interface {
	Setting(ctx context.Context, name string) ([]byte, error)
}, name string, v any) error {
	text, err := s.Setting(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	return err
}

// missing is ErrNotFound for a setting never stored, ErrForged for one the audit knows: settings
// are replaced, never deleted.
func (s *Store) missing(ctx context.Context, name string) error {
	var rows int
	err := s.reads.QueryRowContext(ctx, "SELECT count(*) FROM audit_log WHERE event <> 'decision' AND rule_text = ?", settingRow(name)).Scan(&rows)
	switch {
	case err != nil:
		return s.closedOr(err)
	case rows > 0:
		return ErrForged
	}
	s.noteMissing(name)
	return ErrNotFound
}

// SettingNames returns the names of the settings that begin with prefix, sorted. The values may be
// forged: Setting tells.
func (s *Store) SettingNames(ctx context.Context, prefix string) ([]string, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT name FROM settings WHERE substr(name, 1, ?) = ? ORDER BY name", len(prefix), prefix)
	if err != nil {
		return nil, fmt.Errorf("list settings: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("list settings: %w", err)
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// SaveSetting stores a value together with its audit row: row.Event is the event, row.DecidedBy the
// person, row.Detail the public part. Of the value itself only the digest is audited. Where another
// daemon changed the value since this process read it: ErrStale.
func (s *Store) SaveSetting(ctx context.Context, name string, value []byte, row Row) error {
	return s.saveSetting(ctx, name, value, row, s.checkRead)
}

// ReplaceSetting is SaveSetting for a value made from an earlier one; nil for none. Where the present
// value is another one, nothing is stored, and it is ErrStale: read it again. So no change of another
// daemon, or of another part of this one, is lost.
func (s *Store) ReplaceSetting(ctx context.Context, name string, was, value []byte, row Row) error {
	return s.saveSetting(ctx, name, value, row, func(ctx context.Context, t *tx, name string) error {
		now, err := settingIn(ctx, t, name)
		if err == nil && ((now == nil) != (was == nil) || !bytes.Equal(now, was)) {
			err = fmt.Errorf("%w: try again", ErrStale)
		}
		return err
	})
}

// settingIn is the stored value; nil for none.
func settingIn(ctx context.Context, t *tx, name string) ([]byte, error) {
	value := []byte{}
	err := t.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = ?", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return append([]byte{}, value...), err
}

func (s *Store) saveSetting(ctx context.Context, name string, value []byte, row Row, check func(context.Context, *tx, string) error) error {
	if name == "" || len(value) > maxSetting || row.Event == "" || row.Event == EventDecision {
		return fmt.Errorf("setting %q of %d bytes, event %q: want a name, at most %d bytes, and an event", name, len(value), row.Event, maxSetting)
	}
	row.RuleText, row.Digest = settingRow(name), settingDigest(name, value)
	row, err := s.clean(row)
	if err != nil {
		return fmt.Errorf("setting %s: %w", name, err)
	}
	run := func(ctx context.Context, t *tx) error {
		if err := check(ctx, t, name); err != nil {
			return err
		}
		t.changed(KindSetting, name)
		t.chain.add(&row)
		_, err := t.ExecContext(ctx, "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, erases: true, after: func() { s.noteRead(name, value) }}); err != nil {
		return fmt.Errorf("setting %s: %w", name, err)
	}
	return nil
}

// settingRow is a row's name for its setting.
func settingRow(name string) string { return "setting " + name }

func settingDigest(name string, value []byte) string {
	sum := sha256.Sum256(append([]byte("callgate setting\x00"+name+"\x00"), value...))
	return hex.EncodeToString(sum[:])
}
