package sandbox

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/callgate/callgate/host/sandbox/internal/memory"
)

// kernelWasm is kernel.wat, built by testdata/modules/build.sh (make wasm).
//
//go:embed kernel.wasm
var kernelWasm []byte

// kernel is the host's side of one instance: the module that serves its
// "extism:host/env", and the state behind that and behind the world that WASI
// shows. One call at a time uses it.
type kernel struct {
	memory hostMemory
	env    api.Module // the guest's "extism:host/env"
	meter
	world
	log    lines
	vars   vars
	config func(key string) (string, bool) // of the call; nil has no keys

	name   string
	limits Limits
	budget *memory.Budget // of all modules
	lent   int64          // what the budget counts beyond the soft part of the arena

	running callContext
	// unpin lets the goroutine of a call leave its thread. The first yield of a
	// call that takes long must call it; see memory.Faults.
	unpin func()
}

// linkKernel compiles the kernel, and makes known what it exports.
func (r *Runtime) linkKernel(ctx context.Context) (err error) {
	if _, err = linkHost(ctx, r.engine, kernelModule, envFunctions); err != nil {
		return err
	}
	if r.kernel, err = r.engine.CompileModule(ctx, kernelWasm); err != nil {
		return err
	}
	r.hosts[envModule], err = r.engine.InstantiateModule(ctx, r.kernel, unnamed)
	return err
}

// unnamed is how kernels and guests are instantiated: any number of the same,
// nothing of them run unasked, nothing of wazero's own WASI. Without a source of
// random numbers wazero would seed one, which takes longer than all the rest.
var unnamed = wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(strings.NewReader(""))

// newKernel makes the host's side of one instance of the module called name.
// Close it when the instance is closed.
func newKernel(ctx context.Context, r *Runtime, name string, limits Limits) (*kernel, error) {
	k := &kernel{name: name, limits: limits, budget: r.memory}
	k.running.kernel = k
	k.log.logger = r.logger
	size := k.memory.arrange(limits.arenaBytes())
	if k.memory.region = memory.Reserve(size, nil); k.memory.region == nil {
		return nil, fmt.Errorf("no addresses for %d KiB of host memory", size>>10)
	}
	env, err := r.engine.InstantiateModule(experimental.WithMemoryAllocator(ctx, k.memory.region.Allocator()), r.kernel, unnamed)
	if err != nil {
		k.memory.region.Release()
		return nil, fmt.Errorf("instantiate %s: %w", envModule, err)
	}
	k.env = env
	env.Memory().Grow(uint32(size/PageSize) - 1) // cannot fail: the addresses are there
	k.memory.bytes, _ = env.Memory().Read(0, uint32(size))
	k.reset()
	return k, nil
}

// reset forgets the last call altogether. What a call may use is not part of
// that: see meter.
func (k *kernel) reset() {
	k.memory.reset()
	k.budget.Give(k.lent)
	k.lent = 0
	k.world.reset()
	k.vars.reset()
	k.log.reset()
	k.config = nil
}

// close frees the kernel. Its guest must be closed by then.
func (k *kernel) close() {
	_ = k.env.Close(context.Background()) // frees memory only
	k.budget.Give(k.lent)
	k.memory.bytes, k.lent = nil, 0
	k.memory.region.Release()
}

// link lets the guest that is instantiated with the context import the kernel.
func (k *kernel) link(ctx context.Context) context.Context {
	return experimental.WithImportResolver(ctx, func(module string) api.Module {
		if module == envModule {
			return k.env
		}
		return nil
	})
}

// setInput starts a call with data as its input.
func (k *kernel) setInput(data []byte) *trap {
	offset, t := k.put(data)
	if t != nil {
		return t
	}
	k.memory.set(atInput, offset)
	k.memory.set(atInputLength, uint64(len(data)))
	return nil
}

// put stores data in a new block. No data is offset 0.
func (k *kernel) put(data []byte) (uint64, *trap) {
	if len(data) == 0 {
		return 0, nil
	}
	if end := k.memory.after(len(data)); end > k.memory.get(atLimit) {
		if end > k.memory.most {
			return 0, &trap{kind: KindMemory, message: fmt.Sprintf("%d bytes do not fit the host memory of %d", len(data), k.memory.most)}
		}
		if t := k.more(end); t != nil {
			return 0, t
		}
	}
	return k.memory.put(data), nil
}

// more lets the arena be used up to end, in large steps. Memory that all modules
// have together and have used up ends the call: what a guest is told must not
// depend on its neighbours.
func (k *kernel) more(end uint64) *trap {
	limit := k.memory.get(atLimit)
	next := min(max(end, 2*limit), k.memory.most)
	n := int64(next-limit) * 3 / 2 // the handles are half as large as the arena
	if short := k.budget.Take(n); short != nil {
		return shortage(short)
	}
	k.lent += n
	k.memory.set(atLimit, next)
	return nil
}

// message returns what the guest gave to error_set, as one clean line.
func (k *kernel) message() string {
	text, ok := k.memory.view(k.memory.get(atError), k.memory.get(atErrorLength))
	if !ok {
		return ""
	}
	return cleanBytes(text, k.limits.ErrorBytes)
}

// cleanBytes is Clean for bytes of which there may be many more than are shown.
func cleanBytes(text []byte, limit int) string {
	return Clean(string(text[:min(len(text), 4*limit)]), limit)
}

// kernelKey is the context key under which host functions find their kernel.
type kernelKey struct{}

// callContext carries the kernel of the instance that runs. It knows no other
// values: wazero asks for some at each call, and no guest has use for any.
type callContext struct {
	context.Context
	kernel *kernel
}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if _, ok := key.(kernelKey); ok {
		return c.kernel
	}
	return nil
}

// during returns the context that calls of the guest run in, for as long as
// ctx allows. It is valid until the next one.
func (k *kernel) during(ctx context.Context) context.Context {
	k.running.Context = ctx
	return &k.running
}

func kernelOf(ctx context.Context) *kernel {
	if c, ok := ctx.(*callContext); ok {
		return c.kernel
	}
	k, ok := ctx.Value(kernelKey{}).(*kernel) // while an instance starts
	if !ok {
		panic(&trap{kind: KindTrap, message: "a host function was called outside a call"})
	}
	return k
}
