package sandbox

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// instance is one running copy of a module. One call at a time uses it.
type instance struct {
	guest    api.Module
	kernel   *kernel.Kernel
	exports  []string
	verbs    []verb // in the order of exports; see verb
	limits   Limits
	binary   *wasmbin.Result
	stack    [1]uint64
	tracking memory.Mode
	faults   memory.Faults

	slot *slot

	keeper  keeper
	linear  api.Memory // meaningful only where memory has a Region
	memory  memory.Tracked
	globals []api.MutableGlobal

	pristine   []uint64 // of globals
	restorable bool
	touched    bool // by a call since it was last pristine
}

// take returns a pristine instance: a ready one if there is any, else a new one.
func (m *Module) take(ctx context.Context) (*instance, *Error) {
	s, err := m.pool.take(ctx)
	if err != nil {
		return nil, err
	}
	if s.inst == nil {
		if err := m.fill(ctx, s); err != nil {
			return nil, err
		}
	}
	return s.inst, nil
}

// fill puts a new instance into a claimed slot. The start has limits of its own and ends with
// the runtime, not with ctx: on a very busy machine, callers giving up would otherwise begin it
// again for ever. A caller that gave up leaves the slot to it.
func (m *Module) fill(ctx context.Context, s *slot) *Error {
	done := make(chan *Error, 1)
	go func() {
		ctx, end := context.WithCancel(context.WithoutCancel(ctx))
		defer end()
		defer context.AfterFunc(m.rt.compiler.ending, end)() // Close waits for it
		done <- m.begin(ctx, s)
	}()
	select {
	case err := <-done:
		if err != nil {
			m.pool.free(ctx, s)
		}
		return err
	case <-ctx.Done():
		go func() {
			<-done
			m.pool.free(context.WithoutCancel(ctx), s)
			runtime.KeepAlive(m) // its cleanup closes the pool
		}()
		return trapped(kernel.Cancelled(ctx.Err()))
	}
}

// begin starts an instance in a claimed slot. Where memory is short, a module's first instance
// comes before the idle ones of others. RATIONALE.md, "Why does a start go on when its caller
// has given up?".
func (m *Module) begin(ctx context.Context, s *slot) *Error {
	inst, err := m.start(ctx)
	if err != nil && err.Limit == memorySetting && m.pool.count(slotReady, slotBusy) == 1 { // the starting one
		m.rt.pools.relieveAll()
		inst, err = m.start(ctx)
	}
	if err == nil {
		s.inst, inst.slot = inst, s
	}
	return err
}

