package sandbox

import (
	"context"
	"math"
)

// Example is a call of each of some verbs, as a module's own examples give them.
type Example map[string][]byte // input by export

// warmCounts are the numbers of examples after which a snapshot is tried. More is
// not always better: a guest's heap that is nearly full makes each later call
// collect it.
var warmCounts = []int{0, 1, 2, 3, 4, 6, 8, 12}

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
	m.pool.first <- struct{}{}
	defer func() { <-m.pool.first }()
	m.examples = examples
	m.pool.keep(ctx, nil)
}

// warmUp brings an instance into states that others could begin in, and returns
// the one in which an example takes the least fuel. What the verbs answer does
// not matter here; nil means that the instance did not survive.
func (m *Module) warmUp(ctx context.Context, inst *instance) *state {
	ctx = inst.context(ctx)
	inst.kernel.Allow(startFactor)
	if !inst.run(ctx, basic) {
		return nil
	}
	steps := []Example{basic}
	best, tried := &state{}, &state{}
	best.read(inst, steps...)
	if len(m.examples) == 0 {
		return best
	}
	least := int64(math.MaxInt64)
	done := 0
	for _, n := range warmCounts {
		for ; done < n; done++ {
			example := m.examples[done%len(m.examples)]
			if !inst.run(ctx, example) {
				return best
			}
			steps = append(steps, example)
		}
		if !inst.keeper.keep() {
			break
		}
		tried.read(inst, steps...)
		spent, ok := inst.probe(ctx, tried, m.examples[0])
		if !ok {
			break
		}
		if spent < least {
			best, tried, least = tried, best, spent
		}
	}
	return best
}

// run calls the verbs of an example, in the order the module has them.
func (inst *instance) run(ctx context.Context, e Example) bool {
	for i, name := range inst.exports {
		input, ok := e[name]
		if !ok {
			continue
		}
		inst.kernel.Reset()
		if inst.begin(input) != nil {
			return false
		}
		if err := inst.verb(i).CallWithStack(ctx, inst.stack[:]); err != nil {
			return false
		}
	}
	inst.kernel.Reset()
	return true
}

// probe returns the fuel that the verbs of an example take, one after the other,
// and leaves the instance in the state s that it is in; false when one failed or
// the instance could not be put back.
func (inst *instance) probe(ctx context.Context, s *state, e Example) (spent int64, ok bool) {
	before := inst.kernel.Used()
	if !inst.run(ctx, e) {
		return 0, false
	}
	spent = inst.kernel.Used() - before
	return spent, inst.write(s)
}
