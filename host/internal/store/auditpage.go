package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// AuditPage returns one page of Audit and where the next one goes on, as After or, with Newest, as
// Before; 0 on the last page. With Newest, f.Look bounds the rows that are looked at, whatever they
// are: a page may then have few rows, or none, and another one after it.
func (s *Store) AuditPage(ctx context.Context, f Filter) (rows []Row, next int64, err error) {
	floor, err := s.floor(ctx, &f)
	if err != nil {
		return nil, 0, fmt.Errorf("read audit: %w", s.closedOr(err))
	}
	rows = []Row{}
	for row, err := range s.Audit(ctx, f) {
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}
	switch {
	case f.Limit > 0 && len(rows) == f.Limit:
		next = rows[len(rows)-1].Seq
	case floor > 0:
		next = floor + 1
	}
	return rows, next, nil
}

// slack is how far the times of the audit's rows may be out of their order: beyond it a page does
// not look for younger ones.
const slack = 24 * time.Hour

// floor bounds a page by f.Look, and returns the newest row left out that the next page may show; 0
// when there is none.
func (s *Store) floor(ctx context.Context, f *Filter) (int64, error) {
	if !f.Newest || f.Look <= 0 || f.Session != "" {
		return 0, nil // the rows of a session have an index
	}
	top := f.Before - 1
	if f.Before <= 0 {
		head, err := readHead(ctx, s.reads)
		if err != nil {
			return 0, err
		}
		top = head.seq
	}
	floor := top - f.Look
	if floor <= f.After {
		return 0, nil
	}
	f.After = floor
	var at int64
	err := s.reads.QueryRowContext(ctx, "SELECT timestamp FROM audit_log WHERE seq <= ? ORDER BY seq DESC LIMIT 1", floor).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !f.Since.IsZero() && at < moment(f.Since.Add(-slack)) {
		return 0, nil
	}
	return floor, err
}
