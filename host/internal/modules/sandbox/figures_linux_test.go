package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/rounds"
)

// The figures of this file need the inside of the host; those beside the peer
// are in testdata/bench/sandbox. `make bench` shows both with their aims. Run
// them with -benchtime 1x: each sets its own number of rounds.

// figureRounds is how often each variant is timed; the median counts.
const figureRounds = 60

type call func(ctx context.Context, dst []byte, export string, input []byte) ([]byte, error)

func variant(name string, f call, export, input string) rounds.Variant {
	in, out := []byte(input), make([]byte, 0, 4096)
	return rounds.Variant{Name: name, Run: func(n int) error {
		for range n {
			if _, err := f(context.Background(), out, export, in); err != nil {
				return err
			}
		}
		return nil
	}}
}

// medians runs the variants beside each other.
func medians(b *testing.B, variants ...rounds.Variant) []time.Duration {
	b.Helper()
	took, err := rounds.Medians(figureRounds, 5*time.Millisecond, variants)
	if err != nil {
		b.Fatal(err)
	}
	return took
}

// report shows each variant's time under its name.
func report(b *testing.B, variants ...rounds.Variant) {
	b.Helper()
	for i, took := range medians(b, variants...) {
		b.ReportMetric(float64(took.Nanoseconds()), "ns/"+variants[i].Name)
	}
}

// BenchmarkInside times the same call restored, without restoring, and without
// fuel either.
func BenchmarkInside(b *testing.B) {
	r := newRuntime(b, sandbox.Limits{})
	for _, g := range guests {
		b.Run(g.name, func(b *testing.B) {
			wasm := guestBytes(b, g.name)
			m, free := warm(b, r.Load, g.name, wasm), warm(b, r.LoadUnmetered, g.name, wasm)
			report(b,
				variant("restored", hold(b, m).CallRestored, sandbox.CheckPermissions, checkCall),
				variant("kept", hold(b, m).Call, sandbox.CheckPermissions, checkCall),
				variant("unmetered", hold(b, free).Call, sandbox.CheckPermissions, checkCall))
		})
	}
}

// BenchmarkEmpty times a verb that only answers its input.
func BenchmarkEmpty(b *testing.B) {
	r := newRuntime(b, sandbox.Limits{})
	m, free := warm(b, r.Load, "empty", wasm(b, "mirror")), warm(b, r.LoadUnmetered, "empty", wasm(b, "mirror"))
	raw := hold(b, free)
	report(b,
		rounds.Variant{Name: "raw", Run: func(n int) error {
			stack := make([]uint64, 1)
			for range n {
				if err := raw.Raw(context.Background(), sandbox.DescribeCall, stack); err != nil {
					return err
				}
			}
			return nil
		}},
		variant("kept", hold(b, m).Call, sandbox.CheckReadOnly, "{}"),
		variant("restored", hold(b, m).CallRestored, sandbox.CheckReadOnly, "{}"),
		variant("append", appended(m), sandbox.CheckReadOnly, "{}"))
}

func appended(m *sandbox.Module) call {
	return func(ctx context.Context, dst []byte, export string, input []byte) ([]byte, error) {
		return m.Append(ctx, dst, sandbox.Request{Export: export, Input: input})
	}
}

// BenchmarkAllocations reports the most heap allocations of a whole call.
func BenchmarkAllocations(b *testing.B) {
	r := newRuntime(b, sandbox.Limits{})
	most := 0.0
	for _, name := range []string{"C", "AssemblyScript", "Go"} {
		v := variant(name, appended(warm(b, r.Load, name, guestBytes(b, name))), sandbox.CheckPermissions, checkCall)
		if err := v.Run(10); err != nil {
			b.Fatal(err)
		}
		most = max(most, testing.AllocsPerRun(1000, func() {
			if err := v.Run(1); err != nil {
				b.Error(err)
			}
		}))
	}
	b.ReportMetric(most, "allocs/call")
}

// BenchmarkCores counts the calls of one and two goroutines in the same time, and the machine's
// rate of plain loops.
func BenchmarkCores(b *testing.B) {
	r := newRuntime(b, sandbox.Limits{})
	work := []rounds.Variant{{Name: "loop", Run: spin}}
	for _, name := range []string{"C", "Go"} {
		work = append(work, rounds.Variant{Name: name, Run: parallelSafe(warm(b, r.Load, name, guestBytes(b, name)))})
	}
	one, two := make([][]float64, len(work)), make([][]float64, len(work))
	for round := range 2 * figureRounds {
		for i, w := range work {
			if round%2 == 0 {
				one[i] = append(one[i], throughput(b, 1, w))
			} else {
				two[i] = append(two[i], throughput(b, 2, w))
			}
		}
	}
	for i, w := range work {
		b.Run(w.Name, func(b *testing.B) {
			b.ReportMetric(middle(one[i]), "calls/one")
			b.ReportMetric(middle(two[i]), "calls/two")
		})
	}
}

