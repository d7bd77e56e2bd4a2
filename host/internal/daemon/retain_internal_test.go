package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
)

// kept counts removals.
type kept struct {
	finished, asks, sessions int
	pruned                   []time.Time
	by                       string
	last                     time.Time
	err                      error
}

func (k *kept) FinishPrune(context.Context) error            { k.finished++; return k.err }
func (k *kept) LastPrune(context.Context) (time.Time, error) { return k.last, nil }
func (k *kept) ForgetAsks(context.Context) (int, error)      { k.asks++; return 0, k.err }
func (k *kept) ForgetSessions(context.Context) (int, error)  { k.sessions++; return 0, k.err }
func (k *kept) PruneAudit(_ context.Context, before time.Time, by string) (store.Prunable, error) {
	k.pruned, k.by, k.last = append(k.pruned, before), by, time.Now()
	return store.Prunable{Rows: 3, Through: 3}, k.err
}

// TestRetain runs two days and a half: old data goes every hour, rows of the audit once a day,
// and none while the configuration keeps them for ever.
func TestRetain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keep   config.Kept
		prunes int
	}{"30d": {config.Kept(30 * 24 * time.Hour), 3}, "for ever": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &Daemon{log: slog.New(slog.DiscardHandler)}
				ctx, cancel := context.WithTimeout(t.Context(), 60*time.Hour+time.Minute)
				defer cancel()
				k, began := &kept{}, time.Now()
				d.retain(ctx, k, func() config.Audit { return config.Audit{Keep: c.keep} }, time.Now)
				if k.finished != 61 || k.asks != 61 || k.sessions != 61 || len(k.pruned) != c.prunes {
					t.Errorf("in 60 hours: %d, %d, %d and %d prunes, want 61 of each and %d", k.finished, k.asks, k.sessions, len(k.pruned), c.prunes)
				}
				if c.prunes > 0 && (!k.pruned[0].Equal(began.Add(-time.Duration(c.keep))) || k.by != "callgate: audit.keep 30d") {
					t.Errorf("pruned before %v by %q", k.pruned[0], k.by)
				}
			})
		})
	}
}

// A failure is reported and does not end it.
func TestRetain_tellsFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := &Daemon{log: slog.New(slog.NewTextHandler(&out, nil))}
		ctx, cancel := context.WithTimeout(t.Context(), retention+time.Minute)
		defer cancel()
		k := &kept{err: errors.New("the disk is full")}
		d.retain(ctx, k, func() config.Audit { return config.Audit{Keep: config.Kept(24 * time.Hour)} }, time.Now)
		if n := strings.Count(out.String(), "the disk is full"); n != 7 || k.sessions != 2 {
			t.Errorf("told %d failures of %d rounds, want 7 of 2:\n%s", n, k.sessions, &out)
		}
	})
}
