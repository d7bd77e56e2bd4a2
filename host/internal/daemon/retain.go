package daemon

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
)

// Intervals for deleting old data, and for removing rows of the audit: each time costs the audit a
// row.
const (
	retention  = time.Hour
	pruneEvery = 24 * time.Hour
)

// retained deletes old data; of *store.Store.
type retained interface {
	FinishPrune(ctx context.Context) error
	LastPrune(ctx context.Context) (time.Time, error)
	PruneAudit(ctx context.Context, before time.Time, by string) (store.Prunable, error)
	ForgetAsks(ctx context.Context) (int, error)
	ForgetSessions(ctx context.Context) (int, error)
}

// retain deletes old data, at once and then every hour, until ctx ends.
func (d *Daemon) retain(ctx context.Context, s retained, keep func() config.Audit, now func() time.Time) {
	tick := time.NewTicker(retention)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := s.FinishPrune(ctx); err != nil {
			d.unkept(ctx, "finish an interrupted deletion of audit rows", err)
		}
		if _, err := s.ForgetAsks(ctx); err != nil {
			d.unkept(ctx, "delete asks", err)
		}
		if _, err := s.ForgetSessions(ctx); err != nil {
			d.unkept(ctx, "delete sessions", err)
		}
		if kept := keep().Keep; kept > 0 {
			d.prune(ctx, s, kept, now())
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// prune removes rows beyond their retention, once a day.
func (d *Daemon) prune(ctx context.Context, s retained, kept config.Kept, now time.Time) {
	last, err := s.LastPrune(ctx)
	if err == nil && now.Sub(last) < pruneEvery {
		return
	}
	var gone store.Prunable
	if err == nil {
		gone, err = s.PruneAudit(ctx, now.Add(-time.Duration(kept)), "callgate: audit.keep "+kept.String())
	}
	switch {
	case err != nil:
		d.unkept(ctx, "delete audit rows", err)
	case gone.Rows > 0:
		d.log.Info("old audit rows deleted", "rows", gone.Rows, "through", gone.Through, "keep", kept.String())
	}
}

// unkept logs the step of the retention that failed; the next hour tries it again.
func (d *Daemon) unkept(ctx context.Context, step string, err error) {
	if ctx.Err() == nil {
		d.log.Error("old data could not be deleted", "step", step, "error", err)
	}
}
