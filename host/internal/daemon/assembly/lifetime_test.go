package assembly_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// TestApprovalLifetime: an approval given while its client was away is good for as long as the
// configuration says, and once.
func TestApprovalLifetime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		away time.Duration
		want store.Outcome
	}{
		"in time":  {4 * time.Minute, store.AskApproved},
		"too late": {6 * time.Minute, store.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "asks: {approval_lifetime: 5m, timeout: 2m}\n"+worker)
			r := w.bash("npm run build")
			r.CallID = "toolu_1"
			id := w.leave(r)
			start := time.Now()
			var later atomic.Int64
			w.now = func() time.Time { return start.Add(time.Duration(later.Load())) }
			w.open()
			w.Asks.Attach(ask.Surface{Name: "test"})
			if _, err := w.Gate.Answer(t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "ann", Surface: "test"}); err != nil {
				t.Fatal(err)
			}
			later.Store(int64(c.away))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			res, err := w.Gate.Check(ctx, caller("worker"), r, func(*ask.Event) { cancel() }) // a new ask: it is never answered
			if err != nil || (res.Outcome == store.AskApproved) != (c.want == store.AskApproved) {
				t.Errorf("after %s: got %s (%s), %v, want %s", c.away, res.Outcome, res.Decision.Reason, err, c.want)
			}
		})
	}
}

// leave has a call asked about, and closes the host while it waits.
func (w *world) leave(r wire.Request) (id string) {
	w.t.Helper()
	w.Asks.Attach(ask.Surface{Name: "test"})
	shown := make(chan string, 8)
	done := make(chan error, 1)
	go func() {
		_, err := w.Gate.Check(context.Background(), caller("worker"), r, func(ev *ask.Event) { shown <- ev.Ask.ID })
		done <- err
	}()
	select {
	case id = <-shown:
	case err := <-done:
		w.t.Fatalf("got %v, want the call to wait", err)
	}
	w.Asks.Close()
	if err := <-done; !errors.Is(err, ask.ErrClosed) { // nothing is decided: the client is to come back
		w.t.Fatalf("the client of the first process: got %v, want %v", err, ask.ErrClosed)
	}
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	return id
}
