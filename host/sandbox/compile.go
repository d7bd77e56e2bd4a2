package sandbox

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// compiler compiles one module at a time: what it takes can then be told from
// what others take, and calls keep a share of the processors.
type compiler struct {
	slot chan struct{}
	// ending is done when the runtime is about to be closed.
	ending context.Context
	end    context.CancelFunc
}

func newCompiler() *compiler {
	c := &compiler{slot: make(chan struct{}, 1)}
	c.ending, c.end = context.WithCancel(context.Background())
	return c
}

// compile compiles rewritten code, and returns it in the form that can be kept
// too, nil when nothing is. It ends when ctx does, when the runtime is closed, and
// when it takes more than it may; the engine then finishes the functions it works at,
// one per worker, none of which may be large: see wasmbin.Work.
func (r *Runtime) compile(ctx context.Context, wasm []byte) (compiled wazero.CompiledModule, code []byte, err error) {
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	defer context.AfterFunc(r.compiler.ending, func() { abandon(errClosed) })()
	select {
	case r.compiler.slot <- struct{}{}:
		defer func() { <-r.compiler.slot }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	defer r.watch(abandon)()
	run := func() (err error) {
		compiled, err = r.engine.CompileModule(experimental.WithCompilationWorkers(ctx, workers()), wasm)
		return err
	}
	if r.kept == nil {
		err = run()
	} else {
		code, err = r.kept.bridge.Compile(run)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return compiled, code, err
}

// workers is how many functions are compiled at once: at least two, since the
// engine looks at its context between functions only when there are several.
func workers() int { return max(2, runtime.GOMAXPROCS(0)) }

// watchEvery is how often the memory of a compilation is looked at.
const watchEvery = 20 * time.Millisecond

// watch abandons a compilation that takes too much, until stop is called.
func (r *Runtime) watch(abandon context.CancelCauseFunc) (stop func()) {
	limits, before := r.limits, heapBytes()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		late := time.NewTimer(limits.CompileTime)
		defer late.Stop()
		look := time.NewTicker(watchEvery)
		defer look.Stop()
		for {
			select {
			case <-done:
				return
			case <-late.C:
				abandon(exceed("compile_time", "compiling takes longer than %s", limits.CompileTime))
				return
			case <-look.C:
			}
			before = min(before, heapBytes()) // what was garbage then is not this module's
			if got := heapGrown(before, limits.CompileBytes); got > limits.CompileBytes {
				abandon(exceed("compile_mib", "compiling takes %d MiB of memory, at most %d", got>>20, limits.CompileBytes>>20))
				return
			}
		}
	}()
	return func() { close(done); <-stopped }
}

// heapGrown returns how much larger the heap is, garbage not counted when it
// would make the difference.
func heapGrown(before, most int64) int64 {
	if got := heapBytes() - before; got <= most {
		return got
	}
	runtime.GC()
	return heapBytes() - before
}

// heapBytes is the size of the Go heap's objects, those not yet swept too.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
