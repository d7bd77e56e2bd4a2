package sandbox

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
)

// pool is the property of a Module: the compiled code and the instances. It outlives the Module
// by its cleanup, and knows nothing of it.
//
// Each instance has a slot, and a call claims one by a single atomic instruction. A processor
// tries its last slot first, so two of them neither wait for each other nor move an instance's
// memory between their caches.
type pool struct {
	made   *made
	pools  *pools // of the Runtime, this one among them
	slots  []slot
	recent sync.Pool // of *slot: those used last, by processor

	// waiting is how many calls are in the queue. As long as it is not zero, a freed slot goes
	// to the first of them.
	waiting atomic.Int32
	closed  atomic.Bool

	mu       sync.Mutex
	queue    []chan *slot // nil is sent when the pool is closed
	snapshot *snapshot    // nil before the first call
	buried   int          // dead slots
	done     chan struct{}

	// first is held during the making of the snapshot.
	first chan struct{}
	idler idler
}

// slot is the place of an instance. Who has claimed it owns all of it.
type slot struct {
	state atomic.Uint32
	inst  *instance
	ticks int // of the pool's idler since the last call

	_ [128 - 24]byte // two processors write to two slots
}

// The states of a slot.
const (
	slotEmpty uint32 = iota // its claimer makes an instance
	slotReady               // holds an idle instance
	slotBusy                // claimed
	slotDead                // of a closed pool
)

// RATIONALE.md, "Why has a pool no lock on the ready path?".
func (s *slot) claim(from uint32) bool {
	return s.state.Load() == from && s.state.CompareAndSwap(from, slotBusy)
}

func newPool(got *made, instances int, all *pools) *pool {
	p := &pool{
		made: got, pools: all, slots: make([]slot, instances),
		done: make(chan struct{}), first: make(chan struct{}, 1),
	}
	all.join(p)
	return p
}

// take claims a slot: one with an instance if any is ready, else an empty one, else the next to
// become free, in the order of the calls.
func (p *pool) take(ctx context.Context) (*slot, *Error) {
	if p.waiting.Load() == 0 {
		if s := p.claim(); s != nil {
			return s, nil
		}
	}
	return p.wait(ctx)
}

// claim claims a slot if any is free.
func (p *pool) claim() *slot {
	if s, ok := p.recent.Get().(*slot); ok && s.claim(slotReady) {
		return s
	}
	for _, state := range []uint32{slotReady, slotEmpty} {
		for i := range p.slots {
			if p.slots[i].claim(state) {
				return &p.slots[i]
			}
		}
	}
	return nil
}

func (p *pool) wait(ctx context.Context) (*slot, *Error) {
	turn := make(chan *slot, 1)
	p.mu.Lock()
	if p.closed.Load() {
		p.mu.Unlock()
		return nil, poolClosed()
	}
	p.queue = append(p.queue, turn)
	p.waiting.Add(1)
	p.serve() // slots freed before our waiting was visible
	p.mu.Unlock()
	select {
	case s := <-turn:
		if s == nil {
			return nil, poolClosed()
		}
		return s, nil
	case <-ctx.Done():
		p.leave(turn)
		e := trapped(kernel.Cancelled(ctx.Err()))
		e.Message += " before an instance was free"
		return nil, e
	}
}

func poolClosed() *Error {
	return &Error{Kind: KindCancelled, Message: "the module is closed"}
}

// serve gives free slots to those who wait. The caller holds mu.
func (p *pool) serve() {
	for len(p.queue) > 0 {
		s := p.claim()
		if s == nil {
			return
		}
		p.queue[0] <- s
		p.queue = slices.Delete(p.queue, 0, 1)
		p.waiting.Add(-1)
	}
}

// leave takes a call out of the queue, or passes on its slot.
func (p *pool) leave(turn chan *slot) {
	p.mu.Lock()
	if i := slices.Index(p.queue, turn); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		p.waiting.Add(-1)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	if s := <-turn; s != nil {
		p.free(context.Background(), s)
	}
}

// put takes an instance back after a call. It is kept if it could be restored to its snapshot,
// even after a failed call.
func (p *pool) put(ctx context.Context, inst *instance) {
	s := inst.slot
	if !inst.restore() {
		inst.close(ctx)
		s.inst = nil
	}
	s.ticks = 0
	kept := s.inst != nil // the slot is another's after free
	p.free(ctx, s)
	if kept {
		p.idler.wake(p)
	}
}

