package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Times of a lease. The holder renews it each leaseEvery. It stops its task when it could not for
// leaseStop, before the lease ends by the database's clock and another takes over.
const (
	leaseFor   = "3 seconds"
	leaseEvery = time.Second
	leaseAsk   = 800 * time.Millisecond // patience of one renewal
	leaseStop  = 2 * time.Second
)

// Hold runs task while this daemon holds the lease of this name, again and again until ctx ends.
// The context of task ends when the lease is lost; its error ends Hold. Where one daemon has the
// store the lease is its own all the time. RATIONALE.md, "Why does one daemon hold Discord by a row?".
func (s *Store) Hold(ctx context.Context, name string, task func(context.Context) error) error {
	if s.team == nil {
		return task(ctx)
	}
	for ctx.Err() == nil {
		asked := time.Now()
		held, err := s.team.renew(ctx, name)
		if err == nil && held {
			if err := s.team.holding(ctx, name, asked, task); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(leaseEvery / 4):
		}
	}
	return ctx.Err()
}

// holding runs task and renews the lease beside it. since is a time before the lease began.
func (t *team) holding(ctx context.Context, name string, since time.Time, task func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- task(ctx) }()
	tick := time.NewTicker(leaseEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			t.giveBack(name)
			return err
		case <-tick.C:
		}
		asked := time.Now()
		held, err := t.renew(ctx, name)
		if err == nil && held {
			since = asked
			continue
		}
		if err == nil || time.Since(since) > leaseStop {
			cancel()
			<-done // its end is ours, not its own
			return nil
		}
	}
}

// renew takes the lease or makes it longer; false when another daemon has it.
func (t *team) renew(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseAsk)
	defer cancel()
	var fence int64
	err := t.db.reads.QueryRowContext(ctx, `INSERT INTO leases VALUES (?, ?, clock_timestamp() + interval '`+leaseFor+`', 1)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
		fence = leases.fence + (leases.holder <> excluded.holder)::int
		WHERE leases.holder = excluded.holder OR leases.until < clock_timestamp() RETURNING fence`, name, t.node).Scan(&fence)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lease %s: %w", name, err)
	}
	return true, nil
}

// giveBack ends a lease early, so that another daemon need not wait.
func (t *team) giveBack(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), leaseAsk)
	defer cancel()
	_, _ = t.db.reads.ExecContext(ctx, "UPDATE leases SET until = clock_timestamp() WHERE name = ? AND holder = ?", name, t.node) // it runs out by itself
}
