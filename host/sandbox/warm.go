package sandbox

import (
	"context"
	"time"
)

// Example is a call of each of some verbs, as a module's own examples give them.
type Example map[string][]byte // input by export

// warmCounts are the numbers of examples after which a snapshot is tried. More
// is not always better: a guest's heap that is nearly full makes each later
// call collect it.
var warmCounts = []int{2, 6}

// basic is what every module can be asked.
var basic = Example{
	Describe:  nil,
	MatchRule: []byte(`{"tool":"","input":{},"context":{},"behavior":"deny","rules":[{"content":"x"}]}`),
}

// WarmUp makes the instances of m begin in the state that they have after some
// of the examples, which is when a guest has set up what it sets up at its
// first calls: for a Go guest, that halves the time of a call. Which examples
// count is decided by the fuel that calls take afterwards, so it is the same in
// each process. Calls that run go on from what they began with.
func (m *Module) WarmUp(ctx context.Context, examples []Example) {
	m.pool.first.Lock()
	defer m.pool.first.Unlock()
	m.examples = examples
	m.pool.forget(ctx)
}

// warmUp brings a module's first instance into the state all others will have,
// and returns that state. What the verbs answer does not matter here; nil means
// that the instance did not survive.
func (m *Module) warmUp(ctx context.Context, inst *instance) *snapshot {
	ctx = inst.context(ctx)
	inst.kernel.deadline = time.Now().Add(m.limits.Timeout)
	if !inst.run(ctx, m.verbs, basic) {
		return nil
	}
	best, least, done := inst.snapshot(), int64(1<<62), 0
	for _, n := range warmCounts {
		if done >= len(m.examples) {
			break
		}
		for ; done < min(n, len(m.examples)); done++ {
			if !inst.run(ctx, m.verbs, m.examples[done]) {
				return nil
			}
		}
		tried := inst.snapshot()
		spent, ok := inst.probe(ctx, m.verbs, tried, m.examples[0])
		if !ok {
			break // it cannot be put back: go on with what was best
		}
		if spent < least {
			best, least = tried, spent
		}
	}
	return best
}

// run calls the verbs of an example, in the order the module has them.
func (inst *instance) run(ctx context.Context, verbs []string, e Example) bool {
	for i, verb := range verbs {
		input, ok := e[verb]
		if !ok {
			continue
		}
		inst.kernel.reset()
		if inst.begin(input) != nil {
			return false
		}
		if err := inst.verbs[i].CallWithStack(ctx, inst.stack[:]); err != nil {
			return false
		}
	}
	inst.kernel.reset()
	return true
}

// probe returns the fuel that the verbs of an example take, each called in the
// state of a snapshot, and leaves the instance in it; false when it could not
// be restored, because its memory grew.
func (inst *instance) probe(ctx context.Context, verbs []string, s *snapshot, e Example) (spent int64, ok bool) {
	inst.pristine = s
	for verb, input := range e {
		inst.kernel.spent = 0
		if !inst.run(ctx, verbs, Example{verb: input}) {
			return 0, false
		}
		spent += inst.kernel.spent - int64(inst.fuel.Get())
		if !inst.restore() {
			return 0, false
		}
	}
	return spent, true
}
