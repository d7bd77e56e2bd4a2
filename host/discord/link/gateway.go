package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// GatewayConfig is what a Gateway works with.
type GatewayConfig struct {
	// Client makes the calls; its token is the one that the gateway is told.
	Client *Client
	// Intents are what events come; 0 means Intents.
	Intents discordgo.Intent
	Events  Events
	// Log may be nil. Now, the time at which something came in, means time.Now when nil.
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
	pace    pace

	identified time.Time // when the last IDENTIFY was sent; of Run's goroutine

	mu    sync.Mutex
	state State
}

// pace is how long things take; tests make it short.
type pace struct {
	open     time.Duration // until the session has begun
	silent   time.Duration // heartbeats without an answer
	identify time.Duration // between one IDENTIFY and the next
	invalid  time.Duration // at most, after a session was lost
	first    time.Duration // the first pause after a failure; it doubles
	longest  time.Duration // and ends here
}

var discordsPace = pace{
	open: 20 * time.Second, silent: 60 * time.Second, identify: 5 * time.Second,
	invalid: 5 * time.Second, first: 500 * time.Millisecond, longest: 10 * time.Second,
}

// NewGateway makes a gateway that Run connects.
func NewGateway(config GatewayConfig) *Gateway {
	g := &Gateway{
		client: config.Client, intents: config.Intents, events: config.Events, log: orSilent(config.Log),
		now: config.Now, pace: discordsPace,
	}
	if g.intents == 0 {
		g.intents = Intents
	}
	if g.now == nil {
		g.now = time.Now
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
		g.log.Info("discord: gateway", "connected", s.Connected, "problem", s.Problem)
	}
}

// Run keeps the connection until the context ends, which is no error, or until only
// people can mend it: the error says what to do. When it returns, nothing of it runs
// any more; that takes a second, which discordgo sleeps. It is called once.
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
				if lived > g.pace.longest {
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

// pauseAfter is random, so that not all come back at once.
func (g *Gateway) pauseAfter(err error, failures int) time.Duration {
	switch {
	case errors.Is(err, errInvalid):
		return g.pace.invalid/5 + rand.N(g.pace.invalid*4/5)
	case failures == 0:
		return 0 // it worked for long: discordgo's own second is pause enough
	}
	d := min(g.pace.longest, g.pace.first<<min(failures-1, 10))
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

// connect opens a connection, for a session that begins or goes on, and returns why it
// ended.
func (g *Gateway) connect(ctx context.Context, s *session, in *inbox) error {
	outside, err := dial(ctx, s.address(), g.pace.open)
	if err != nil {
		s.elsewhere()
		return err
	}
	if s.tries++; !s.resumable {
		g.identified = time.Now()
	}
	st := newStream(outside, s.resumable, g.pace.silent)
	defer s.close(st)
	opened := s.open(st)
	limit := time.NewTimer(g.pace.open)
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
	g.set(State{Connected: true})
	in.ready(fresh)
}
