package link

import (
	"log/slog"
	"runtime/debug"
	"sync"
)

// pool processes events, each in a goroutine, so many at once, and queues some. The goroutines
// end when nothing waits.
type pool struct {
	log     *slog.Logger
	most    int // at once
	backlog int
	// missed is run, once nothing waits, after something had to be dropped.
	missed func()

	mu      sync.Mutex
	waiting []func()
	running int
	dropped int
	all     sync.WaitGroup
}

// run takes f on; when too much waits it is dropped.
func (p *pool) run(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.running < p.most:
		p.running++
		p.all.Go(func() { p.work(f) })
	case len(p.waiting) < p.backlog:
		p.waiting = append(p.waiting, f)
	default:
		if p.dropped++; p.dropped == 1 {
			p.log.Error("discord: too much comes in at once, some of it is dropped", "waiting", len(p.waiting))
		}
	}
}

func (p *pool) work(f func()) {
	for f != nil {
		contained(p.log, f)
		f = p.next()
	}
}

func (p *pool) next() func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 {
		f := p.waiting[0]
		p.waiting[0] = nil
		p.waiting = p.waiting[1:]
		return f
	}
	p.waiting = nil
	if p.dropped > 0 && p.missed != nil {
		p.log.Warn("discord: what was dropped is looked up", "dropped", p.dropped)
		p.dropped = 0
		return p.missed
	}
	p.running--
	return nil
}

// wait returns when nothing runs.
func (p *pool) wait() { p.all.Wait() }

// contained runs f and keeps a panic from ending the process (pitfall 1). It logs the place,
// not the value: that may hold a person's text.
func contained(log *slog.Logger, f func()) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("discord: an event was not dealt with: panic", "stack", string(debug.Stack()))
			ok = false
		}
	}()
	f()
	return true
}
