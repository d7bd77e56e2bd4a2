package ask

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// The defaults of Config.
const (
	DefaultTimeout    = 60 * time.Second
	DefaultValidity   = 10 * time.Minute
	DefaultMemory     = 10 * time.Minute
	DefaultGrace      = 15 * time.Second
	DefaultPerSession = 20
	DefaultPerAgent   = 20
	DefaultPauseAfter = 3
)

// storeTimeout bounds one write of the store. A write is never given up because
// the caller left: half of it would be kept otherwise.
const storeTimeout = 10 * time.Second

// Config are the parts for New. Only Store is required; a zero number means its default.
type Config struct {
	Store Store
	// Node is this daemon's id among several of one store; empty for one alone.
	Node string
	// Alive are the ids of the daemons of the store; required with a Node.
	Alive func(context.Context) (map[string]bool, error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Rand is where ids come from; nil means crypto/rand.
	Rand io.Reader
	// Log receives failures without a caller; nil means silence. No input is ever logged.
	Log *slog.Logger

	// Ended returns an ended ask for others than its caller: without the secrets quoted in its
	// texts. Nil means unchanged.
	Ended func(Ask) Ask

	// Timeout is how long an ask stays visible when it does not say.
	Timeout time.Duration
	// Validity is how long an approval waits for its call to come back.
	Validity time.Duration
	// Memory is how long an equal call is denied without a card after a denial.
	Memory time.Duration
	// Grace is the least time a recovered ask stays visible after a restart, if its clock had
	// not run out.
	Grace time.Duration
	// PerSession and PerAgent are how many asks may wait.
	PerSession, PerAgent int
	// PauseAfter is how many denials or time-outs in a row pause a session.
	PauseAfter int
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Ended == nil {
		c.Ended = func(a Ask) Ask { return a }
	}
	orDefault(&c.Timeout, DefaultTimeout)
	orDefault(&c.Validity, DefaultValidity)
	orDefault(&c.Memory, DefaultMemory)
	orDefault(&c.Grace, DefaultGrace)
	orDefault(&c.PerSession, DefaultPerSession)
	orDefault(&c.PerAgent, DefaultPerAgent)
	orDefault(&c.PauseAfter, DefaultPauseAfter)
	return c
}

func orDefault[T int | time.Duration](value *T, fallback T) {
	if *value <= 0 {
		*value = fallback
	}
}

// Broker holds the waiting asks. Its methods are safe for concurrent use. Call Recover once
// before the first Ask, and Close before the callers' contexts end at a shutdown, so waiting
// asks stay in the store.
type Broker struct {
	cfg Config
	// turn is held through every change of an ask, its store write included, so stores and
	// events happen in one order. It is a channel because waiting for it must end with the
	// caller's context.
	turn chan struct{}
	// door lets those who open an ask wait for the turn one after the other: a crowd of
	// new asks then keeps no answer waiting. RATIONALE.md, "Does a crowd of new asks
	// delay an answer?".
	door chan struct{}

	// mu guards the following fields, shortly and never during a store write. Changes happen
	// with the turn held as well.
	mu       sync.Mutex
	waiting  crowd
	streaks  map[string]Streak
	surfaces map[*Surface]struct{}
	subs     map[*subscriber]struct{} // of all asks
	follows  map[Key][]*subscriber    // of one call's
	closed   chan struct{}
}

// entry is one waiting ask, and after its end the object its waiters hold.
type entry struct {
	ask     Ask // guarded by Broker.mu until done is closed, constant after
	waiters int // guarded by Broker.mu
	done    chan struct{}
	timer   *time.Timer
	seen    map[string]bool // approvers with the card on show
	failed  map[string]bool // surfaces that failed to show it
	// turnedAway are people already refused; guarded by the turn.
	turnedAway map[string]bool

	useOnce sync.Once
	usedAt  time.Time
	useErr  error
}

// New returns a broker without asks.
func New(cfg Config) *Broker {
	return &Broker{
		cfg:      cfg.withDefaults(),
		turn:     make(chan struct{}, 1),
		door:     make(chan struct{}, 1),
		waiting:  newCrowd(),
		streaks:  map[string]Streak{},
		surfaces: map[*Surface]struct{}{},
		subs:     map[*subscriber]struct{}{},
		follows:  map[Key][]*subscriber{},
		closed:   make(chan struct{}),
	}
}

// Close releases all waiters with ErrClosed and ends all subscriptions. It
// changes nothing in the store: the asks go on after the next Recover.
func (b *Broker) Close() {
	b.turn <- struct{}{}
	defer b.release()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed() {
		return
	}
	close(b.closed)
	for _, e := range b.waiting.all {
		stopTimer(e)
	}
	b.waiting = newCrowd()
	for s := range b.subs {
		b.dropSubscriber(s)
	}
	for _, followers := range b.follows {
		for _, s := range slices.Clone(followers) {
			b.dropSubscriber(s)
		}
	}
}

func (b *Broker) isClosed() bool {
	select {
	case <-b.closed:
		return true
	default:
		return false
	}
}

// acquire takes the turn, or gives up with the context's error or ErrClosed.
func (b *Broker) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err // select would take a free turn as readily
	}
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if b.isClosed() {
		b.release()
		return ErrClosed
	}
	return nil
}

