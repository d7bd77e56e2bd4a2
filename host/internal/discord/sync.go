package discord

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// keyed are locks by name, released with their use.
type keyed struct {
	mu    sync.Mutex
	locks map[string]*turn
}

// turn is one lock: held while its channel is full.
type turn struct {
	held  chan struct{}
	users int
}

// lock waits for a lock, or for the context's end.
func (k *keyed) lock(ctx context.Context, key string) (unlock func(), err error) {
	k.mu.Lock()
	if k.locks == nil {
		k.locks = map[string]*turn{}
	}
	t := k.locks[key]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		k.locks[key] = t
	}
	t.users++
	k.mu.Unlock()
	leave := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(k.locks, key)
		}
	}
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// maxEarly bounds the held events for each channel.
const maxEarly = 64

// early holds back the events of a message that may turn out to be a card: the answer to its
// posting is on the way. Zero is ready.
type early struct {
	mu      sync.Mutex
	posting map[string]int
	held    map[string][]func()
}

// expect notes a post under way to a channel; the returned function reports that it is known
// now, or failed, and releases the held events.
func (e *early) expect(channel string) (arrived func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.posting == nil {
		e.posting, e.held = map[string]int{}, map[string][]func(){}
	}
	e.posting[channel]++
	return sync.OnceFunc(func() {
		e.mu.Lock()
		held := e.held[channel]
		delete(e.held, channel)
		if e.posting[channel]--; e.posting[channel] == 0 {
			delete(e.posting, channel)
		}
		e.mu.Unlock()
		for _, f := range held {
			f()
		}
	})
}

// expected is the channel of one expected card, over all tries to post it there.
type expected struct {
	channel string
	end     func()
}

// in expects the card in a channel, and no longer in the one before.
func (e *expected) in(list *early, channel string) {
	if e.end != nil && e.channel == channel {
		return
	}
	e.arrived()
	e.channel, e.end = channel, list.expect(channel)
}

// arrived reports that the card is known, or will not be soon.
func (e *expected) arrived() {
	if e.end != nil {
		e.end()
		e.end = nil
	}
}

// hold keeps f until the next message of a channel is known; f must not block. It
// reports whether anything is being posted there, and there is room.
func (e *early) hold(channel string, f func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.posting[channel] == 0 || len(e.held[channel]) >= maxEarly {
		return false
	}
	e.held[channel] = append(e.held[channel], f)
	return true
}

// cardOrLater is the card found by find. When there is none yet and one is being posted in the
// channel, again is run, as what, once it is known; then held is true.
func (s *Surface) cardOrLater(channel, what string, find func() *card, again func()) (c *card, held bool) {
	if c = find(); c != nil {
		return c, false
	}
	if s.early.hold(channel, func() { s.spawn(what, again) }) {
		return nil, true
	}
	return find(), false // it became known between the two looks
}

// expects reports whether something is being posted to a channel.
func (e *early) expects(channel string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.posting[channel] > 0
}

// await waits until the next message of a channel is known, not longer than limit.
func (e *early) await(ctx context.Context, channel string, limit time.Duration) {
	known := make(chan struct{})
	if !e.hold(channel, func() { close(known) }) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-known:
	case <-ctx.Done():
	}
}

// spawn runs f beside, and keeps a panic in it from ending the process.
func (s *Surface) spawn(what string, f func()) {
	s.running.Go(func() { s.contained(what, f) })
}

func (s *Surface) contained(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			// Without the value, which may hold a person's text.
			s.c.Log.Error("discord: a fault of this program", "step", what, "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		}
	}()
	f()
}

// sleep waits, and reports whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// chore is done again and again, beside, and never twice at once.
type chore struct {
	every time.Duration
	what  string
	do    func(context.Context)

	last time.Time
	busy atomic.Bool
}

func (c *chore) due(ctx context.Context, s *Surface) {
	if now := time.Now(); now.Sub(c.last) >= c.every && c.busy.CompareAndSwap(false, true) {
		c.last = now
		s.spawn(c.what, func() {
			defer c.busy.Store(false)
			c.do(ctx)
		})
	}
}
