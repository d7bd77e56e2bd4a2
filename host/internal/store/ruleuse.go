package store

import (
	"context"
	"fmt"
	"time"
)

// RuleUse is how often a rule decided a call.
type RuleUse struct {
	Count int64 `json:"count"`
	// Last is when it did last.
	Last time.Time `json:"last"`
}

// RuleUses returns the uses of rules by their ids; a rule that never decided has none. The numbers
// go with a removed stored rule, and outlive the rows of the audit.
func (s *Store) RuleUses(ctx context.Context) (map[string]RuleUse, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT rule_id, uses, used_at FROM rule_uses")
	if err != nil {
		return nil, fmt.Errorf("read the uses of rules: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	uses := map[string]RuleUse{}
	for rows.Next() {
		var id string
		var u RuleUse
		var at int64
		if err := rows.Scan(&id, &u.Count, &at); err != nil {
			return nil, fmt.Errorf("read the uses of rules: %w", err)
		}
		u.Last = time.Unix(0, at).UTC()
		uses[id] = u
	}
	return uses, rows.Err()
}

// usesOf counts the rules that decided the rows of a transaction, each once.
func usesOf(rows []Row) map[string]RuleUse {
	var uses map[string]RuleUse
	for i := range rows {
		r := &rows[i]
		if r.Event != EventDecision || r.RuleID == "" {
			continue
		}
		if uses == nil {
			uses = map[string]RuleUse{}
		}
		u := uses[r.RuleID]
		u.Count++
		if r.Time.After(u.Last) {
			u.Last = r.Time
		}
		uses[r.RuleID] = u
	}
	return uses
}

// forgetUses removes the uses of rules that are gone: of stored ones with the rule, of others, which
// the configuration had, once the audit's rows about them go.
const forgetUses = "DELETE FROM rule_uses WHERE used_at < ? AND rule_id NOT IN (SELECT id FROM rules)"

// addUses adds the uses of one rule.
const addUses = `INSERT INTO rule_uses (rule_id, uses, used_at) VALUES (?, ?, ?) ON CONFLICT (rule_id) DO UPDATE SET uses = rule_uses.uses + excluded.uses,
	used_at = CASE WHEN excluded.used_at > rule_uses.used_at THEN excluded.used_at ELSE rule_uses.used_at END`
