package sandbox_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// endless are hostile modules that go on until they are stopped, each in its own
// way of not coming back to Go: loops, calls without loops, long instructions on
// memory and tables, work of the host's, and the garbage of a failing call.
var endless = []string{
	"loop", "br_table_only", "explosion", "explosion_indirect", "fill", "straight_fills", "straight_copies", "copy_loop", "init_loop",
	"table_fill_loop", "table_copy_loop", "grow_forever", "recursion_return", "random_forever", "write_huge", "poll_crowd", "yield_forever",
}

// boundless lets a module run until its caller gives up.
var boundless = sandbox.Limits{Fuel: math.MaxInt64 / 100, Timeout: time.Hour, MemoryPages: 256}

// siege is a hostile module that runs on each processor.
type siege struct {
	lift    context.CancelFunc
	running sync.WaitGroup
	ended   atomic.Int64 // calls that came back
	errs    chan error
}

// besiege begins endless calls, as many as there are processors, of the modules in turn.
func besiege(tb testing.TB, r *sandbox.Runtime, names ...string) *siege {
	tb.Helper()
	s := &siege{errs: make(chan error, runtime.GOMAXPROCS(0))}
	var ctx context.Context
	ctx, s.lift = context.WithCancel(context.Background())
	begun := make(chan struct{})
	for i := range cap(s.errs) {
		m := load(tb, r, names[i%len(names)])
		if _, err := m.Call(ctx, sandbox.CheckReadOnly, nil); err != nil { // an instance is ready
			tb.Fatal(err)
		}
		s.running.Go(func() {
			begun <- struct{}{}
			var err error
			for err == nil { // straight code comes to its end on a fast machine
				_, err = m.Call(ctx, sandbox.CheckPermissions, nil)
			}
			s.ended.Add(1)
			s.errs <- err
		})
		<-begun
	}
	return s
}

// end stops the calls; each was cancelled and ended by nothing else.
func (s *siege) end(tb testing.TB) {
	tb.Helper()
	s.lift()
	s.running.Wait()
	close(s.errs)
	for err := range s.errs {
		if !errors.Is(err, context.Canceled) {
			tb.Errorf("a hostile call ended with %v; want it cancelled", err)
		}
	}
}

// TestFreeze: with a hostile module on each processor and collections one after
// the other, good calls are answered and collections end, all before any of the
// hostile ones does.
func TestFreeze(t *testing.T) {
	r := newRuntime(t, boundless)
	good := load(t, r, "deploy")
	const calls, collections = 300, 3
	for _, name := range endless {
		t.Run(name, func(t *testing.T) {
			s := besiege(t, r, name, "loop")
			defer s.end(t)
			stop, collected := make(chan struct{}), make(chan struct{})
			var collector sync.WaitGroup
			collector.Go(func() {
				for {
					runtime.GC()
					select {
					case collected <- struct{}{}:
					case <-stop:
						return
					}
				}
			})
			answer := func() {
				got, err := good.Call(t.Context(), sandbox.CheckPermissions, []byte(`{"target":"staging/web"}`))
				if err != nil || string(got) != `{"behavior":"allow","reason":"staging"}` {
					t.Errorf("a good call: got %s, %v", got, err)
				}
			}
			for range collections {
				for range calls / collections {
					answer()
				}
				<-collected
			}
			if n := s.ended.Load(); n != 0 {
				t.Errorf("%d hostile calls ended before %d good ones and %d collections", n, calls, collections)
			}
			close(stop)
			collector.Wait()
		})
	}
}
