package kernel

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// Kernel is the host's side of one instance: the module serving its "extism:host/env", and the
// state behind it and behind WASI's world. One call at a time uses it.
type Kernel struct {
	memory hostMemory
	engine wazero.Runtime
	env    api.Module // the guest's "extism:host/env"
	meter
	world
	log    lines
	vars   vars
	config func(key string) (string, bool) // of the call; nil has no keys
	called bool                            // a verb runs, not the start of the instance

	name   string
	limits Limits
	budget *memory.Budget // of all modules
	lent   int64          // counted by the budget beyond the soft part of the arena

	running callContext
	unpin   func() // may be nil; see Host.New
}

// New makes the host's side of one instance of the module called name. unpin lets the goroutine
// of a call leave its thread: the first yield of a long call calls it; see memory.Faults. Close
// it after the instance.
func (h *Host) New(ctx context.Context, name string, limits Limits, unpin func()) (*Kernel, error) {
	k := &Kernel{name: name, limits: limits, budget: h.budget, unpin: unpin}
	k.running.kernel = k
	k.log.logger = h.logger
	size := k.memory.arrange(limits.ArenaBytes)
	if k.memory.region = memory.Reserve(size, nil); k.memory.region == nil {
		return nil, fmt.Errorf("no addresses for %d KiB of host memory", size>>10)
	}
	env, err := h.engine.InstantiateModule(experimental.WithMemoryAllocator(ctx, k.memory.region.Allocator()), h.kernel, unnamed)
	if err != nil {
		k.memory.region.Release()
		return nil, fmt.Errorf("instantiate %s: %w", EnvModule, err)
	}
	k.engine, k.env = h.engine, env
	env.Memory().Grow(uint32(size/memory.PageSize) - 1) // cannot fail: the addresses are there
	k.memory.bytes, _ = env.Memory().Read(0, uint32(size))
	k.Reset()
	return k, nil
}

// Reset forgets the last call altogether, except its limits: see meter.
func (k *Kernel) Reset() {
	k.memory.reset()
	k.budget.Give(k.lent)
	k.lent = 0
	k.world.reset()
	k.vars.reset()
	k.log.reset()
	k.config, k.called = nil, false
}

// Close frees the kernel. Its guest must be closed by then.
func (k *Kernel) Close() {
	_ = k.env.Close(context.Background()) // frees memory only
	k.budget.Give(k.lent)
	k.memory.bytes, k.lent = nil, 0
	k.memory.region.Release()
}

// Memory is the kernel's own memory, for who measures it. It is valid until Close.
func (k *Kernel) Memory() []byte { return k.memory.region.Bytes() }

// Instantiate makes the guest of the host's side k, and runs its start function, if any. Its
// memory is linear, which is nil where it has none.
func (k *Kernel) Instantiate(ctx context.Context, compiled wazero.CompiledModule, linear *memory.Region) (guest api.Module, err error) {
	ctx = experimental.WithImportResolver(k.During(ctx), k.resolve)
	if linear != nil {
		ctx = experimental.WithMemoryAllocator(ctx, linear.Allocator())
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *memory.Short: // no memory to begin with: no other code catches it here
			err = r
		default:
			panic(r)
		}
	}()
	if guest, err = k.engine.InstantiateModule(ctx, compiled, unnamed); err != nil {
		return nil, err
	}
	if linear != nil && !linear.Holds(guest.Memory()) {
		_ = guest.Close(ctx) // the error says more
		return nil, errors.New("the engine has put the guest's memory elsewhere")
	}
	k.bind(guest)
	return guest, nil
}

// resolve lets a guest import the kernel.
func (k *Kernel) resolve(module string) api.Module {
	if module == EnvModule {
		return k.env
	}
	return nil
}

// SetInput starts a call with data as its input.
func (k *Kernel) SetInput(data []byte) *Trap {
	offset, t := k.put(data)
	if t != nil {
		return t
	}
	k.memory.set(atInput, offset)
	k.memory.set(atInputLength, uint64(len(data)))
	return nil
}

// put stores data in a new block. No data is offset 0.
func (k *Kernel) put(data []byte) (uint64, *Trap) {
	if len(data) == 0 {
		return 0, nil
	}
	if end := k.memory.after(len(data)); end > k.memory.get(atLimit) {
		if end > k.memory.most {
			return 0, &Trap{Kind: KindMemory, Message: fmt.Sprintf("%d bytes do not fit the host memory of %d", len(data), k.memory.most)}
		}
		if t := k.more(end); t != nil {
			return 0, t
		}
	}
	return k.memory.put(data), nil
}

// more extends the arena to end, in large steps. If the common memory of all modules is used
// up, the call ends: an answer to a guest must not depend on its neighbours.
func (k *Kernel) more(end uint64) *Trap {
	limit := k.memory.get(atLimit)
	next := min(max(end, 2*limit), k.memory.most)
	n := int64(next-limit) * 3 / 2 // the handles are half as large as the arena
	if short := k.budget.Take(n); short != nil {
		return Shortage(short)
	}
	k.lent += n
	k.memory.set(atLimit, next)
	return nil
}

// Message returns the guest's text for error_set, as one clean line.
func (k *Kernel) Message() string {
	text, ok := k.memory.view(k.memory.get(atError), k.memory.get(atErrorLength))
	if !ok {
		return ""
	}
	return cleanBytes(text, k.limits.ErrorBytes)
}

// kernelKey is the context key of host functions for their kernel.
type kernelKey struct{}

// callContext carries the kernel of the running instance. It has no other values: wazero looks
// some up at each call, and no guest has use for any.
type callContext struct {
	context.Context
	kernel *Kernel
}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if _, ok := key.(kernelKey); ok {
		return c.kernel
	}
	return nil
}

// During returns the context for calls of the guest, within ctx. It is valid until the next
// one.
func (k *Kernel) During(ctx context.Context) context.Context {
	k.running.Context = ctx
	return &k.running
}

func kernelOf(ctx context.Context) *Kernel {
	if c, ok := ctx.(*callContext); ok {
		return c.kernel
	}
	k, ok := ctx.Value(kernelKey{}).(*Kernel) // while an instance starts
	if !ok {
		panic(&Trap{Kind: KindTrap, Message: "a host function was called outside a call"})
	}
	return k
}
