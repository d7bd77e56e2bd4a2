package api

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

func decisionEvent(req wire.Request, caller authority.Caller, res wire.Result) protocol.Decided {
	d := protocol.Decided{
		Tool: req.Tool, Agent: req.Context.Agent, Session: req.Context.Session, CallID: req.CallID,
		Behavior: res.Decision.Behavior, Outcome: string(res.Outcome), Stage: res.Decision.Stage, Code: res.Decision.Code,
		AskID: res.AskID, DecidedBy: res.DecidedBy, ModuleDigest: res.ModuleDigest, AuditSeq: res.AuditSeq, Micros: res.Micros,
	}
	if caller.Kind == authority.Checker {
		d.Agent = caller.Agent
	}
	if r := res.Decision.Rule; r != nil {
		d.Rule = r.String()
	}
	return d
}

// Tell reports an ask or a denial to the readers of events. Its secrets are masked.
func (s *Server) Tell(n wire.Notice) { s.feed.publish(n.Event, n) }

// Announce tells the readers of events about the configuration.
func (s *Server) Announce(c protocol.ConfigChange) { s.feed.publish(protocol.EventConfig, c) }

// Compiling reports a module's compilation to the readers of events.
func (s *Server) Compiling(file string) {
	s.feed.publish(protocol.EventModuleCompiling, protocol.Compiling{File: file})
}

// Swapped reports the outcome for tool modules to the readers of events.
func (s *Server) Swapped(o modules.Outcome) {
	for _, swap := range o.Swaps {
		name := protocol.EventModuleSwapped
		if swap.What == wire.SwapRefused || swap.What == wire.SwapKept {
			name = protocol.EventModuleRefused
		}
		s.feed.publish(name, swap)
	}
}

// feed passes events from outside the broker to all readers. The zero feed has none.
type feed struct {
	mu      sync.Mutex
	readers map[chan sent]struct{}
}

// sent is one event.
type sent struct {
	name string
	data any
}

// feedBuffer is how many events may wait for one reader.
const feedBuffer = 256

// subscribe returns the events from now on until stop is called.
func (f *feed) subscribe() (events chan sent, stop func()) {
	events = make(chan sent, feedBuffer+1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers == nil {
		f.readers = map[chan sent]struct{}{}
	}
	f.readers[events] = struct{}{}
	return events, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.readers, events)
	}
}

// publish never waits: a full reader gets EventLagged in the last place, and nothing more until it
// has read on.
func (f *feed) publish(name string, data any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for events := range f.readers {
		switch n := len(events); {
		case n < feedBuffer:
			events <- sent{name, data}
		case n == feedBuffer:
			events <- sent{protocol.EventLagged, struct{}{}}
		}
	}
}

// eventPause is how long a silent stream of events stays silent.
const eventPause = 15 * time.Second

// events streams server-sent events. With the parameters surface and approver the reader is a place
// where a person answers, for as long as it reads; an approver without a surface only looks on.
// Earlier events are not sent again: after a break a reader lists the waiting asks.
func (s *Server) events(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	q, err := query(r, "surface", "approver")
	if err != nil {
		return err
	}
	surface, err := person("surface", q["surface"], "")
	if err != nil {
		return err
	}
	approver, err := person("approver", q["approver"], "")
	if err != nil {
		return err
	}
	if caller.Kind == authority.Approver {
		approver = caller.Token
	}
	asks := s.c.Asks.Subscribe(r.Context())
	others, stop := s.feed.subscribe()
	defer stop()
	if surface != "" {
		defer s.c.Asks.Attach(ask.Surface{Name: surface, Approver: approver})()
	}
	w.Header().Set("Content-Type", protocol.EventsType)
	s.pump(r, &eventWriter{w: w, control: http.NewResponseController(w)}, asks, others)
	return nil
}

// pump writes events until the reader leaves or the server stops.
func (s *Server) pump(r *http.Request, out *eventWriter, asks <-chan ask.Event, others <-chan sent) {
	out.write(protocol.EventReady, struct{}{})
	pause := time.NewTicker(eventPause)
	defer pause.Stop()
	for out.err == nil {
		select {
		case ev, open := <-asks:
			switch {
			case !open:
				return
			case ev.Kind == ask.EventLagged:
				out.write(protocol.EventLagged, struct{}{})
			default:
				out.write(protocol.EventAsk, ev)
			}
		case ev := <-others:
			out.write(ev.name, ev.data)
		case <-pause.C:
			out.send([]byte(": still here\n\n"))
		case <-s.stop:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// eventWriter writes server-sent events until one fails.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (e *eventWriter) write(name string, data any) {
	line, err := json.Marshal(data)
	if err != nil {
		e.err = err
		return
	}
	e.send(sseEvent(name, line))
}

func (e *eventWriter) send(text []byte) {
	patient(e.w)
	if _, e.err = e.w.Write(text); e.err == nil {
		e.err = e.control.Flush()
	}
}