// free gives up a claimed slot.
func (p *pool) free(ctx context.Context, s *slot) {
	if s.inst == nil {
		s.state.Store(slotEmpty)
	} else {
		p.recent.Put(s)
		s.state.Store(slotReady)
	}
	if p.waiting.Load() > 0 {
		p.mu.Lock()
		p.serve()
		p.mu.Unlock()
	}
	if p.closed.Load() {
		p.bury(ctx)
	}
}

// reclaim closes idle instances until enough says so, for memory needed by others. It leaves
// the pool least instances, those in use among them.
func (p *pool) reclaim(ctx context.Context, least int, enough func() bool) {
	have := p.count(slotReady, slotBusy)
	for i := range p.slots {
		if have <= least || enough() {
			return
		}
		if s := &p.slots[i]; s.claim(slotReady) {
			s.inst.close(ctx)
			s.inst = nil
			p.free(ctx, s)
			have--
		}
	}
}

// count counts the slots in one of some states.
func (p *pool) count(states ...uint32) (n int) {
	for i := range p.slots {
		if slices.Contains(states, p.slots[i].state.Load()) {
			n++
		}
	}
	return n
}

// state returns the snapshot, held; nil when there is none.
func (p *pool) state() *snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.snapshot != nil {
		p.snapshot.Hold()
	}
	return p.snapshot
}

// keep makes s the snapshot of all instances, and the pool its holder; nil drops it.
func (p *pool) keep(s *snapshot) {
	p.mu.Lock()
	old := p.snapshot
	p.snapshot = s
	p.mu.Unlock()
	if old != nil {
		old.Drop()
	}
}

// close ends the pool. Running calls are finished; done is closed after the last of them.
func (p *pool) close(ctx context.Context) {
	if !p.closed.CompareAndSwap(false, true) {
		return
	}
	p.mu.Lock()
	for _, turn := range p.queue {
		turn <- nil
	}
	p.queue = nil
	p.waiting.Store(0)
	p.mu.Unlock()
	p.idler.stop()
	p.bury(ctx)
}

// bury ends the unclaimed slots; with the last one, the whole pool.
func (p *pool) bury(ctx context.Context) {
	for i := range p.slots {
		s := &p.slots[i]
		if !s.claim(slotReady) && !s.claim(slotEmpty) {
			continue
		}
		if s.inst != nil {
			s.inst.close(ctx)
			s.inst = nil
		}
		s.state.Store(slotDead)
		p.mu.Lock()
		p.buried++
		last := p.buried == len(p.slots)
		p.mu.Unlock()
		if last {
			p.end(ctx)
		}
	}
}

func (p *pool) end(ctx context.Context) {
	p.keep(nil)
	p.made.close(ctx)
	p.pools.leave(p)
	close(p.done)
}

// idler gives back a pool's idle memory. It is a timer running only while there is something to
// give back.
type idler struct {
	armed atomic.Bool
	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

// The times of an idle instance, in ticks: after trimAfter of them its memory is cut down to
// keptPrivate, after endAfter it gives up the rest of its own memory and, unless it is the
// pool's last, ends.
const (
	idleTick  = time.Second
	trimAfter = 2
	endAfter  = 60
)

// wake makes the idler run, if it does not.
func (i *idler) wake(p *pool) {
	if i.armed.Load() || !i.armed.CompareAndSwap(false, true) {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.ended:
	case i.timer == nil:
		i.timer = time.AfterFunc(idleTick, p.tick)
	default:
		i.timer.Reset(idleTick)
	}
}

func (i *idler) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = true
	if i.timer != nil {
		i.timer.Stop()
	}
}

// tick looks at the idle instances.
func (p *pool) tick() {
	ctx := context.Background()
	kept, again := 0, false
	for i := range p.slots {
		s := &p.slots[i]
		if !s.claim(slotReady) {
			if s.state.Load() == slotBusy {
				kept++
			}
			continue
		}
		s.ticks++
		if s.rest(ctx, kept > 0) {
			again = true
		}
		if s.inst != nil {
			kept++
		}
		p.free(ctx, s)
	}
	// From here on, putting an instance back wakes the idler.
	p.idler.armed.Store(false)
	if again {
		p.idler.wake(p)
	}
}

// rest gives back the unused memory of a claimed slot's instance, and reports whether there is
// more to give back later.
func (s *slot) rest(ctx context.Context, spare bool) (more bool) {
	switch {
	case s.ticks >= endAfter && spare:
		s.inst.close(ctx)
		s.inst = nil
		return false
	case s.ticks == endAfter:
		s.inst.trim(0)
		return false
	case s.ticks == trimAfter:
		s.inst.trim(keptPrivate)
	}
	return s.ticks < endAfter
}
