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
)

// TestExpireEveryMinute runs three minutes: a failure is told and does not end
// it.
func TestExpireEveryMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := &Daemon{log: slog.New(slog.NewTextHandler(&out, nil))}
		ctx, cancel := context.WithTimeout(t.Context(), 3*expiry+time.Second)
		defer cancel()
		calls := 0
		d.expire(ctx, func(context.Context) (int, error) {
			if calls++; calls == 2 {
				return 0, errors.New("the disk is full")
			}
			return calls, nil
		})
		if calls != 3 {
			t.Errorf("in three minutes rules were looked at %d times, want 3", calls)
		}
		for _, want := range []string{"rules=1", "the disk is full", "rules=3"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("log: got\n%s\nwant %q in it", &out, want)
			}
		}
	})
}
