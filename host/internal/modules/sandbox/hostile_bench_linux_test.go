package sandbox_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// BenchmarkHostile reports the wait of a good call while hostile ones run, the collector's wait
// for them, and the delay of each end. All are quantiles of wall-clock times; pauses and ends
// count only when the system took no processor from this process meanwhile, since those depend
// on other programs. The wait of good calls is of use on a quiet machine only. Run it with
// -benchtime 1x.
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
	if len(pauses) > 0 {
		b.ReportMetric(quantile(pauses, 0.9), "ns/gc-pause-p90")
	}
	worst := 0.0
	for _, name := range endless {
		over := overshoot(b, r, name)
		worst = max(worst, quantile(over, 0.99))
		b.Logf("%s: overshoot p50 %v, p99 %v", name, time.Duration(quantile(over, 0.5)), time.Duration(quantile(over, 0.99)))
	}
	b.ReportMetric(worst, "ns/overshoot-p99")
}

// arrivals makes good calls due every half millisecond, as a daemon gets them, and returns the
// delay of each answer.
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
			due = due.Add(late) // a late one does not make the others late
		}
	}
	return took[20:] // the first makes the instance
}

// collect collects garbage n times, and returns the pauses, except those while the system took
// a processor.
func collect(n int) (pauses []time.Duration) {
	var stats runtime.MemStats
	for range n {
		before := switches()
		runtime.GC()
		undisturbed := switches() == before
		if runtime.ReadMemStats(&stats); undisturbed {
			pauses = append(pauses, time.Duration(stats.PauseNs[(stats.NumGC+255)%256]))
		}
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
	for range 600 {
		before, start := switches(), time.Now()
		_, err := m.Call(context.Background(), sandbox.CheckPermissions, nil)
		took := time.Since(start)
		if !errors.Is(err, context.DeadlineExceeded) {
			b.Fatalf("%s: got %v; want its time to be up", name, err)
		}
		if switches() == before {
			over = append(over, took-timeout)
		}
		if len(over) == 120 {
			break
		}
	}
	if len(over) < 40 {
		b.Skipf("%s: %d calls kept their processor: the machine is too busy", name, len(over))
	}
	return over[20:]
}

// switches counts how often the system took a processor from this process.
func switches() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0 // all calls count
	}
	return used.Nivcsw
}

func reportQuantiles(b *testing.B, name string, took []time.Duration) {
	b.ReportMetric(quantile(took, 0.5), "ns/"+name+"-p50")
	b.ReportMetric(quantile(took, 0.99), "ns/"+name+"-p99")
}

func quantile(took []time.Duration, q float64) float64 {
	slices.Sort(took)
	return float64(took[int(q*float64(len(took)-1))])
}
