package store

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Filter chooses rows of the audit. Zero fields choose everything.
type Filter struct {
	Agent   string
	Session string
	Tool    string
	// User triggered the call, DecidedBy decided it or made the change; Person did either.
	User, DecidedBy, Person string
	Event                   Event
	Decision                Outcome
	// Rule is a rule's id or its text, such as "Bash(npm run:*)".
	Rule string
	// Call is the client's own id of a call, Ask the id of an ask.
	Call, Ask string
	// Since is inclusive, Until exclusive.
	Since, Until time.Time
	// Text must occur in the action, the detail, the rule or the input, as they are
	// kept, without regard to the case of ASCII letters.
	Text string
	// After and Before bound the row's number, both exclusive; 0 is no bound.
	After, Before int64
	// Newest turns the order round: the last row first.
	Newest bool
	// Limit is how many rows at most; 0 is no limit.
	Limit int
	// Look is how many rows a page looks at, with Newest; 0 is no bound. Only AuditPage heeds it.
	Look int64
}

// auditPage is how many rows are read at once. Between pages no transaction is
// open, so a slow reader holds nothing up.
const auditPage = 500

// Audit returns the rows chosen by f, oldest first unless f.Newest. An error ends the sequence and
// comes with a zero Row. Rows appended while it runs may or may not be seen.
func (s *Store) Audit(ctx context.Context, f Filter) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		left := f.Limit
		for {
			page, err := s.auditRows(ctx, f, pageSize(left))
			if err != nil {
				yield(Row{}, fmt.Errorf("read audit: %w", err))
				return
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if left -= len(page); len(page) < auditPage || f.Limit > 0 && left <= 0 {
				return
			}
			f.advance(page[len(page)-1].Seq)
		}
	}
}

func pageSize(left int) int {
	if left > 0 && left < auditPage {
		return left
	}
	return auditPage
}

// advance moves the filter behind the row seq.
func (f *Filter) advance(seq int64) {
	if f.Newest {
		f.Before = seq
		return
	}
	f.After = seq
}

func (s *Store) auditRows(ctx context.Context, f Filter, limit int) ([]Row, error) {
	c := f.conditions()
	order := "ASC"
	if f.Newest {
		order = "DESC"
	}
	query := "SELECT " + columns + " FROM audit_log" + s.index(f) + c.where() + " ORDER BY seq " + order + " LIMIT ?"
	rows, err := s.reads.QueryContext(ctx, query, append(c.args, limit)...)
	if err != nil {
		return nil, s.closedOr(err)
	}
	defer rows.Close() // its error comes out of rows.Err
	page := make([]Row, 0, min(limit, auditPage))
	for rows.Next() {
		var r Row
		if err := r.scan(rows); err != nil {
			return nil, err
		}
		page = append(page, r)
	}
	return page, rows.Err()
}

// index names the index for a search; empty where the database chooses well by itself.
func (s *Store) index(f Filter) string {
	narrow := f
	narrow.Text, narrow.After, narrow.Before, narrow.Newest, narrow.Limit, narrow.Look, narrow.Event = "", 0, 0, false, 0, 0, ""
	if f.Event != "" && f.Event != EventDecision {
		return "" // audit_events
	}
	switch {
	case f.Session != "":
		return s.db.by("audit_sessions")
	case narrow == Filter{}:
		return s.db.by("")
	}
	return s.db.by("audit_search")
}

// conditions is the filter as SQL.
func (f *Filter) conditions() *conditions {
	c := &conditions{}
	c.add("seq > ?", f.After)
	if f.Before > 0 {
		c.add("seq < ?", f.Before)
	}
	c.text("agent_name", f.Agent)
	c.text("session", f.Session)
	c.text("tool", f.Tool)
	c.text("user_id", f.User)
	c.text("decided_by", f.DecidedBy)
	c.text("decision", string(f.Decision))
	c.text("call_id", f.Call)
	c.text("ask_id", f.Ask)
	if f.Person != "" {
		c.add("(user_id = ? OR decided_by = ? OR instr(', ' || decided_by || ', ', ', ' || ? || ', ') > 0)", f.Person, f.Person, f.Person)
	}
	if !f.Since.IsZero() {
		c.add("timestamp >= ?", moment(f.Since))
	}
	if !f.Until.IsZero() {
		c.add("timestamp < ?", moment(f.Until))
	}
	if f.Event != "" {
		if f.Event != EventDecision {
			c.add("event <> 'decision'") // lets the partial index answer
		}
		c.add("event = ?", string(f.Event))
	}
	if f.Rule != "" {
		// The text of a changed rule stands behind its behavior.
		c.add("(rule_id = ? OR rule_text = ? OR rule_text IN ('allow ' || ?, 'ask ' || ?, 'deny ' || ?))", f.Rule, f.Rule, f.Rule, f.Rule, f.Rule)
	}
	if f.Text != "" {
		like := likeText(f.Text)
		c.add(`(action_string LIKE ? ESCAPE '\' OR detail LIKE ? ESCAPE '\' OR rule_text LIKE ? ESCAPE '\' OR input LIKE ? ESCAPE '\')`, like, like, like, like)
	}
	return c
}

// likeText is a LIKE pattern for texts containing a text.
func likeText(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
}

// conditions gathers the conditions of a query.
type conditions struct {
	terms []string
	args  []any
}

func (c *conditions) add(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

// text asks for equality unless value is empty.
func (c *conditions) text(column, value string) {
	if value != "" {
		c.add(column+" = ?", value)
	}
}

func (c *conditions) where() string {
	if len(c.terms) == 0 {
		return " WHERE true"
	}
	return " WHERE " + strings.Join(c.terms, " AND ")
}

// closedOr gives a query's error the store's own name when the store is closed or away.
func (s *Store) closedOr(err error) error {
	if s.writer != nil && s.writer.isClosed() {
		return ErrClosed
	}
	return s.db.explain(err)
}
