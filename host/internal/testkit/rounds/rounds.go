//go:build unix

// Package rounds times variants of the same work beside each other, for benchmarks of ratios:
// each round runs every variant for a short while, so other load meets all of them alike, and
// the median of the rounds counts. Time is the processor time of the whole process, including a
// runtime's background work. No product code uses it; it is no internal package because the
// benchmarks beside peers, a module of their own in testdata/bench, use it too.
package rounds

import (
	"fmt"
	"slices"
	"syscall"
	"time"
)

// Variant is one way to do the work.
type Variant struct {
	Name string
	// Run does it n times.
	Run func(n int) error
}

// CPU returns the processor time used by this process, in the kernel and outside.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no errors with these arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Medians runs every variant for about window in each of n rounds and returns
// the processor time of one run of each.
func Medians(n int, window time.Duration, variants []Variant) ([]time.Duration, error) {
	counts := make([]int, len(variants))
	for i, v := range variants {
		var err error
		if counts[i], err = fill(window, v); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	took := make([][]time.Duration, len(variants))
	for round := range n {
		for k := range variants {
			i := (round + k) % len(variants) // each comes after each other one
			begin := CPU()
			if err := variants[i].Run(counts[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", variants[i].Name, err)
			}
			took[i] = append(took[i], (CPU()-begin)/time.Duration(counts[i]))
		}
	}
	medians := make([]time.Duration, len(variants))
	for i := range took {
		medians[i] = Median(took[i])
	}
	return medians, nil
}

// fill returns how many runs fill the window. The first run sets things up and
// does not count.
func fill(window time.Duration, v Variant) (int, error) {
	if err := v.Run(1); err != nil {
		return 0, err
	}
	for n := 1; ; n *= 2 {
		begin := CPU()
		if err := v.Run(n); err != nil {
			return 0, err
		}
		if took := CPU() - begin; took > window/2 {
			return max(1, int(int64(n)*int64(window)/int64(took))), nil
		}
	}
}

// Median returns the middle one of the values, and sorts them for it.
func Median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[len(values)/2]
}
