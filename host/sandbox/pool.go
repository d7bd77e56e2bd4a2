package sandbox

import (
	"context"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
)

// pool is what a Module owns: the compiled code and the instances that wait.
// It outlives the Module by its cleanup.
type pool struct {
	compiled wazero.CompiledModule
	use      *usage
	slots    chan struct{} // one per call that runs

	mu      sync.Mutex
	idle    []*instance
	running int
	closed  bool

	// first is held while an instance is made; snapshot is the state of the
	// first one, which all others share.
	first    sync.Mutex
	snapshot *snapshot
	// generation counts how often the snapshot was forgotten.
	generation int
}

func newPool(compiled wazero.CompiledModule, use *usage) *pool {
	// As many as run are kept: twice the processors, since calls may wait for them.
	return &pool{compiled: compiled, use: use, slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
}

// take begins a call, when a slot is free, and returns an idle instance or nil.
func (p *pool) take(ctx context.Context) (*instance, *Error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		e := classify(cancelled(ctx.Err()), "")
		e.Message += " before an instance was free"
		return nil, e
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.use.begin() {
		<-p.slots
		return nil, &Error{Kind: KindCancelled, Message: "the module is closed"}
	}
	p.running++
	n := len(p.idle)
	if n == 0 {
		return nil, nil
	}
	inst := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return inst, nil
}

// put takes an instance back after a call. It is kept only when the call went
// well and its state could be restored.
func (p *pool) put(ctx context.Context, inst *instance, sound bool) {
	keep := sound && inst.restore()
	p.mu.Lock()
	if keep = keep && !p.closed && inst.generation == p.generation; keep {
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
	p.use.end()
	<-p.slots
}

// now returns the generation that a new instance belongs to.
func (p *pool) now() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.generation
}

// forget drops the snapshot and the instances that wait. Those that run are
// dropped when they come back. The caller holds first.
func (p *pool) forget(ctx context.Context) {
	if !p.use.begin() {
		return
	}
	defer p.use.end()
	p.mu.Lock()
	idle := p.idle
	p.idle, p.snapshot = nil, nil
	p.generation++
	p.mu.Unlock()
	for _, inst := range idle {
		inst.close(ctx)
	}
}

func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	already := p.closed
	p.closed = true
	idle, last := p.idle, p.running == 0
	p.idle = nil
	p.mu.Unlock()
	if already || !p.use.begin() {
		return // closed before, or with the whole runtime
	}
	defer p.use.end()
	for _, inst := range idle {
		inst.close(ctx)
	}
	if last {
		_ = p.compiled.Close(ctx) // frees memory only
	}
}