// spin is about a microsecond of work without sharing.
func spin(n int) error {
	x := uint64(n)
	for range n * 1000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 0 {
		return errors.New("the loop met zero")
	}
	return nil
}

func parallelSafe(m *sandbox.Module) func(int) error {
	return func(n int) error {
		return variant("", appended(m), sandbox.CheckPermissions, checkCall).Run(n)
	}
}

// throughput returns the runs in a second of so many goroutines.
func throughput(tb testing.TB, goroutines int, w rounds.Variant) float64 {
	const window, batch = 20 * time.Millisecond, 16
	var done sync.WaitGroup
	counts := make([]int, goroutines)
	begin := time.Now()
	for i := range goroutines {
		done.Go(func() {
			n := 0
			for time.Since(begin) < window {
				if err := w.Run(batch); err != nil {
					tb.Error(err)
					return
				}
				n += batch
			}
			counts[i] = n
		})
	}
	done.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(begin).Seconds()
}

func middle(values []float64) float64 {
	d := make([]time.Duration, len(values))
	for i, v := range values {
		d[i] = time.Duration(v)
	}
	return float64(rounds.Median(d))
}

// BenchmarkMemory reports the private memory of a waiting instance, just used and idle for some
// seconds.
func BenchmarkMemory(b *testing.B) {
	const instances = 16
	for _, name := range []string{"C", "Go"} {
		b.Run(name, func(b *testing.B) {
			r := newRuntime(b, sandbox.Limits{Instances: instances + 1})
			m := warm(b, r.Load, name, guestBytes(b, name))
			hold(b, m) // has the snapshot made
			before := anonymous(b)
			use(b, m, instances)
			b.ReportMetric(float64(anonymous(b)-before)/instances, "KiB/used")
			m.Rest()
			b.ReportMetric(float64(anonymous(b)-before)/instances, "KiB/idle")
		})
	}
}

// use has n instances made, each answer a call, and gives them back.
func use(b *testing.B, m *sandbox.Module, n int) {
	b.Helper()
	for range n {
		h, err := m.Hold(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		defer h.Release(context.Background())
		if _, err := h.CallRestored(context.Background(), nil, sandbox.CheckPermissions, []byte(checkCall)); err != nil {
			b.Fatal(err)
		}
	}
}

// anonymous returns the process's own memory in KiB, copies of pages of files among it, after a
// full collection.
func anonymous(tb testing.TB) int {
	tb.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		tb.Skip(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("Anonymous:"))
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// BenchmarkRecovery compares the cost of a guest's panic in a whole call, including a renewed
// instance, with another instance.
func BenchmarkRecovery(b *testing.B) {
	m := warm(b, newRuntime(b, sandbox.Limits{}).Load, "Go", guestBytes(b, "Go"))
	took := medians(b,
		variant("good", appended(m), sandbox.CheckPermissions, checkCall),
		rounds.Variant{Name: "fault", Run: func(n int) error { return panics(m, n) }},
		rounds.Variant{Name: "new", Run: func(n int) error {
			for range n {
				if err := m.Initialise(context.Background()); err != nil {
					return err
				}
			}
			return nil
		}})
	b.ReportMetric(float64(took[0].Nanoseconds()), "ns/good")
	b.ReportMetric(float64((took[1] - took[0]).Nanoseconds()), "ns/added")
	b.ReportMetric(float64(took[2].Nanoseconds()), "ns/new")
}

// panics makes n calls that end the guest, and then a right one.
func panics(m *sandbox.Module, n int) error {
	input := []byte(strings.Replace(checkCall, "npm run build", "panic", 1))
	for range n {
		var failed *sandbox.Error
		if _, err := m.Call(context.Background(), sandbox.CheckPermissions, input); !errors.As(err, &failed) || failed.Kind == sandbox.KindCode {
			return fmt.Errorf("a guest that panics: got %v, want its end", err)
		}
	}
	return variant("good", appended(m), sandbox.CheckPermissions, checkCall).Run(1)
}
