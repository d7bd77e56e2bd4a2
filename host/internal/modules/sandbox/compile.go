package sandbox

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// compiler compiles two modules at a time in other processes, and one in this: its use of
// resources can then be told from that of others. Calls keep a share of the processors.
type compiler struct {
	slot chan struct{}
	// ending is done when the runtime is about to be closed.
	ending context.Context
	end    context.CancelFunc
	argv   []string // of the compiling program; none: this process compiles
}

func newCompiler(argv []string) *compiler {
	c := &compiler{slot: make(chan struct{}, 1+min(len(argv), 1)), argv: argv}
	c.ending, c.end = context.WithCancel(context.Background())
	return c
}

// turn has do compile when few enough other modules are compiled. Its context ends when ctx
// does, when the runtime is closed, and by abandon; why it did is then the error.
func (c *compiler) turn(ctx context.Context, do func(ctx context.Context, abandon context.CancelCauseFunc) error) error {
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	defer context.AfterFunc(c.ending, func() { abandon(errClosed) })()
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := do(ctx, abandon)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// compile compiles rewritten code in this process, and returns it also in the form for other
// processes, nil when there is none. When abandoned, or beyond a limit, the engine finishes its
// current functions, one per worker; none of them may be large where no other process can be
// ended: see wasmbin.Work.
func (r *Runtime) compile(ctx context.Context, wasm []byte) (compiled wazero.CompiledModule, code []byte, err error) {
	err = r.compiler.turn(ctx, func(ctx context.Context, abandon context.CancelCauseFunc) (err error) {
		defer r.watch(abandon)()
		run := func() (err error) {
			compiled, err = r.engine.CompileModule(experimental.WithCompilationWorkers(ctx, workers()), wasm)
			return err
		}
		if r.carrier == nil {
			return run()
		}
		code, err = r.carrier.Compile(run)
		return err
	})
	return compiled, code, err
}

// workers is how many functions are compiled at once: at least two, since the
// engine looks at its context between functions only when there are several.
func workers() int { return max(2, runtime.GOMAXPROCS(0)) }

// watchEvery is how often the memory of a compilation is looked at.
const watchEvery = 20 * time.Millisecond

// watch abandons a compilation beyond its limits, until stop is called.
func (r *Runtime) watch(abandon context.CancelCauseFunc) (stop func()) {
	limits, before := r.limits, heapBytes()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		most := wallFactor * limits.CompileTime // this process's processor time is not the compilation's alone
		end := time.NewTimer(most)
		defer end.Stop()
		look := time.NewTicker(watchEvery)
		defer look.Stop()
		for {
			select {
			case <-done:
				return
			case <-end.C:
				abandon(late(most))
				return
			case <-look.C:
			}
			before = min(before, heapBytes()) // earlier garbage is not this module's
			if got := heapGrown(before, limits.CompileBytes); got > limits.CompileBytes {
				abandon(exceed("compile_mib", "compiling takes %d MiB of memory, at most %d", got>>20, limits.CompileBytes>>20))
				return
			}
		}
	}()
	return func() { close(done); <-stopped }
}

func late(most time.Duration) error {
	return exceed("compile_time", "compiling takes longer than %s", most)
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
