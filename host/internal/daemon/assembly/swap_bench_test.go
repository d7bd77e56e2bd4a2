package assembly_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// BenchmarkSwap/reload is from the request until decisions are made by a new module
// of 2 KiB, /watch from the moment its file was renamed into place.
func BenchmarkSwap(b *testing.B) {
	b.Run("reload", func(b *testing.B) {
		s, n := newSwapper(b), 0
		for b.Loop() {
			n++
			s.swap(b, n)
			s.decidedBy(b, n)
		}
	})
	b.Run("watch", func(b *testing.B) {
		s, n := newSwapper(b), 0
		ctx, cancel := context.WithCancel(b.Context())
		told := make(chan modules.Outcome, 100)
		s.Swaps(listener(func(o modules.Outcome) { told <- o }))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = s.WatchModules(ctx) // it ends with ctx
		}()
		for b.Loop() {
			n++
			wasm := s.modules.Version(n)
			s.versions.Store(sandbox.Digest(wasm), n)
			to := filepath.Join(s.dirs.Config, "modules", "d.wasm")
			if err := os.WriteFile(to+".new", wasm, 0o600); err != nil {
				b.Fatal(err)
			}
			if err := os.Rename(to+".new", to); err != nil {
				b.Fatal(err)
			}
			for o := range told {
				if o.Swaps[0].Is == sandbox.Digest(wasm) {
					break
				}
			}
			s.decidedBy(b, n)
		}
		cancel()
		<-done
	})
}

// decidedBy makes a decision and wants it to be version n's.
func (s *swapper) decidedBy(b *testing.B, n int) {
	b.Helper()
	res, err := s.Gate.Evaluate(b.Context(), caller("worker"), s.deploy("staging/x"))
	if err != nil || !s.whole(b, res) || res.ModuleDigest != sandbox.Digest(s.modules.Version(n)) {
		b.Fatalf("got %+v, %v; want version %d", res, err, n)
	}
}

// BenchmarkSwapPause is the time of a decision while nothing else happens (quiet), while new
// modules are compiled and tried, but not swapped in (trying), and while they are swapped in
// (swapping), ten a second: the cost of a swap itself is the difference of the last two.
func BenchmarkSwapPause(b *testing.B) {
	const every = 100 * time.Millisecond
	for _, tt := range []struct {
		name string
		do   func(s *swapper, n int) error
	}{
		{"quiet", nil},
		{"trying", func(s *swapper, n int) error {
			_, err := s.Catalog.Test(context.Background(), "d.wasm", s.modules.Version(n), modules.Rights{})
			return err
		}},
		{"swapping", func(s *swapper, n int) error { s.swap(b, n); return nil }},
	} {
		b.Run(tt.name, func(b *testing.B) {
			s := newSwapper(b)
			stop := make(chan struct{})
			var beside sync.WaitGroup
			if tt.do != nil {
				beside.Go(func() {
					tick := time.NewTicker(every)
					defer tick.Stop()
					for n := 1; ; n++ {
						select {
						case <-stop:
							return
						case <-tick.C:
						}
						if err := tt.do(s, n); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				res, err := s.Gate.Evaluate(context.Background(), caller("worker"), s.deploy("staging/x"))
				times = append(times, time.Since(began))
				if err != nil || !s.whole(b, res) {
					b.Fatalf("got %+v, %v", res, err)
				}
			}
			close(stop)
			beside.Wait()
			slices.Sort(times)
			micros := func(part float64) float64 {
				return float64(times[min(len(times)-1, int(part*float64(len(times))))].Nanoseconds()) / 1000
			}
			b.ReportMetric(micros(0.5), "p50-µs")
			b.ReportMetric(micros(0.99), "p99-µs")
			b.ReportMetric(micros(1), "max-µs")
		})
	}
}
