package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// instance is one running copy of a module. One call at a time uses it.
type instance struct {
	guest  api.Module
	kernel *kernel
	verbs  []api.Function // in the order of Module.verbs; looking one up costs microseconds
	limits Limits
	binary *wasmbin.Result
	stack  [1]uint64

	globals    []api.MutableGlobal
	fuel       api.MutableGlobal
	generation int       // of the pool
	tracker    tracker   // nil where there is none
	tracked    bool      // the tracker has adopted pristine
	pristine   *snapshot // nil when only a new instance is as new
}

// start makes a pristine instance: the module's first one is initialised and
// warmed up, later ones are copies of what it was then. A module that cannot be
// restored is initialised each time.
func (m *Module) start(ctx context.Context) (*instance, *Error) {
	if !m.binary.Restorable {
		return m.initialised(ctx)
	}
	m.pool.first.Lock()
	defer m.pool.first.Unlock()
	if m.pool.snapshot == nil {
		return m.startFirst(ctx)
	}
	return m.copied(ctx)
}

// startFirst finds the module's snapshot, on an instance of its own, and makes
// the first copy. A module that does not survive its warm-up has the state it
// was initialised to.
func (m *Module) startFirst(ctx context.Context) (*instance, *Error) {
	inst, err := m.initialised(ctx)
	if err != nil {
		return nil, err
	}
	state := m.warmUp(ctx, inst)
	inst.close(ctx)
	if ctx.Err() != nil { // it may have ended for the caller's reasons
		return nil, classify(cancelled(ctx.Err()), "")
	}
	if state == nil {
		if inst, err = m.initialised(ctx); err != nil {
			return nil, err
		}
		state = inst.snapshot()
		inst.close(ctx)
	}
	state.memory.share()
	m.pool.snapshot = state
	return m.copied(ctx)
}

// copied makes an instance in the state of the snapshot.
func (m *Module) copied(ctx context.Context) (*instance, *Error) {
	inst, err := m.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	if !inst.adopt(m.pool.snapshot) {
		inst.close(ctx)
		return nil, &Error{Kind: KindMemory, Message: "no memory for another instance"}
	}
	return inst, nil
}

// instantiate makes an instance and runs its start function, if any.
func (m *Module) instantiate(ctx context.Context) (*instance, *Error) {
	inst := &instance{kernel: newKernel(m.name, m.limits, m.rt.logger), limits: m.limits, binary: m.binary, generation: m.pool.now()}
	inst.kernel.deadline = time.Now().Add(startFactor * m.limits.Timeout)
	inst.tracker = newTracker(uint64(m.binary.MemoryPages) * PageSize)
	guest, err := m.rt.engine.InstantiateModule(inst.withMemory(inst.context(ctx)), m.pool.compiled, inst.kernel.config())
	if err != nil {
		inst.release()
		return nil, classify(err, inst.kernel.message())
	}
	inst.guest = guest
	for _, name := range m.verbs {
		inst.verbs = append(inst.verbs, guest.ExportedFunction(name))
	}
	inst.bind()
	return inst, nil
}

// withMemory lets the guest's memory be the tracker's.
func (inst *instance) withMemory(ctx context.Context) context.Context {
	if inst.tracker == nil {
		return ctx
	}
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory {
		return inst.tracker
	}))
}

// initialised makes an instance and runs its initialisers.
func (m *Module) initialised(ctx context.Context) (*instance, *Error) {
	inst, failure := m.instantiate(ctx)
	if failure != nil {
		return nil, failure
	}
	if err := inst.initialise(inst.context(ctx)); err != nil {
		failure := classify(err, inst.kernel.message())
		inst.close(ctx)
		return nil, failure
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

// context is ctx with the instance's kernel, for host functions.
func (inst *instance) context(ctx context.Context) context.Context {
	return &callContext{ctx, inst.kernel}
}

// mutable returns a mutable global that the rewriter has exported.
func mutable(guest api.Module, name string) api.MutableGlobal {
	return guest.ExportedGlobal(name).(api.MutableGlobal)
}

// close ends an instance. No call may run in it, and nothing of it may be used
// afterwards.
func (inst *instance) close(ctx context.Context) {
	_ = inst.guest.Close(ctx) // an instance that is done with; nothing can be lost
	inst.release()
}

func (inst *instance) release() {
	if inst.tracker != nil {
		inst.tracker.release()
	}
}
