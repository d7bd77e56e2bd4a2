package store

import (
	"context"
	"sync/atomic"
	"time"
)

// Stats is the store's writing since it was opened.
type Stats struct {
	// Commits are transactions, Changes the changes in them, Failures the changes that failed.
	Commits, Changes, Failures uint64
	// Took is the time of all transactions.
	Took time.Duration
	// Seq is the number of the audit's last row on disk; 0 when it cannot be read.
	Seq int64
	// Behind is how many changes of other daemons this one does not have in force yet: 0 where it has
	// the store alone, -1 when it cannot be read.
	Behind int64
	// Busy and Idle are the connections for queries, Waits how often a query waited for one, Waited
	// for how long.
	Busy, Idle int
	Waits      uint64
	Waited     time.Duration
}

// counts are the numbers behind Stats.
type counts struct {
	commits, changes, failures atomic.Uint64
	took                       atomic.Int64
}

// add counts a group after its transaction, which ended with err.
func (c *counts) add(group []*job, err error, took time.Duration) {
	failed := 0
	for _, j := range group {
		if err != nil || j.err != nil {
			failed++
		}
	}
	c.commits.Add(1)
	c.changes.Add(uint64(len(group)))
	c.failures.Add(uint64(failed))
	c.took.Add(int64(took))
}

// Stats returns the numbers of the store's writing.
func (s *Store) Stats(ctx context.Context) Stats {
	c := &s.writer.counts
	head, _ := readHead(ctx, s.reads) // an unreadable store shows in Ready
	pool := s.reads.Stats()
	return Stats{
		Busy: pool.InUse, Idle: pool.Idle, Waits: uint64(max(0, pool.WaitCount)), Waited: pool.WaitDuration,
		Commits: c.commits.Load(), Changes: c.changes.Load(), Failures: c.failures.Load(),
		Took: time.Duration(c.took.Load()), Seq: head.seq, Behind: s.team.behind(ctx),
	}
}

// behind is Stats.Behind. The daemon's own epoch comes last: a change it gets meanwhile is no lag.
func (t *team) behind(ctx context.Context) int64 {
	if t == nil {
		return 0
	}
	var last int64
	if err := t.db.reads.QueryRowContext(ctx, "SELECT epoch FROM audit_head WHERE one = 1").Scan(&last); err != nil {
		return -1
	}
	return max(0, last-t.epoch.Load())
}

// Ready returns nil when the store can be read and written. After a failed change it makes a
// transaction without changes to find out.
func (s *Store) Ready(ctx context.Context) error {
	if s.writer.isClosed() {
		return ErrClosed
	}
	if s.writer.failing.Load() {
		err := s.writer.do(ctx, &job{single: true, run: func(context.Context, *tx) error { return nil }})
		return s.closedOr(err)
	}
	_, err := readHead(ctx, s.reads)
	return s.closedOr(err)
}
