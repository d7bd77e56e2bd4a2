package sandbox

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"
)

// instance is one running copy of a module. One call at a time uses it.
type instance struct {
	guest  api.Module
	kernel *kernel
	verbs  []api.Function // in the order of Module.verbs; looking one up costs microseconds
	limits Limits
	stack  [1]uint64
}

// start makes an instance and initialises it as the ABI says.
func (m *Module) start(ctx context.Context) (*instance, *Error) {
	inst := &instance{kernel: newKernel(m.name, m.limits, m.rt.logger), limits: m.limits}
	ctx, cancel := inst.context(ctx, startFactor*m.limits.Timeout)
	defer cancel()
	guest, err := m.rt.engine.InstantiateModule(ctx, m.pool.compiled, inst.kernel.config())
	if err != nil {
		return nil, classify(err, inst.kernel.message())
	}
	inst.guest = guest
	if err := inst.initialise(ctx); err != nil {
		failure := classify(err, inst.kernel.message())
		inst.close(ctx)
		return nil, failure
	}
	for _, name := range m.verbs {
		inst.verbs = append(inst.verbs, guest.ExportedFunction(name))
	}
	inst.kernel.reset()
	return inst, nil
}

// initialise runs `_initialize` or, without it, `__wasm_call_ctors`, and then
// `hs_init(0, 0)` where there is one (Haskell); never `_start`.
func (inst *instance) initialise(ctx context.Context) error {
	for _, name := range []string{"_initialize", "__wasm_call_ctors"} {
		if f := inst.guest.ExportedFunction(name); f != nil {
			if err := initCall(ctx, name, f); err != nil {
				return err
			}
			break
		}
	}
	if f := inst.guest.ExportedFunction("hs_init"); f != nil {
		return initCall(ctx, "hs_init", f)
	}
	return nil
}

// initCall passes as many zeros as f takes.
func initCall(ctx context.Context, name string, f api.Function) error {
	if _, err := f.Call(ctx, make([]uint64, len(f.Definition().ParamTypes()))...); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (inst *instance) context(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	return &callContext{ctx, inst.kernel}, cancel
}

// call runs one verb and copies its output out of the host memory.
func (inst *instance) call(ctx context.Context, verb int, input []byte) ([]byte, *Error) {
	if err := inst.kernel.setInput(input); err != nil {
		return nil, &Error{Kind: KindInput, Message: err.Error()}
	}
	ctx, cancel := inst.context(ctx, inst.limits.Timeout)
	defer cancel()
	inst.stack[0] = 0
	if err := inst.verbs[verb].CallWithStack(ctx, inst.stack[:]); err != nil {
		return nil, classify(err, inst.kernel.message())
	}
	return inst.kernel.result(int32(inst.stack[0]))
}

// result judges how a call ended that returned code. Error beats output.
func (k *kernel) result(code int32) ([]byte, *Error) {
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
		return nil, &Error{Kind: KindOutput, Message: fmt.Sprintf("%d bytes: at most %d", k.outputLength, k.limits.OutputBytes)}
	}
	data, ok := k.arena.view(k.output, k.outputLength)
	if !ok {
		return nil, &Error{Kind: KindOutput, Message: fmt.Sprintf("offset %d, length %d is outside the host memory", k.output, k.outputLength)}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Kind: KindOutput, Message: "not UTF-8"}
	}
	return append([]byte(nil), data...), nil
}

// restore puts the instance back to the state it was started with, and reports
// whether it could.
func (inst *instance) restore() bool { return false }

func (inst *instance) close(ctx context.Context) {
	_ = inst.guest.Close(ctx) // an instance that is done with; nothing can be lost
}
