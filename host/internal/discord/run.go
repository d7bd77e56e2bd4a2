package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/slash"
)

// How often the surface checks its connection, and for cards of an earlier run; how long cards
// with their final text are remembered.
const (
	lookEvery   = time.Second
	takeUpEvery = time.Minute
	cardsKept   = 30 * 24 * time.Hour
	stopWithin  = 10 * time.Second
)

// Run shows and answers asks until ctx ends, and closes the surface. The next one takes up the
// open asks. An error needs a person to fix it, and State has it as well; the rest of the
// daemon goes on without Discord.
func (s *Surface) Run(ctx context.Context) error {
	defer func() { s.note("close", s.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	endpoint, err := s.endpoint(ctx)
	if err != nil {
		s.fail(err)
		return err
	}
	s.mu.Lock()
	s.life, s.state.Since = ctx, s.c.Now()
	s.mu.Unlock()
	s.attach(true) // a start is like a short loss of the connection: asks wait for it
	failed := make(chan error, 2)
	s.spawn("the events of asks", func() { s.listen(ctx) })
	s.spawn("looking after cards", func() { s.tend(ctx) })
	if s.gateway != nil {
		s.spawn("the gateway", func() { failed <- s.gateway.Run(ctx) })
	}
	if endpoint != nil {
		s.spawn("the endpoint", func() { failed <- endpoint(ctx) })
	}
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
		if ctx.Err() != nil {
			err = nil
		}
	}
	if err != nil {
		s.fail(err)
	}
	cancel()
	s.attach(false)
	s.running.Wait()
	return err
}

// fail notes an error only a person can fix.
func (s *Surface) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fatal = err
	s.state.Connected, s.state.Since, s.state.Problem, s.state.Fatal = false, s.c.Now(), err.Error(), true
}

// maxConnections bounds the endpoint's connections; further ones wait. A proxy needs few, and a
// silent one is cut after the server's time limits.
const maxConnections = 512

// endpoint opens the endpoint for clicks and commands, if any, and returns its server.
func (s *Surface) endpoint(ctx context.Context) (func(context.Context) error, error) {
	in := s.settings.Interactions
	if in.Listen == "" {
		return nil, nil
	}
	key := strings.ToLower(in.PublicKey)
	last, err := s.c.Store.LastInteraction(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("discord.interactions: %w", err)
	}
	handler, err := link.NewEndpoint(link.EndpointConfig{
		PublicKey: in.PublicKey, Events: events{s}, Client: s.client, Log: s.c.Log, Now: s.c.Now, Last: last,
		Keep: func(ctx context.Context, id uint64) error { return s.c.Store.KeepInteraction(ctx, key, id) },
	})
	if err != nil {
		return nil, fmt.Errorf("discord.interactions: %w", err)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", in.Listen)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("discord.interactions.listen: %w", err), handler.Close())
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(s.c.Log.Handler(), slog.LevelDebug),
	}
	return func(ctx context.Context) error {
		context.AfterFunc(ctx, func() {
			ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
			defer cancel()
			_ = server.Shutdown(ctx) // the process ends
		})
		err := server.Serve(netutil.LimitListener(listener, maxConnections))
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		return errors.Join(err, handler.Close())
	}, nil
}

// listen shows asks on the broker's notice, and follows them.
func (s *Surface) listen(ctx context.Context) {
	events := s.c.Asks.Subscribe(ctx)
	s.resync(ctx)
	for ev := range events {
		switch ev.Kind {
		case ask.EventLagged:
			s.resync(ctx)
		case ask.EventQueued, ask.EventPaused, ask.EventResumed:
			s.relist(ev.Ask)
		default:
			s.show(ev.Ask)
			s.relist(ev.Ask)
		}
	}
}

// resync looks again at all asks: some events were missed.
func (s *Surface) resync(ctx context.Context) {
	for _, a := range s.c.Asks.Waiting(ask.Filter{State: ask.Shown}) {
		s.show(a)
	}
	s.mu.Lock()
	ids := make([]string, 0, len(s.asks))
	for id := range s.asks {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		a, err := s.c.Asks.Get(ctx, id)
		if err == nil {
			s.show(a)
		}
		s.note("look up an ask", err)
	}
}

// tend keeps the surface attached while it can show, and takes up left cards.
func (s *Surface) tend(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	introduce := chore{every: takeUpEvery, what: "introducing the bot", do: s.introduce}
	takeUp := chore{every: takeUpEvery, what: "taking up cards", do: s.takeUp}
	forget := chore{every: 24 * time.Hour, what: "forgetting cards", do: func(ctx context.Context) {
		s.note("forget old cards", s.c.Store.ForgetCards(ctx, s.c.Now().Add(-cardsKept)))
		s.lateTold.Clear()
	}}
	for {
		s.look()
		if s.State().Connected {
			introduce.due(ctx, s)
			takeUp.due(ctx, s)
		}
		forget.due(ctx, s)
		select {
		case <-look.C:
		case <-s.changed:
		case <-ctx.Done():
			return
		}
	}
}

// looks makes tend look at once.
func (s *Surface) looks() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// flicker is how long a lost connection is not told to the broker: it comes back.
const flicker = 15 * time.Second

// look takes over how the connection stands.
func (s *Surface) look() {
	at := s.client.State()
	if s.gateway != nil {
		if now := s.gateway.State(); !at.Fatal {
			at = now
		}
	} else if at.Since.IsZero() {
		at = link.State{Connected: true} // nothing was tried yet
	}
	s.mu.Lock()
	if s.fatal != nil {
		s.mu.Unlock()
		return
	}
	if s.state.Connected != at.Connected {
		s.state.Since = s.c.Now()
	}
	s.state.Connected, s.state.Problem, s.state.Fatal = at.Connected, at.Problem, at.Fatal
	lost := at.Fatal || s.c.Now().Sub(s.state.Since) >= flicker
	s.mu.Unlock()
	switch {
	case at.Connected:
		s.attach(true)
	case lost:
		s.attach(false)
	}
}

// attach tells the broker whether people can answer here.
func (s *Surface) attach(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case on && s.detach == nil && s.life != nil && s.life.Err() == nil:
		s.detach = s.c.Asks.Attach(ask.Surface{Name: Name})
	case !on && s.detach != nil:
		s.detach()
		s.detach = nil
	}
}

// introduce learns who the bot is, and registers its commands; once.
func (s *Surface) introduce(ctx context.Context) {
	s.mu.Lock()
	known := s.app != ""
	s.mu.Unlock()
	if known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	me, err := s.client.Me(ctx)
	if err != nil {
		s.note("look up the bot", err)
		return
	}
	s.mu.Lock()
	s.me = me
	s.mu.Unlock()
	s.note("read the roles of the server", s.members.Prepare(ctx))
	app, err := s.client.Application(ctx)
	if err != nil {
		s.note("look up the application", err)
		return
	}
	if _, err := slash.Register(ctx, s.client, app.ID, string(s.settings.Server)); err != nil {
		s.note("register the slash commands", err)
		return
	}
	s.mu.Lock()
	s.app = app.ID
	s.mu.Unlock()
}