func (b *Broker) release() { <-b.turn }

// acquireAtDoor is acquire for those who open an ask: all but one of them wait elsewhere
// than the others do.
func (b *Broker) acquireAtDoor(ctx context.Context) error {
	select {
	case b.door <- struct{}{}:
		defer func() { <-b.door }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return b.acquire(ctx)
}

// storeContext is for one store operation: it outlives the caller, not the
// store's patience.
func storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// Filter chooses asks; an empty field does not restrict.
type Filter struct {
	Agent   string
	Session string
	State   State
}

func (f Filter) admits(a *Ask) bool {
	return (f.Agent == "" || f.Agent == a.Agent) &&
		(f.Session == "" || f.Session == a.Session) &&
		(f.State == "" || f.State == a.State)
}

// Waiting returns the waiting asks, oldest first. Their pointers are shared: do not change the
// targets.
func (b *Broker) Waiting(f Filter) []Ask {
	b.mu.Lock()
	defer b.mu.Unlock()
	var asks []Ask
	from := b.waiting.all
	if f.Session != "" {
		from = b.waiting.sessions[f.Session]
	}
	for _, e := range from {
		if f.admits(&e.ask) {
			asks = append(asks, e.ask)
		}
	}
	return asks
}

// Get returns one ask, waiting or ended; ErrUnknown when there is none.
func (b *Broker) Get(ctx context.Context, id string) (Ask, error) {
	id = NormalID(id)
	b.mu.Lock()
	e := b.find(id)
	if e != nil {
		defer b.mu.Unlock()
		return e.ask, nil
	}
	b.mu.Unlock()
	return b.cfg.Store.Ask(ctx, id)
}

// Position returns a queued ask's place in its queue, 1 for the next to be
// shown; 0 when the ask is not queued.
func (b *Broker) Position(id string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.find(NormalID(id)); e != nil {
		return b.position(e)
	}
	return 0
}

// position counts the queued asks of e's lane up to e. The caller holds mu.
func (b *Broker) position(e *entry) int {
	if e.ask.State != Queued {
		return 0
	}
	n := 0
	for _, other := range b.waiting.sessions[e.ask.Session] {
		if other.ask.State == Queued && other.ask.Agent == e.ask.Agent {
			n++
		}
		if other == e {
			break
		}
	}
	return n
}

// find returns the waiting entry with this id, or nil. The caller holds mu.
func (b *Broker) find(id string) *entry { return b.waiting.byID[id] }

// lane may have one visible ask.
type lane struct{ session, agent string }

func laneOf(a Ask) lane { return lane{session: a.Session, agent: a.Agent} }
