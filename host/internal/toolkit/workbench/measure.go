package workbench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// Speed is how fast one export answers.
type Speed struct {
	Verb string `json:"verb"`
	// Inputs is how many different inputs took turns, of InputBytes in the middle.
	Inputs     int `json:"inputs"`
	InputBytes int `json:"input_bytes"`
	// Calls were made one after the other; PerSecond is that of a single caller.
	Calls     int     `json:"calls"`
	PerSecond float64 `json:"calls_per_second"`
	// Median and P99 are the times of a call, in microseconds.
	Median float64 `json:"median_microseconds"`
	P99    float64 `json:"p99_microseconds"`
	// Fuel is that of a median call, FuelMost that of the dearest.
	Fuel     int64 `json:"fuel"`
	FuelMost int64 `json:"fuel_most"`
	// Failed counts the inputs without an answer; their times count as well.
	Failed int `json:"failed_inputs,omitempty"`
}

// mostSamples bounds how many calls of one export are timed.
const mostSamples = 1 << 20

// Measure puts the calls to each of the module's exports, in turn and one after the other, for
// some time each, and at least once each.
func (m *Module) Measure(ctx context.Context, calls []trial.Call, each time.Duration) ([]Speed, error) {
	inputs := map[string][][]byte{sandbox.Describe: {nil}}
	for _, c := range calls {
		a := m.Ask(ctx, c)
		if a.Err != nil {
			return nil, a.Err
		}
		for _, one := range a.All() {
			inputs[one.Verb] = append(inputs[one.Verb], one.Envelope)
		}
	}
	var all []Speed
	for _, verb := range []string{sandbox.Describe, sandbox.DescribeCall, sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.MatchRule, sandbox.GenerateSuggestions} {
		if len(inputs[verb]) == 0 {
			continue
		}
		s, err := m.speed(ctx, verb, inputs[verb], each)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (m *Module) speed(ctx context.Context, verb string, inputs [][]byte, each time.Duration) (Speed, error) {
	s := Speed{Verb: verb, Inputs: len(inputs), InputBytes: middle(lengths(inputs))}
	var fuel []int64
	for _, input := range inputs { // not timed: first writes to pages
		r := m.Run(ctx, verb, input)
		fuel = append(fuel, r.Fuel)
		if r.Err != nil {
			s.Failed++
		}
	}
	s.Fuel, s.FuelMost = middle(fuel), slices.Max(fuel)
	var took []time.Duration
	begin := time.Now()
	for time.Since(begin) < each && len(took) < mostSamples || len(took) < len(inputs) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		took = append(took, m.Run(ctx, verb, inputs[len(took)%len(inputs)]).Took)
	}
	s.Calls, s.PerSecond = len(took), float64(len(took))/time.Since(begin).Seconds()
	slices.Sort(took)
	s.Median, s.P99 = micro(took[len(took)/2]), micro(took[len(took)*99/100])
	return s, nil
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func lengths(inputs [][]byte) []int {
	all := make([]int, len(inputs))
	for i, input := range inputs {
		all[i] = len(input)
	}
	return all
}

func middle[T int | int64](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// ExampleCalls are the calls of the module's own rule examples.
func (m *Module) ExampleCalls() []trial.Call {
	var calls []trial.Call
	for _, t := range m.Description.Tools {
		for _, e := range t.RuleExamples {
			calls = append(calls, exampleCall(t.Name, e))
		}
	}
	return calls
}

// Start is the time until a module answers, in milliseconds.
type Start struct {
	// Compile is checking and compiling it, in a process of its own where there is a
	// compiler; Cached is finding its code in the cache.
	Compile float64 `json:"compile_milliseconds"`
	Cached  float64 `json:"cached_milliseconds,omitempty"`
	// First is the first call, of describe, including the start of an instance.
	First float64 `json:"first_call_milliseconds"`
}

// Start measures how a module starts: compiled anew, and from the Bench's cache, if
// it has one.
func (b *Bench) Start(ctx context.Context, m *Module, compiler []string) (s Start, err error) {
	cold, err := Open(ctx, Options{Compiler: compiler, Limits: b.Limits()})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, cold.Close()) }()
	first, err := cold.LoadBytes(ctx, m.name, m.wasm)
	if err != nil {
		return s, err
	}
	s.Compile, s.First = milliseconds(first.Compile), milliseconds(first.First.Took)
	if !b.runtime.Compiled(m.Digest) {
		return s, nil
	}
	again, err := b.Fresh(ctx, m)
	if err != nil {
		return s, fmt.Errorf("from the cache: %w", err)
	}
	s.Cached = milliseconds(again.Compile)
	return s, nil
}

// Footprint is the memory of the ready module.
func (m *Module) Footprint(ctx context.Context) (sandbox.Footprint, error) {
	if m.Loaded == nil {
		return sandbox.Footprint{}, trial.ErrNotCompiled
	}
	return m.Loaded.Footprint(ctx)
}
