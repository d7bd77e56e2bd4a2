package console

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// pulse is how long a silent stream stays silent.
const pulse = 10 * time.Second

// events tells an open page that asks have changed: never of what is in them, for the page fetches
// them from the server, which draws them. While it reads, the person can answer here.
func (s *Server) events(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	if !of.stream() {
		return refuse(http.StatusTooManyRequests, "too many open pages of this session; close some")
	}
	defer func() { of.unstream(s.c.Now()) }()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := &stream{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	go func() {
		defer cancel()
		tick := time.NewTicker(pulse)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-of.alive.Done():
				return
			case <-tick.C:
				if of.over(s.c.Now()) { // its person may have been removed
					return
				}
				if out.send(": here\n\n") != nil {
					return
				}
			}
		}
	}()
	_ = of.client.Events(ctx, surface, of.by, func(ev client.Event) error { // its end is the stream's
		switch ev.Name {
		case protocol.EventReady, protocol.EventLagged:
			return out.send("event: asks\ndata: \n\n")
		case protocol.EventAsk:
			ask, err := ev.Ask()
			if err != nil {
				return err
			}
			return out.send(fmt.Sprintf("event: asks\ndata: %s\n\n", ask.Kind))
		case protocol.EventDecision:
			return out.send("event: calls\ndata: \n\n")
		}
		return nil
	})
	cancel()
	out.end()
	return nil
}

// stream writes server-sent events from two places.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController

	mu    sync.Mutex
	ended bool
}

func (s *stream) send(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return context.Canceled
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writePatience)) // without deadlines (tests) it waits
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

// end keeps a late event from a finished answer.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}
