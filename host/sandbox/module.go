package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
)

// Module is a loaded tool module. It is safe for concurrent use: each call
// runs in an instance of its own.
type Module struct {
	rt     *Runtime
	name   string
	digest string
	size   int
	verbs  []string
	limits Limits
	pool   *pool
}

// pool is what a Module owns; it outlives the Module by its cleanup.
type pool struct {
	compiled wazero.CompiledModule
	slots    chan struct{} // one per call that runs

	mu      sync.Mutex
	idle    []*instance
	running int
	closed  bool
}

func newModule(r *Runtime, name string, compiled wazero.CompiledModule, verbs []string, digest string, size int) *Module {
	m := &Module{rt: r, name: name, digest: digest, size: size, verbs: verbs, limits: r.limits}
	m.pool = &pool{compiled: compiled, slots: make(chan struct{}, poolSize())}
	// A catalogue that swaps modules cannot know when the last decision is done
	// with the old one; the collector does.
	runtime.AddCleanup(m, func(p *pool) { p.close(context.Background()) }, m.pool)
	return m
}

// poolSize is the most instances of one module that run, or wait, at a time.
func poolSize() int { return 2 * runtime.GOMAXPROCS(0) }

// Name returns the name the module was loaded by.
func (m *Module) Name() string { return m.name }

// Digest returns the sha256 of the module's bytes, in hex.
func (m *Module) Digest() string { return m.digest }

// Size returns the number of the module's bytes.
func (m *Module) Size() int { return m.size }

// Has reports whether the module exports the verb.
func (m *Module) Has(export string) bool { return slices.Contains(m.verbs, export) }

// Call runs one export on input and returns its output, which is never empty
// and always valid UTF-8. Any failure is an *Error. The call ends with ctx, and
// at the latest after Limits.Timeout.
func (m *Module) Call(ctx context.Context, export string, input []byte) ([]byte, error) {
	output, err := m.call(ctx, export, input)
	if err != nil {
		err.Module, err.Export = m.name, export
		return nil, err
	}
	return output, nil
}

func (m *Module) call(ctx context.Context, export string, input []byte) ([]byte, *Error) {
	verb := slices.Index(m.verbs, export)
	if verb < 0 {
		return nil, &Error{Kind: KindTrap, Message: "the module has no such export"}
	}
	if len(input) > m.limits.InputBytes {
		return nil, &Error{Kind: KindInput, Message: fmt.Sprintf("%d bytes: at most %d", len(input), m.limits.InputBytes)}
	}
	select {
	case m.pool.slots <- struct{}{}:
		defer func() { <-m.pool.slots }()
	case <-ctx.Done():
		return nil, &Error{Kind: KindCancelled, Message: "no instance was free in time", cause: ctx.Err()}
	}
	inst, err := m.take(ctx)
	if err != nil {
		return nil, err
	}
	output, err := inst.call(ctx, verb, input)
	runtime.KeepAlive(m)
	m.pool.put(ctx, inst, err == nil)
	return output, err
}

// take returns a pristine instance, an idle one if there is any.
func (m *Module) take(ctx context.Context) (*instance, *Error) {
	inst, ok := m.pool.take()
	if !ok {
		return nil, &Error{Kind: KindCancelled, Message: "the module is closed"}
	}
	if inst != nil {
		return inst, nil
	}
	inst, err := m.start(ctx)
	if err != nil {
		m.pool.release(ctx)
	}
	return inst, err
}

// Close frees the module. Calls that run are finished; later ones fail.
func (m *Module) Close(ctx context.Context) { m.pool.close(ctx) }

// take counts a running call and returns an idle instance or nil; false when
// the pool is closed.
func (p *pool) take() (*instance, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	p.running++
	if n := len(p.idle); n > 0 {
		inst := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return inst, true
	}
	return nil, true
}

// put takes an instance back after a call. It is kept only when the call went
// well and its state could be restored.
func (p *pool) put(ctx context.Context, inst *instance, sound bool) {
	keep := sound && inst.restore()
	p.mu.Lock()
	if keep = keep && !p.closed; keep {
		p.idle = append(p.idle, inst)
	}
	p.mu.Unlock()
	if !keep {
		inst.close(ctx)
	}
	p.release(ctx)
}

// release ends a call; the last one after close frees the compiled code.
func (p *pool) release(ctx context.Context) {
	p.mu.Lock()
	p.running--
	last := p.closed && p.running == 0
	p.mu.Unlock()
	if last {
		_ = p.compiled.Close(ctx) // frees memory only
	}
}

func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	idle, last := p.idle, p.running == 0
	p.idle = nil
	p.mu.Unlock()
	for _, inst := range idle {
		inst.close(ctx)
	}
	if last {
		_ = p.compiled.Close(ctx) // frees memory only
	}
}
