package ask_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// slowStore takes a while for each new ask.
type slowStore struct {
	*memStore
	takes time.Duration
}

func (s slowStore) InsertAsk(ctx context.Context, a ask.Ask) error {
	time.Sleep(s.takes)
	return s.memStore.InsertAsk(ctx, a)
}

// An answer does not stand in line behind a crowd of asking calls: it waits for the one being
// written, and for one more.
func TestAnswerPassesACrowd(t *testing.T) {
	const crowd, takes = 100, 10 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		b := ask.New(ask.Config{Store: slowStore{newMemStore(), takes}, PerAgent: 2 * crowd})
		go func() {
			if out, err := b.Ask(t.Context(), new(call("first"))); err != nil || !out.Approved() {
				t.Errorf("the first: %+v, %v", out, err)
			}
		}()
		time.Sleep(2 * takes)
		synctest.Wait()
		id := b.Waiting(ask.Filter{})[0].ID
		for i := range crowd {
			go func() {
				a := call(fmt.Sprint("c", i))
				a.Session = fmt.Sprint("s", i)
				_, _ = b.Ask(t.Context(), &a) // ends with the broker
			}()
		}
		synctest.Wait()
		began := time.Now()
		if _, err := b.Answer(t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "ann"}); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited > 2*takes {
			t.Errorf("the answer waited %v, as long as %d new asks take", waited, waited/takes)
		}
		b.Close()
		synctest.Wait()
	})
}
