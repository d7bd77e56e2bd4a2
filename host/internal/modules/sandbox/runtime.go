package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// Config says how a Runtime works.
type Config struct {
	// CacheDir is the directory for compiled code between processes, with its authentication
	// key; it is made with mode 0700, and refused when writable by others. Empty means no
	// cache.
	CacheDir string
	// Compiler is the command for compiling a module in another process: the absolute path of a
	// program that calls CompileModule, and its arguments. Such a module cannot stall, bloat or
	// end this process. Empty means: this process compiles, with estimates and watches for
	// bounds.
	Compiler []string
	// Report hears of unused kept code because of a defect, and of code that cannot be kept:
	// neither costs more than time. Nil drops it.
	Report func(error)
	// Memory (modules.memory_mib) caps, in bytes, the memory of all modules
	// together. Default 1 GiB.
	Memory int64
	// Limits hold for each module loaded, unless WithLimits says otherwise.
	Limits Limits
	// Logger gets the guests' warnings and errors. Nil drops them.
	Logger *slog.Logger
}

// defaultMemory is Config.Memory's, in bytes.
const defaultMemory = 1 << 30

// Runtime compiles and runs modules. It is safe for concurrent use.
type Runtime struct {
	engine   wazero.Runtime
	cache    wazero.CompilationCache
	carrier  *carrier // nil: code stays in this process
	kept     *kept    // nil: no code is kept
	compiler *compiler
	host     *kernel.Host
	limits   Limits
	logger   *slog.Logger
	use      *usage
	pools    *pools
	memory   *memory.Budget
	tracking memory.Mode // how instances are restored
	report   func(error) // never nil
}

// usage keeps the engine from being closed under a running guest.
type usage struct {
	sync.RWMutex
	closed bool
}

// New returns a Runtime. Close it when all its modules are done with.
func New(ctx context.Context, cfg Config) (*Runtime, error) {
	return newRuntime(ctx, cfg, len(cfg.Compiler) > 0)
}

// newRuntime is New. With carry the engine takes code from elsewhere, as with a cache.
func newRuntime(ctx context.Context, cfg Config, carry bool) (*Runtime, error) {
	r := &Runtime{
		limits: cfg.Limits.or(defaults), logger: cfg.Logger, use: &usage{}, compiler: newCompiler(cfg.Compiler),
		pools: newPools(), tracking: memory.Best(),
	}
	r.memory = memory.NewBudget(cmp.Or(max(cfg.Memory, 0), defaultMemory), r.pools.relieve)
	if r.limits.MemoryPages > PageSize {
		return nil, fmt.Errorf("sandbox: memory limit of %d pages: at most %d", r.limits.MemoryPages, PageSize)
	}
	if err := r.open(ctx, cfg, carry); err != nil {
		return nil, err
	}
	host, err := kernel.Link(ctx, r.engine, r.memory, r.logger)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), r.Close(ctx))
	}
	r.host = host
	return r, nil
}

// open opens the cache and the engine.
func (r *Runtime) open(ctx context.Context, cfg Config, carry bool) (err error) {
	if r.report = cfg.Report; r.report == nil {
		r.report = func(error) {}
	}
	if r.kept, err = openKept(cfg.CacheDir, r.report); err != nil {
		return err
	}
	if err := r.openEngine(ctx, carry || r.kept != nil); err != nil {
		r.report(fmt.Errorf("compiled code is not kept, nor made in another process: %w", errors.Join(err, r.kept.close())))
		r.kept = nil
	}
	return nil
}

// WithLimits returns a view of r with other limits for loading; a zero field keeps r's own.
// Memory cannot exceed that of r. The view is closed with r.
func (r *Runtime) WithLimits(l Limits) *Runtime {
	view := *r
	view.limits = l.or(r.limits)
	view.limits.MemoryPages = min(view.limits.MemoryPages, r.limits.MemoryPages)
	return &view
}

// begin holds the engine open for a load until end; false when it is closed or about to be. It
// never waits: Close waits for the running calls.
func (u *usage) begin() bool {
	if !u.TryRLock() {
		return false
	}
	if u.closed {
		u.RUnlock()
		return false
	}
	return true
}

func (u *usage) end() { u.RUnlock() }

// Close frees all modules of r, after the running calls, at most their time-out. Later calls
// fail.
func (r *Runtime) Close(ctx context.Context) error {
	r.compiler.end()
	r.use.Lock()
	defer r.use.Unlock()
	if r.use.closed {
		return nil
	}
	r.use.closed = true
	r.pools.close(ctx)
	err := r.engine.Close(ctx)
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(ctx))
	}
	return errors.Join(err, r.kept.close())
}
