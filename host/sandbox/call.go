package sandbox

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// begin sets the input of a call.
func (inst *instance) begin(input []byte) *trap {
	inst.stack[0] = 0
	inst.touched = true
	return inst.kernel.setInput(input)
}

// call runs one verb and appends its output to dst. A short call never looks at
// the clock; one whose caller has already given up does nothing.
func (inst *instance) call(ctx context.Context, dst []byte, verb int, q Request) ([]byte, *Error) {
	if err := ctx.Err(); err != nil {
		return nil, classify(cancelled(err), "")
	}
	k := inst.kernel
	if t := inst.begin(q.Input); t != nil {
		return nil, classify(t, "")
	}
	k.allow(1)
	k.config = q.Config
	k.start()
	err := inst.verb(verb).CallWithStack(k.during(ctx), inst.stack[:])
	k.running.Context = nil
	if q.Used != nil {
		q.Used.Fuel = k.used()
	}
	if err == nil && k.overdrawn() {
		err = k.spent()
	}
	if err != nil {
		k.failed = true
		return nil, classify(err, k.message())
	}
	return k.result(dst, int32(inst.stack[0]))
}

// result judges how a call ended that returned code. Error beats output.
func (k *kernel) result(dst []byte, code int32) ([]byte, *Error) {
	if code != 0 || k.memory.get(atError) != 0 {
		message := k.message()
		if message == "" {
			message = fmt.Sprintf("the module returned %d without a message", code)
		}
		return nil, &Error{Kind: KindCode, Message: message}
	}
	offset, length := k.memory.get(atOutput), k.memory.get(atOutputLength)
	if length == 0 {
		return nil, &Error{Kind: KindOutput, Message: "the module returned 0 without output"}
	}
	if length > uint64(k.limits.OutputBytes) {
		return nil, &Error{Kind: KindOutput, Limit: "output_kib", Message: fmt.Sprintf("%d bytes: at most %d", length, k.limits.OutputBytes)}
	}
	data, ok := k.memory.view(offset, length)
	if !ok {
		return nil, &Error{Kind: KindOutput, Message: fmt.Sprintf("offset %d, length %d is outside the host memory", offset, length)}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Kind: KindOutput, Message: "not UTF-8"}
	}
	return append(dst, data...), nil
}
