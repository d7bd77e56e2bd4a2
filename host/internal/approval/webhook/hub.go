package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store/mask"
	"github.com/callgate/callgate/host/wire"
)

// The bounds of a hub: how many notices wait to be masked, how many bytes of
// arguments with them, how many wait for one
// place, how often one is tried, and the pauses between two tries, each twice as
// long as the one before.
const (
	hubBuffer   = 1024
	hubBytes    = 64 << 20
	placeBuffer = 1000
	maxAttempts = 12
	firstPause  = time.Second
	lastPause   = 5 * time.Minute
)

// Hub masks notices and delivers them: to the readers of events, and to the listeners in the
// configuration. Notify never waits. A notice is posted at least once to a listener that
// accepts it in time; otherwise it is dropped, counted and logged. Waiting ones are lost when
// the daemon ends: the audit has them. A Hub is safe for concurrent use.
type Hub struct {
	masker  *mask.Masker
	log     *slog.Logger
	options Options
	pause   func(attempt int) time.Duration

	notices chan wire.Notice
	// waiting is the size of the waiting notices' arguments, in bytes.
	waiting atomic.Int64
	dropped atomic.Int64
	reader  atomic.Pointer[func(wire.Notice)]
	ended   chan struct{}
	// pumped is closed after the last notice.
	pumped chan struct{}

	mu     sync.Mutex
	places []*place
	closed bool
}

// NewHub returns a hub without places. The caller closes it. log may be nil.
func NewHub(log *slog.Logger, o Options) *Hub {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h := &Hub{
		masker: mask.New([]byte(rand.Text())), log: log, options: o, pause: backoff,
		notices: make(chan wire.Notice, hubBuffer), ended: make(chan struct{}), pumped: make(chan struct{}),
	}
	go h.pump()
	return h
}

// backoff is the pause after a failed attempt, counted from 1.
func backoff(attempt int) time.Duration {
	return min(firstPause<<min(attempt-1, 20), lastPause)
}

// Notify takes a notice, unmasked; it may be given to a gate.
func (h *Hub) Notify(n wire.Notice) {
	size := int64(len(n.Arguments))
	fits := h.waiting.Add(size) <= hubBytes // an agent's calls may have 16 MiB each
	if fits {
		select {
		case h.notices <- n:
		default:
			fits = false
		}
	}
	if !fits {
		h.waiting.Add(-size)
		if h.dropped.Add(1) == 1 {
			h.log.Warn("too many notices of asks and denials: some are dropped")
		}
	}
}

// Read has every notice told to read, masked, from now on. It must not block.
func (h *Hub) Read(read func(wire.Notice)) { h.reader.Store(&read) }

// Dropped is how many notices were dropped: before anybody was told, or by a place.
func (h *Hub) Dropped() int64 {
	total := h.dropped.Load()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.places {
		total += p.dropped.Load()
	}
	return total
}

// Set replaces the listeners. Remaining ones keep their queues. An unusable one is an error,
// and the others hold.
func (h *Hub) Set(hooks []config.Webhook) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	var problems []error
	var next []*place
	for i, hook := range hooks {
		if j := slices.IndexFunc(h.places, func(p *place) bool { return p.same(hook) && !slices.Contains(next, p) }); j >= 0 {
			next = append(next, h.places[j])
			continue
		}
		p, err := h.open(hook)
		if err != nil {
			problems = append(problems, fmt.Errorf("webhooks[%d]: %w", i, err))
			continue
		}
		next = append(next, p)
	}
	for _, p := range h.places {
		if !slices.Contains(next, p) {
			p.stop()
		}
	}
	h.places = next
	return errors.Join(problems...)
}

// Close ends the hub; waiting notices are dropped.
func (h *Hub) Close() {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.closed = true
	places := h.places
	h.places = nil
	h.mu.Unlock()
	close(h.ended)
	<-h.pumped
	for _, p := range places {
		p.stop()
		<-p.done
	}
}

// pump masks and hands on.
func (h *Hub) pump() {
	defer close(h.pumped)
	for {
		select {
		case <-h.ended:
			return
		case n := <-h.notices:
			h.waiting.Add(-int64(len(n.Arguments)))
			h.tell(gate.Masked(n, h.masker))
		}
	}
}

func (h *Hub) tell(n wire.Notice) {
	if read := h.reader.Load(); read != nil {
		(*read)(n)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.places {
		if p.wants(n) {
			p.take(n)
		}
	}
}

// place is one listener.
type place struct {
	hook    config.Webhook
	name    string
	post    *poster
	log     *slog.Logger
	pause   func(int) time.Duration
	queue   chan wire.Notice
	dropped atomic.Int64
	ctx     context.Context //nolint:containedctx // it is the place's life
	stop    context.CancelFunc
	done    chan struct{}
}

func (h *Hub) open(hook config.Webhook) (*place, error) {
	post, err := newPoster(hook.URL, hook.SecretFile, h.options.TLS, h.options.Now)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(hook.URL)
	if err != nil {
		return nil, err
	}
	p := &place{hook: hook, name: u.Host, post: post, log: h.log, pause: h.pause, queue: make(chan wire.Notice, placeBuffer), done: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	go p.run()
	return p, nil
}

func (p *place) same(hook config.Webhook) bool {
	a := p.hook
	return a.URL == hook.URL && a.SecretFile == hook.SecretFile && a.Timeout == hook.Timeout &&
		slices.Equal(a.Events, hook.Events) && slices.Equal(a.Agents, hook.Agents)
}

func (p *place) wants(n wire.Notice) bool {
	return (len(p.hook.Events) == 0 || slices.Contains(p.hook.Events, n.Event)) && (len(p.hook.Agents) == 0 || slices.Contains(p.hook.Agents, n.Agent))
}

// take queues a notice, or drops it.
func (p *place) take(n wire.Notice) {
	select {
	case p.queue <- n:
	default:
		p.drop(n, "the queue is full")
	}
}

func (p *place) drop(n wire.Notice, why string) {
	p.log.Warn("a webhook missed an event", "host", p.name, "event", n.Event, "notice", n.ID, "error", why, "dropped", p.dropped.Add(1))
}

// run posts one notice after the other.
func (p *place) run() {
	defer close(p.done)
	defer p.post.close()
	for {
		select {
		case <-p.ctx.Done():
			return
		case n := <-p.queue:
			p.deliver(n)
		}
	}
}

// deliver tries until the place takes the notice.
func (p *place) deliver(n wire.Notice) {
	body, err := json.Marshal(n)
	if err != nil {
		p.drop(n, err.Error())
		return
	}
	for attempt := 1; ; attempt++ {
		err := p.try(n, body)
		switch {
		case err == nil || p.ctx.Err() != nil:
			return
		case attempt >= maxAttempts:
			p.drop(n, err.Error())
			return
		}
		timer := time.NewTimer(p.pause(attempt))
		select {
		case <-timer.C:
		case <-p.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// try posts a notice once. Its id is the same each time.
func (p *place) try(n wire.Notice, body []byte) error {
	ctx, cancel := context.WithTimeout(p.ctx, time.Duration(p.hook.Timeout))
	defer cancel()
	resp, _, _, err := p.post.post(ctx, n.Event, n.ID, body)
	if err != nil {
		return unanswered(err)
	}
	defer func() { _ = resp.Body.Close() }()          // nothing of it is read
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer) // to reuse the connection
	if resp.StatusCode < http.StatusOK || resp.StatusCode > 299 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
