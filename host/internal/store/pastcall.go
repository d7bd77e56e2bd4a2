package store

import (
	"context"
	"fmt"
	"iter"
	"math"
	"time"
)

// PastCall is a decided call of the audit, as far as deciding it again needs it.
type PastCall struct {
	Seq                        int64
	Time                       time.Time
	Agent, Session, Tool, Code string
	Decision                   Outcome
	// Digest is of the call as it came, Input is masked and may be cut: see Row.
	Digest, Input string
}

// pastPage is how many rows are read at once.
const pastPage = 2000

// PastCalls returns the decided calls since a time, the newest first. It reads fewer columns than
// Audit, to be quicker. An error ends the sequence and comes with a zero PastCall.
func (s *Store) PastCalls(ctx context.Context, since time.Time) iter.Seq2[PastCall, error] {
	return func(yield func(PastCall, error) bool) {
		before, page := int64(math.MaxInt64), make([]PastCall, 0, pastPage)
		for {
			read, err := s.pastRows(ctx, before, page[:0])
			if err != nil {
				yield(PastCall{}, fmt.Errorf("read past calls: %w", err))
				return
			}
			older := 0 // the clock may have been set back: only a whole page of older rows is the end
			for _, c := range read {
				if c.Time.Before(since) {
					older++
				} else if c.Decision != "" && !yield(c, nil) {
					return
				}
			}
			if len(read) < pastPage || older == len(read) {
				return
			}
			before = read[len(read)-1].Seq
		}
	}
}

// pastRows appends a page of rows, of all events: those before a number, the newest first.
func (s *Store) pastRows(ctx context.Context, before int64, page []PastCall) ([]PastCall, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT seq, timestamp, agent_name, session, tool, code, decision, digest, input FROM audit_log"+
		s.db.by("")+" WHERE seq < ? ORDER BY seq DESC LIMIT ?", before, pastPage)
	if err != nil {
		return nil, s.closedOr(err)
	}
	defer rows.Close() // its error comes out of rows.Err
	for rows.Next() {
		var c PastCall
		var at int64
		if err := rows.Scan(&c.Seq, &at, &c.Agent, &c.Session, &c.Tool, &c.Code, &c.Decision, &c.Digest, &c.Input); err != nil {
			return nil, err
		}
		c.Time = time.Unix(0, at).UTC()
		page = append(page, c)
	}
	return page, rows.Err()
}
