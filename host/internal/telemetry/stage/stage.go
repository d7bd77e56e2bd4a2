// Package stage notes the steps of one check and their times, for its trace.
//
// A context without a recording costs one lookup a step. It imports no other room; the gate and the
// modules call it, and the daemon makes spans of the steps.
package stage

import (
	"context"
	"sync"
	"time"
)

// Step is one noted step.
type Step struct {
	Name string
	// Parent is the index of the step around this one; -1 for none.
	Parent       int
	Begun, Ended time.Time
}

// maxSteps bounds the steps of a recording: thousands of rules ask a module thousands of times.
const maxSteps = 200

// Recording holds the steps of one check. Its methods are safe for concurrent use.
type Recording struct {
	mu    sync.Mutex
	steps []Step
	open  []int
	// missed counts the steps after the bound.
	missed int
}

type key struct{}

// Record returns a context that notes steps in the recording.
func Record(ctx context.Context) (context.Context, *Recording) {
	r := &Recording{}
	return context.WithValue(ctx, key{}, r), r
}

// Begin notes the begin of a step in the recording of ctx, if it has one, and returns its end.
func Begin(ctx context.Context, name string) (end func()) {
	r, ok := ctx.Value(key{}).(*Recording)
	if !ok {
		return nothing
	}
	return r.begin(name)
}

func nothing() {}

func (r *Recording) begin(name string) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.steps) == maxSteps {
		r.missed++
		return nothing
	}
	at, parent := len(r.steps), -1
	if n := len(r.open); n > 0 {
		parent = r.open[n-1]
	}
	r.steps = append(r.steps, Step{Name: name, Parent: parent, Begun: time.Now()})
	r.open = append(r.open, at)
	return func() { r.end(at) }
}

func (r *Recording) end(at int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps[at].Ended = time.Now()
	for i, open := range r.open {
		if open == at {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return
		}
	}
}

// Steps returns the steps so far in the order of their begin, and how many came after the bound of
// 200. A step without an end gets the present time as one.
func (r *Recording) Steps() (steps []Step, missed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	steps = append(steps, r.steps...)
	for i := range steps {
		if steps[i].Ended.IsZero() {
			steps[i].Ended = time.Now()
		}
	}
	return steps, r.missed
}