// start makes a pristine instance, a copy of the module's first one after its initialisation,
// without a lock needed by calls on other instances.
func (m *Module) start(ctx context.Context) (*instance, *Error) {
	s, err := m.state(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Drop()
	inst, err := m.newInstance(ctx)
	if err != nil {
		return nil, err
	}
	if m.binary.Kept && !inst.is(s) {
		return inst, nil // for one call: its initial state is unknown
	}
	if err := inst.adopt(s); err != nil {
		inst.close(ctx)
		return nil, classify(err, "")
	}
	return inst, nil
}

// newInstance makes an instance able to adopt the snapshot. The tables of a Kept module refer to
// its own instance, so each goes the same way by itself.
func (m *Module) newInstance(ctx context.Context) (*instance, *Error) {
	if !m.binary.Kept {
		return m.instantiate(ctx)
	}
	inst, err := m.initialised(ctx)
	if err != nil {
		return nil, err
	}
	if !inst.keeper.keep() {
		inst.close(ctx)
		return nil, &Error{Kind: KindTrap, Message: "the module's tables cannot be kept"}
	}
	return inst, nil
}

// state returns the module's snapshot, made on first use. The caller holds a reference to it.
func (m *Module) state(ctx context.Context) (*snapshot, *Error) {
	if s := m.pool.state(); s != nil {
		return s, nil
	}
	m.pool.first <- struct{}{}
	defer func() { <-m.pool.first }()
	if s := m.pool.state(); s != nil {
		return s, nil
	}
	found, err := m.beginning(ctx)
	if err != nil {
		return nil, err
	}
	defer found.drop()
	image, short := memory.NewImage(found.memory, m.rt.memory)
	if short != nil {
		return nil, classify(short, "")
	}
	s := &snapshot{image, found.globals}
	s.Hold()
	m.pool.keep(s)
	return s, nil
}

// find makes the initial state of instances, on one of its own: only the module's initialisers
// have run. No verb has, so the state holds nothing of any call.
func (m *Module) find(ctx context.Context) (*state, *Error) {
	inst, err := m.initialised(ctx)
	if err != nil {
		return nil, err
	}
	found := &state{}
	found.read(inst)
	inst.close(ctx)
	return found, nil
}

// instantiate makes an instance and runs its start function, if any.
func (m *Module) instantiate(ctx context.Context) (*instance, *Error) {
	inst := &instance{
		limits: m.limits, binary: m.binary,
		exports: m.verbs, verbs: make([]verb, len(m.verbs)), tracking: m.rt.tracking,
	}
	var err error
	if inst.kernel, err = m.rt.host.New(ctx, m.name, m.limits.kernel(), inst.faults.Unpin); err != nil {
		return nil, &Error{Kind: KindMemory, Message: err.Error()}
	}
	inst.kernel.Allow(startFactor)
	if err := inst.makeGuest(ctx, m); err != nil {
		failure := classify(err, inst.kernel.Message())
		inst.release()
		return nil, failure
	}
	inst.bind()
	return inst, nil
}

// makeGuest makes the guest, in a memory of ours.
func (inst *instance) makeGuest(ctx context.Context, m *Module) (err error) {
	if most := uint64(m.binary.MemoryPages) * PageSize; m.binary.Memory && most > 0 {
		if inst.memory.Region = memory.Reserve(most, m.rt.memory); inst.memory.Region == nil {
			return &kernel.Trap{Kind: KindMemory, Message: "no addresses for another instance"}
		}
	}
	inst.guest, err = inst.kernel.Instantiate(ctx, m.pool.made.compiled, inst.memory.Region)
	return err
}

// bind looks up the functions and globals for restore.
func (inst *instance) bind() {
	inst.linear = inst.guest.Memory()
	for _, name := range inst.binary.Globals {
		inst.globals = append(inst.globals, mutable(inst.guest, name))
	}
	// A failed call does not return its counted stack.
	if g, ok := inst.guest.ExportedGlobal(wasmbin.StackGlobal).(api.MutableGlobal); ok {
		inst.globals = append(inst.globals, g)
	}
	if inst.binary.Kept {
		inst.keeper = newKeeper(inst.guest)
	}
}

// initialised makes an instance and runs its initialisers.
func (m *Module) initialised(ctx context.Context) (*instance, *Error) {
	inst, failure := m.instantiate(ctx)
	if failure != nil {
		return nil, failure
	}
	if err := inst.initialise(inst.context(ctx)); err != nil {
		failure := classify(err, inst.kernel.Message())
		inst.close(ctx)
		return nil, failure
	}
	inst.kernel.Reset()
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
	return inst.kernel.During(ctx)
}

// mutable returns a mutable global exported by the rewriter.
func mutable(guest api.Module, name string) api.MutableGlobal {
	return guest.ExportedGlobal(name).(api.MutableGlobal)
}

// close ends an instance. No call may run in it, and nothing of it may be used
// afterwards.
func (inst *instance) close(ctx context.Context) {
	_ = inst.guest.Close(ctx) // an instance no longer used; nothing can be lost
	inst.release()
}

func (inst *instance) release() {
	inst.memory.Release()
	inst.kernel.Close()
}

// verb returns an exported function.
func (inst *instance) verb(i int) api.Function {
	if inst.verbs[i].Function == nil {
		inst.verbs[i] = newVerb(inst.guest.ExportedFunction(inst.exports[i]))
	}
	return inst.verbs[i].Function
}

// rein drops a function with too large a stack.
func (inst *instance) rein(i int, failed bool) {
	if inst.verbs[i].bigStack(failed) {
		inst.verbs[i] = verb{}
	}
}
