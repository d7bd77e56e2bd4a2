package store

import (
	"context"
	"fmt"
	"time"
)

// restateBatch is how many rules or tokens are restated in one transaction.
const restateBatch = 100

// restate writes anew the rows up to through that admit something in force: without them an allow
// rule, a token or a setting is not used (threat T15). Things without an admitting row stay unused.
func (s *Store) restate(ctx context.Context, through int64) error {
	for _, some := range []func(context.Context, *tx, int64, int64) (last int64, err error){s.restateRules, s.restateTokens} {
		for from := int64(0); from >= 0; {
			next := from
			run := func(ctx context.Context, t *tx) (err error) {
				next, err = some(ctx, t, from, through)
				return err
			}
			if err := s.writer.do(ctx, &job{run: run}); err != nil {
				return fmt.Errorf("restate the current rules: %w", err)
			}
			from = next
		}
	}
	run := func(ctx context.Context, t *tx) error { return s.restateSettings(ctx, t, through) }
	if err := s.writer.do(ctx, &job{run: run}); err != nil {
		return fmt.Errorf("restate the settings: %w", err)
	}
	return nil
}

// restateRules restates the next rules with rows after from, and returns the number of the last of
// these rows, or -1 when there were no more.
func (s *Store) restateRules(ctx context.Context, t *tx, from, through int64) (int64, error) {
	stored, err := selectRulesBy(ctx, t, " WHERE audit_seq > ? AND audit_seq <= ?", "audit_seq LIMIT ?", from, through, restateBatch)
	if err != nil || len(stored) == 0 {
		return -1, err
	}
	for _, r := range stored {
		row, err := rowAt(ctx, t, r.auditSeq)
		if err != nil {
			return -1, err
		}
		if !admits(row, r.Rule) {
			continue
		}
		if err := s.auditRule(t, EventRuleKept, r.Rule, r.CreatedBy); err != nil {
			return -1, err
		}
		if _, err := t.ExecContext(ctx, "UPDATE rules SET audit_seq = ? WHERE id = ?", t.chain.head.seq, r.ID); err != nil {
			return -1, err
		}
	}
	return stored[len(stored)-1].auditSeq, nil
}

// restateTokens is restateRules for unrevoked tokens.
func (s *Store) restateTokens(ctx context.Context, t *tx, from, through int64) (int64, error) {
	stored, err := selectTokens(ctx, t, " WHERE revoked_at = 0 AND audit_seq > ? AND audit_seq <= ?", from, through)
	if err != nil || len(stored) == 0 {
		return -1, err
	}
	for _, k := range stored {
		row, err := lastRow(ctx, t, tokenRow(k.Name))
		if err != nil {
			return -1, err
		}
		if !admitsToken(row, k) {
			continue
		}
		if err := s.auditToken(t, EventTokenKept, k.Token, k.CreatedBy, string(k.Kind)); err != nil {
			return -1, err
		}
		if _, err := t.ExecContext(ctx, "UPDATE tokens SET audit_seq = ? WHERE id = ?", t.chain.head.seq, k.ID); err != nil {
			return -1, err
		}
	}
	return -1, nil
}

// restateSettings writes the last row about each setting anew, also of a missing one: its row
// proves the removal from outside.
func (s *Store) restateSettings(ctx context.Context, t *tx, through int64) error {
	names, err := settingRows(ctx, t)
	if err != nil {
		return err
	}
	for _, name := range names {
		last, err := lastRow(ctx, t, name)
		if err != nil {
			return err
		}
		if sum, _ := last.sum(nil); last.Seq == 0 || last.Seq > through || sum != last.Hash {
			continue
		}
		row, err := s.clean(Row{
			Event: EventSettingKept, RuleText: name, Digest: last.Digest, DecidedBy: last.DecidedBy,
			Detail: fmt.Sprintf("as row %d of %s says: %s: %s", last.Seq, last.Time.Format(time.RFC3339), last.Event, last.Detail),
		})
		if err != nil {
			return err
		}
		t.chain.add(&row)
	}
	return nil
}

// settingRows are the words of all rows about settings.
func settingRows(ctx context.Context, q queryer) ([]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT DISTINCT rule_text FROM audit_log WHERE event <> 'decision' AND rule_text LIKE ?", settingRow("")+"%")
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// lastRow is the last recorded change of a thing; the zero Row for none.
func lastRow(ctx context.Context, q queryer, words string) (Row, error) {
	return oneRow(ctx, q, "event <> 'decision' AND rule_text = ? ORDER BY seq DESC LIMIT 1", words)
}

// rowAt is the row of this number; the zero Row for none.
func rowAt(ctx context.Context, q queryer, seq int64) (Row, error) {
	return oneRow(ctx, q, "seq = ?", seq)
}

func oneRow(ctx context.Context, q queryer, where string, args ...any) (r Row, err error) {
	rows, err := q.QueryContext(ctx, "SELECT "+columns+" FROM audit_log WHERE "+where, args...)
	if err != nil {
		return r, err
	}
	defer rows.Close() // its error comes out of rows.Err
	if rows.Next() {
		if err := r.scan(rows); err != nil {
			return r, err
		}
	}
	return r, rows.Err()
}
