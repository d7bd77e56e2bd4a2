package sandbox

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"
)

// begin sets the input of a call. Without fuel, the guest's first step is to
// ask for some, so that a call that is already too late does nothing.
func (inst *instance) begin(input []byte) error {
	inst.fuel.Set(0)
	inst.stack[0] = 0
	return inst.kernel.setInput(input)
}

// call runs one verb and appends its output to dst.
func (inst *instance) call(ctx context.Context, dst []byte, verb int, q Request) ([]byte, *Error) {
	if err := inst.begin(q.Input); err != nil {
		return nil, &Error{Kind: KindInput, Message: err.Error()}
	}
	inst.kernel.deadline = time.Now().Add(inst.limits.Timeout)
	if err := inst.verb(verb).CallWithStack(inst.context(ctx), inst.stack[:]); err != nil {
		return nil, classify(err, inst.kernel.message())
	}
	return inst.kernel.result(dst, int32(inst.stack[0]))
}

// result judges how a call ended that returned code. Error beats output.
func (k *kernel) result(dst []byte, code int32) ([]byte, *Error) {
	if code != 0 || k.failed {
		message := k.message()
		if message == "" {
			message = fmt.Sprintf("the module returned %d without a message", code)
		}
		return nil, &Error{Kind: KindCode, Message: message}
	}
	if k.outputLength == 0 {
		return nil, &Error{Kind: KindOutput, Message: "the module returned 0 without output"}
	}
	if k.outputLength > uint64(k.limits.OutputBytes) {
		return nil, &Error{Kind: KindOutput, Limit: "output_kib", Message: fmt.Sprintf("%d bytes: at most %d", k.outputLength, k.limits.OutputBytes)}
	}
	data, ok := k.arena.view(k.output, k.outputLength)
	if !ok {
		return nil, &Error{Kind: KindOutput, Message: fmt.Sprintf("offset %d, length %d is outside the host memory", k.output, k.outputLength)}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Kind: KindOutput, Message: "not UTF-8"}
	}
	return append(dst, data...), nil
}
