package sandbox

import (
	"context"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
)

// begin sets the input of a call.
func (inst *instance) begin(input []byte) *kernel.Trap {
	inst.stack[0] = 0
	inst.touched = true
	return inst.kernel.SetInput(input)
}

// call runs one verb and appends its output to dst. A short call never looks at
// the clock; one whose caller has already given up does nothing.
func (inst *instance) call(ctx context.Context, dst []byte, verb int, q Request) ([]byte, *Error) {
	if err := ctx.Err(); err != nil {
		return nil, trapped(kernel.Cancelled(err))
	}
	k := inst.kernel
	if t := inst.begin(q.Input); t != nil {
		return nil, trapped(t)
	}
	k.Allow(1)
	k.Start(q.Config)
	err := k.End(inst.verb(verb).CallWithStack(k.During(ctx), inst.stack[:]))
	if q.Used != nil {
		q.Used.Fuel = k.Used()
		q.Used.LogLines, q.Used.LogBytes = k.Logged()
	}
	if err != nil {
		return nil, classify(err, k.Message())
	}
	output, t := k.Result(dst, int32(inst.stack[0]))
	if t != nil {
		return nil, trapped(t)
	}
	return output, nil
}
