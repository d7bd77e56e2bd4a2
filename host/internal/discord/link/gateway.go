package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// GatewayConfig are the parts of a Gateway.
type GatewayConfig struct {
	// Client makes the calls; the gateway uses its token.
	Client *Client
	// Intents select the events; 0 means Intents.
	Intents discordgo.Intent
	Events  Events
	// Changed, when set, is called after State has changed.
	Changed func()
	// Pace is how fast the connection goes; the zero value is Discord's.
	Pace Pace
	// Log may be nil. Now, the time of an event's arrival, means time.Now when nil.
	Log *slog.Logger
	Now func() time.Time
}

// Gateway keeps a connection to Discord's gateway. It is safe for concurrent use.
type Gateway struct {
	client  *Client
	intents discordgo.Intent
	events  Events
	log     *slog.Logger
	now     func() time.Time
	pace    Pace
	changed func()

	identified time.Time // when the last IDENTIFY was sent; of Run's goroutine

	mu    sync.Mutex
	state State
}

// Pace is how fast things go with Discord; tests make it faster. Zero members are
// Discord's own.
type Pace struct {
	PerSecond int           // calls, but for interactions
	Open      time.Duration // until the session has begun
	Silent    time.Duration // heartbeats without an answer
	Identify  time.Duration // between one IDENTIFY and the next
	Invalid   time.Duration // at most, after a session was lost
	First     time.Duration // the first pause after a failure; it doubles
	Longest   time.Duration // and ends here
}

func (p Pace) withDefaults() Pace {
	return Pace{
		PerSecond: cmp.Or(p.PerSecond, perSecond),
		Open:      cmp.Or(p.Open, 20*time.Second), Silent: cmp.Or(p.Silent, 60*time.Second), Identify: cmp.Or(p.Identify, 5*time.Second),
		Invalid: cmp.Or(p.Invalid, 5*time.Second), First: cmp.Or(p.First, 500*time.Millisecond), Longest: cmp.Or(p.Longest, 10*time.Second),
	}
}

// NewGateway makes a gateway; Run connects it.
func NewGateway(config GatewayConfig) *Gateway {
	g := &Gateway{
		client: config.Client, intents: config.Intents, events: config.Events, log: orSilent(config.Log),
		now: config.Now, pace: config.Pace.withDefaults(), changed: config.Changed,
	}
	if g.intents == 0 {
		g.intents = Intents
	}
	if g.now == nil {
		g.now = time.Now
	}
	if g.changed == nil {
		g.changed = func() {}
	}
	g.state = State{Since: g.now(), Problem: "not connected to Discord yet"}
	return g
}

// State tells how the connection stands.
func (g *Gateway) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// set takes a state over, and logs it when it is new.
func (g *Gateway) set(s State) {
	g.mu.Lock()
	before := g.state
	if before.Connected == s.Connected && before.Fatal == s.Fatal && !before.Since.IsZero() {
		s.Since = before.Since
	} else {
		s.Since = g.now()
	}
	g.state = s
	g.mu.Unlock()
	if s != before {
		g.changed()
		g.log.Info("discord: gateway", "connected", s.Connected, "error", s.Problem)
	}
}

// Run keeps the connection until the context ends, which is no error, or until only people can
// fix it: the error says how. When it returns, nothing of it runs any more; this takes a second
// of sleep in discordgo. It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	inner, cancel := context.WithCancel(ctx)
	in := newInbox(inner, g.events, g.client, g.log, g.now)
	err := g.keep(ctx, in)
	cancel()
	in.wait()
	if ctx.Err() != nil {
		g.set(State{Problem: "stopped"})
		return nil
	}
	g.set(State{Problem: err.Error(), Fatal: true})
	return err
}

// keep connects again and again.
func (g *Gateway) keep(ctx context.Context, in *inbox) error {
	var s *session
	for failures := 0; ctx.Err() == nil; {
		var err error
		if s == nil {
			s, err = g.begin(ctx, in)
		}
		if err == nil {
			err = g.connect(ctx, s, in)
		}
		if fatal := fatalError(err); fatal != nil {
			return fatal
		}
		failures++
		if s != nil {
			if lived := s.lived(); lived > 0 {
				failures = 1
				if lived > g.pace.Longest {
					failures = 0
				}
			}
			if s.lost(err) {
				s = nil
			}
		}
		g.set(State{Problem: fmt.Sprintf("not connected to Discord: %v", err)})
		wait(ctx, g.pauseAfter(err, failures))
	}
	return ctx.Err()
}

// pauseAfter is random, so not all clients return at once.
func (g *Gateway) pauseAfter(err error, failures int) time.Duration {
	switch {
	case errors.Is(err, errInvalid):
		return g.pace.Invalid/5 + rand.N(g.pace.Invalid*4/5)
	case failures == 0:
		return 0 // it worked for long: discordgo's own second is pause enough
	}
	d := min(g.pace.Longest, g.pace.First<<min(failures-1, 10))
	return d/2 + rand.N(d/2)
}

func wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connect opens a connection, for a new or continued session, and returns the reason of its
// end.
func (g *Gateway) connect(ctx context.Context, s *session, in *inbox) error {
	outside, err := dial(ctx, s.address(), g.pace.Open)
	if err != nil {
		s.elsewhere()
		return err
	}
	if s.tries++; !s.resumable {
		g.identified = time.Now()
	}
	st := newStream(outside, s.resumable, g.pace.Silent)
	defer s.close(st)
	opened := s.open(st)
	limit := time.NewTimer(g.pace.Open)
	defer limit.Stop()
	select {
	case <-st.ready:
	case <-limit.C:
		st.cut(errors.New("the session did not begin in time"))
	case <-ctx.Done():
		st.cut(context.Canceled)
	case <-st.ended:
	}
	if err := <-opened; err != nil {
		st.cut(err)
		return st.why
	}
	select {
	case <-st.ready:
		g.goes(s, st, in)
	default:
	}
	select {
	case <-ctx.Done():
		st.cut(context.Canceled)
	case <-st.ended:
	}
	return st.why
}

// goes notes that a session began or goes on.
func (g *Gateway) goes(s *session, st *stream, in *inbox) {
	fresh := !s.resumable
	if fresh {
		s.resumable = true
		s.resumeAt, _ = gatewayAddress(st.guard.begun.ResumeURL, g.client.api) // nil: as at first
	}
	s.began, s.tries = time.Now(), 0
	in.events.Ready(in.ctx, fresh) // before State says so
	g.set(State{Connected: true})
}
