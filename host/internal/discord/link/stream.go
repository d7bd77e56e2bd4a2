package link

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Close codes we send: the resumable one leaves the session open at Discord (1000, sent by
// discordgo, ends it: pitfall 7).
const (
	closeResumable = 4000
	closeForGood   = websocket.CloseNormalClosure
)

const (
	writeTime    = 10 * time.Second
	farewellTime = time.Second
)

var (
	errSilent = errors.New("no heartbeat is acknowledged by Discord any more")
	errInside = errors.New("the session ended on this side")
)

// stream is one connection to the gateway, with a guard between it and discordgo.
type stream struct {
	guard   *guard
	outside *websocket.Conn // to Discord
	client  net.Conn        // discordgo's end of the pipe
	server  net.Conn        // ours
	silent  time.Duration   // how long heartbeats may stay without an answer
	lastAck atomic.Int64    // UnixNano; the beginning counts as one

	ready chan struct{} // closed when the session began or was resumed
	ended chan struct{} // closed when the connection is over, for why
	once  sync.Once
	why   error
	all   sync.WaitGroup
}

// newStream begins to pass messages as soon as discordgo takes its end of the pipe.
func newStream(outside *websocket.Conn, resuming bool, silent time.Duration) *stream {
	s := &stream{
		guard: &guard{resuming: resuming}, outside: outside, silent: silent,
		ready: make(chan struct{}), ended: make(chan struct{}),
	}
	s.client, s.server = net.Pipe()
	s.lastAck.Store(time.Now().UnixNano())
	s.all.Go(s.pass)
	return s
}

// dialer gives discordgo its end of the pipe in place of a connection.
func (s *stream) dialer() *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return s.client, nil }}
}

// pass hands messages on in both directions until one of them ends.
func (s *stream) pass() {
	inner, err := takeOver(s.server)
	if err != nil {
		s.cut(errInside)
		return
	}
	s.all.Go(func() { s.cut(s.outward(inner)) })
	s.cut(s.inward(inner))
}

// inward hands on Discord's messages.
func (s *stream) inward(inner *websocket.Conn) error {
	for {
		kind, text, err := s.outside.ReadMessage()
		if err != nil {
			return err
		}
		if kind != websocket.TextMessage {
			return errNotGateway
		}
		was := s.guard.ready
		op, out, err := s.guard.check(text)
		switch {
		case err != nil:
			return err
		case out == nil:
			continue
		case op == opHello:
			s.watch(s.guard.interval)
		case op == opAck:
			s.lastAck.Store(time.Now().UnixNano())
		}
		if inner.WriteMessage(websocket.TextMessage, out) != nil {
			return errInside
		}
		if s.guard.ready && !was {
			close(s.ready)
		}
	}
}

// outward hands on discordgo's messages.
func (s *stream) outward(inner *websocket.Conn) error {
	for {
		_, text, err := inner.ReadMessage()
		if err != nil {
			return errInside
		}
		if !s.guard.sends(text) {
			return errInside
		}
		if err := s.outside.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
			return err
		}
		if err := s.outside.WriteMessage(websocket.TextMessage, text); err != nil {
			return err
		}
	}
}

// watch ends the connection when heartbeats stay without an answer: discordgo would
// notice after five of them, minutes later (pitfall 6).
func (s *stream) watch(interval time.Duration) {
	limit := max(s.silent, interval+interval/2)
	s.all.Go(func() {
		tick := time.NewTicker(limit / 4)
		defer tick.Stop()
		for {
			select {
			case <-s.ended:
				return
			case now := <-tick.C:
				if now.Sub(time.Unix(0, s.lastAck.Load())) > limit {
					s.cut(errSilent)
					return
				}
			}
		}
	})
}

// cut ends the connection for a reason; the first one counts.
func (s *stream) cut(why error) {
	s.once.Do(func() {
		s.why = why
		code := closeResumable
		if errors.Is(why, context.Canceled) {
			code = closeForGood
		}
		farewell := websocket.FormatCloseMessage(code, "")
		_ = s.outside.WriteControl(websocket.CloseMessage, farewell, time.Now().Add(farewellTime)) // it may be cut already
		_ = s.outside.Close()
		_ = s.server.Close()
		_ = s.client.Close()
		close(s.ended)
	})
}

// wait returns when nothing of the connection runs any more.
func (s *stream) wait() { s.all.Wait() }
