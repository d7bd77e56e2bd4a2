package store

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// summed is a row of the audit with its hash, computed anew.
type summed struct {
	row Row
	sum Hash
}

// verifyReaders is how many pages of the audit are read at once, beside other queries.
func verifyReaders() int { return min(runtime.GOMAXPROCS(0), readers-1) }

// summedRows reads all rows, oldest first. Those between after and through are read and summed
// several pages at a time, because reading them takes most of a verification.
func (s *Store) summedRows(ctx context.Context, after, through int64) iter.Seq2[summed, error] {
	return func(yield func(summed, error) bool) {
		for _, part := range []iter.Seq2[summed, error]{
			s.summedRest(ctx, Filter{Before: after + 1}),
			s.summedPages(ctx, after, through),
			s.summedRest(ctx, Filter{After: through}),
		} {
			for row, err := range part {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// summedRest reads one page after the other.
func (s *Store) summedRest(ctx context.Context, f Filter) iter.Seq2[summed, error] {
	return func(yield func(summed, error) bool) {
		var buf []byte
		for row, err := range s.Audit(ctx, f) {
			var sum Hash
			sum, buf = row.sum(buf)
			if !yield(summed{row, sum}, err) {
				return
			}
		}
	}
}

// page is a part of the audit, or the reason why it could not be read.
type page struct {
	rows []summed
	err  error
}

// summedPages reads pages beside each other, and yields them in their order.
func (s *Store) summedPages(ctx context.Context, after, through int64) iter.Seq2[summed, error] {
	return func(yield func(summed, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var reading sync.WaitGroup
		defer reading.Wait()
		defer cancel()
		pages := make(chan chan page, verifyReaders()-1)
		reading.Go(func() {
			defer close(pages)
			for ; after < through && ctx.Err() == nil; after += auditPage {
				f, one := Filter{After: after, Before: min(after+auditPage, through) + 1}, make(chan page, 1)
				reading.Go(func() { one <- s.readPage(ctx, f) })
				select {
				case pages <- one:
				case <-ctx.Done():
				}
			}
		})
		for one := range pages {
			p := <-one
			for _, row := range p.rows {
				if !yield(row, nil) {
					return
				}
			}
			if p.err != nil {
				yield(summed{}, p.err)
				return
			}
		}
		if ctx.Err() != nil {
			yield(summed{}, ctx.Err())
		}
	}
}

func (s *Store) readPage(ctx context.Context, f Filter) (p page) {
	rows, err := s.auditRows(ctx, f, auditPage)
	if err != nil {
		return page{err: err}
	}
	var buf []byte
	p.rows = make([]summed, len(rows))
	for i, row := range rows {
		p.rows[i].row = row
		p.rows[i].sum, buf = row.sum(buf)
	}
	return p
}
