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

// TestExpireEveryMinute runs three minutes: a failure is reported and does not end it.
func TestExpireEveryMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := &Daemon{log: slog.New(slog.NewTextHandler(&out, nil))}
		ctx, cancel := context.WithTimeout(t.Context(), 3*expiry+time.Second)
		defer cancel()
		looked, forgotten := 0, 0
		d.expire(ctx, func(context.Context) (int, error) {
			if looked++; looked == 2 {
				return 0, errors.New("the disk is full")
			}
			return looked, nil
		}, func(context.Context) (int, error) {
			if forgotten++; forgotten == 1 {
				return 0, errors.New("the table is gone")
			}
			return forgotten, nil
		})
		if looked != 3 || forgotten != 3 {
			t.Errorf("in three minutes rules were looked at %d times, calls %d times, want 3", looked, forgotten)
		}
		for _, want := range []string{"rules=1", "the disk is full", "rules=3", "the table is gone"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("log: got\n%s\nwant %q in it", &out, want)
			}
		}
	})
}
