package sandbox_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/sandbox"
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
			_, err := m.Call(ctx, sandbox.CheckPermissions, nil)
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

// BenchmarkHostile reports what a good call waits while hostile ones run, what
// the collector waits for them, and how late each ends. All are quantiles of
// wall-clock times. Run it with -benchtime 1x.
func BenchmarkHostile(b *testing.B) {
	r := newRuntime(b, boundless)
	idle := arrivals(b, r)
	reportQuantiles(b, "idle", idle)
	var attacked []time.Duration
	var pauses []time.Duration
	for i := 0; i < len(endless); i += 2 {
		s := besiege(b, r, endless[i], endless[(i+1)%len(endless)])
		attacked = append(attacked, arrivals(b, r)...)
		pauses = append(pauses, collect(20)...)
		s.end(b)
	}
	reportQuantiles(b, "good", attacked)
	b.ReportMetric(quantile(pauses, 0.9), "ns/gc-pause-p90")
	worst := 0.0
	for _, name := range endless {
		over := overshoot(b, r, name)
		worst = max(worst, quantile(over, 0.99))
		b.Logf("%s: overshoot p50 %v, p99 %v", name, time.Duration(quantile(over, 0.5)), time.Duration(quantile(over, 0.99)))
	}
	b.ReportMetric(worst, "ns/overshoot-p99")
	machine := late()
	b.Logf("a loop of Go's that looks at the clock: overshoot p50 %v, p99 %v", time.Duration(quantile(machine, 0.5)), time.Duration(quantile(machine, 0.99)))
	b.ReportMetric(quantile(machine, 0.99), "ns/machine-p99")
}

// late is overshoot for a loop of Go's that does nothing but look at the clock:
// what of it is the machine's, where other programs want the processors.
func late() (over []time.Duration) {
	const timeout = 2 * time.Millisecond
	for range 1000 {
		start := time.Now()
		for time.Since(start) < timeout {
		}
		over = append(over, time.Since(start)-timeout)
	}
	return over
}

// arrivals makes good calls that are due every half millisecond, as a daemon
// gets them, and returns how long after its time each was answered.
func arrivals(b *testing.B, r *sandbox.Runtime) []time.Duration {
	b.Helper()
	m := load(b, r, "deploy")
	defer m.Close(context.Background())
	var took []time.Duration
	due := time.Now().Add(10 * time.Millisecond)
	for range 400 {
		time.Sleep(time.Until(due))
		if _, err := m.Call(context.Background(), sandbox.CheckPermissions, []byte(`{"target":"staging/web"}`)); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(due))
		due = due.Add(500 * time.Microsecond)
		if late := time.Since(due); late > 0 {
			due = due.Add(late) // one that was late does not make the others late
		}
	}
	return took[20:] // the first makes the instance
}

// collect collects garbage n times, and returns the pauses.
func collect(n int) []time.Duration {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	from := stats.NumGC
	for range n {
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	var pauses []time.Duration
	for i := from; i < stats.NumGC; i++ {
		pauses = append(pauses, time.Duration(stats.PauseNs[i%uint32(len(stats.PauseNs))]))
	}
	return pauses
}

// overshoot returns how long after their time-out of 2 ms calls came back, their
// instance restored.
func overshoot(b *testing.B, r *sandbox.Runtime, name string) []time.Duration {
	b.Helper()
	const timeout = 2 * time.Millisecond
	limits := boundless
	limits.Timeout = timeout
	m := load(b, r.WithLimits(limits), name)
	defer m.Close(context.Background())
	var over []time.Duration
	for range 120 {
		start := time.Now()
		_, err := m.Call(context.Background(), sandbox.CheckPermissions, nil)
		over = append(over, time.Since(start)-timeout)
		if !errors.Is(err, context.DeadlineExceeded) {
			b.Fatalf("%s: got %v; want its time to be up", name, err)
		}
	}
	return over[20:]
}

func reportQuantiles(b *testing.B, name string, took []time.Duration) {
	b.ReportMetric(quantile(took, 0.5), "ns/"+name+"-p50")
	b.ReportMetric(quantile(took, 0.99), "ns/"+name+"-p99")
}

func quantile(took []time.Duration, q float64) float64 {
	slices.Sort(took)
	return float64(took[int(q*float64(len(took)-1))])
}
