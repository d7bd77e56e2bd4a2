package workbench

import (
	"context"
	"errors"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// Inspection is everything known of one module's file. Texts of the module in it are clean,
// except for the inputs and contents of its examples.
type Inspection struct {
	File   string `json:"file"`
	Digest string `json:"digest,omitempty"`
	Size   int    `json:"size,omitempty"`
	// Outline is the binary's structure without a run; nil for any other file.
	Outline *sandbox.Outline `json:"outline,omitempty"`
	// CompileMilliseconds is how long it took to compile, or to find in the cache.
	CompileMilliseconds float64 `json:"compile_milliseconds,omitempty"`
	// Described is the module's description of itself, Footprint its memory when ready; nil
	// where it did not get so far.
	Described         *modules.Described `json:"describe,omitempty"`
	DescriptionDigest string             `json:"description_digest,omitempty"`
	Footprint         *sandbox.Footprint `json:"memory,omitempty"`
	Examples          []ExampleCost      `json:"rule_examples,omitempty"`
	// Step is the failing one and Problem why; empty when all is well.
	Step    Step   `json:"failed_at,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Usable reports whether the daemon would load the file.
func (i *Inspection) Usable() bool {
	for _, e := range i.Examples {
		if !e.OK {
			return false
		}
	}
	return i.Step == ""
}

// ExampleCost is one rule example, and the cost of all exports on its call.
type ExampleCost struct {
	Tool  string `json:"tool"`
	Index int    `json:"index"`
	wire.RuleExample
	OK bool `json:"ok"`
	// Problem is why it failed.
	Problem string     `json:"problem,omitempty"`
	Calls   []CallCost `json:"calls"`
}

// CallCost is the cost of one export.
type CallCost struct {
	Verb         string  `json:"verb"`
	Fuel         int64   `json:"fuel"`
	Milliseconds float64 `json:"milliseconds"`
	// Error is why there was no sound answer.
	Error string `json:"error,omitempty"`
}

// Inspect gathers everything about a module's file, as far as it gets; the Module is the one
// from Load.
func (b *Bench) Inspect(ctx context.Context, path string) (*Inspection, *Module) {
	i := &Inspection{File: path}
	m, err := b.Load(ctx, path)
	i.failed(err)
	if m == nil {
		return i, nil
	}
	i.Digest, i.Size, i.CompileMilliseconds = m.Digest, m.Size, milliseconds(m.Compile)
	if outline, err := sandbox.Look(m.wasm); err == nil || len(outline.Imports)+outline.Functions > 0 {
		i.Outline = &outline
	}
	if err != nil {
		return i, m
	}
	i.Described = &m.Description
	i.failed(i.measure(ctx, m))
	for _, e := range m.Examples(ctx) {
		i.Examples = append(i.Examples, e.cost())
	}
	return i, m
}

// stepStart is that of a module with a description and then a failing second start.
const stepStart Step = "start an instance"

func (i *Inspection) measure(ctx context.Context, m *Module) (err error) {
	if i.DescriptionDigest, err = modules.DescriptionDigest(m.RawDescription); err != nil {
		return &StepError{StepParse, err}
	}
	footprint, err := m.Footprint(ctx)
	if err != nil {
		return &StepError{stepStart, err}
	}
	i.Footprint = &footprint
	return nil
}

func (i *Inspection) failed(err error) {
	var step *StepError
	if errors.As(err, &step) {
		i.Step, i.Problem = step.Step, step.Err.Error()
	}
}

func (r ExampleResult) cost() ExampleCost {
	c := ExampleCost{Tool: r.Tool, Index: r.Index, RuleExample: r.Example, OK: r.OK()}
	switch {
	case r.Err != nil:
		c.Problem = r.Err.Error()
	case r.Matched && !r.OK():
		c.Problem = "the rule matches"
	case !r.OK():
		c.Problem = "the rule does not match"
	}
	for _, a := range r.Answers.All() {
		one := CallCost{Verb: a.Verb, Fuel: a.Fuel, Milliseconds: milliseconds(a.Took)}
		if err := a.Failed(); err != nil {
			one.Error = err.Error()
		}
		c.Calls = append(c.Calls, one)
	}
	return c
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
