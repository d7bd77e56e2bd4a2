package api

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/gate"
)

// The names of events besides those of asks ("ask"). All data is JSON.
const (
	// EventReady is the first event: from here on nothing is missed.
	EventReady = "ready"
	// EventAsk carries an ask.Event.
	EventAsk = "ask"
	// EventDecision carries a Decided.
	EventDecision = "decision"
	// EventConfig carries a ConfigChange.
	EventConfig = "config"
	// EventMismatch carries a Mismatch.
	EventMismatch = "mismatch"
	// EventModuleCompiling carries a Compiling.
	EventModuleCompiling = "module_compiling"
	// EventModuleSwapped and EventModuleRefused carry a catalog.Swap: a tool module that
	// came, went or was replaced, and one that was not taken.
	EventModuleSwapped = "module_swapped"
	EventModuleRefused = "module_refused"
	// EventPermissionRequest and EventPermissionDenied carry a gate.Notice.
	EventPermissionRequest = gate.PermissionRequest
	EventPermissionDenied  = gate.PermissionDenied
	// EventLagged tells that the reader was too slow and missed events.
	EventLagged = "lagged"
)

// Decided is a decision as the events tell it: without the input.
type Decided struct {
	Tool     string          `json:"tool"`
	Agent    string          `json:"agent,omitempty"`
	Session  string          `json:"session,omitempty"`
	CallID   string          `json:"call_id,omitempty"`
	Behavior engine.Behavior `json:"behavior"`
	Outcome  string          `json:"outcome"`
	Stage    engine.Stage    `json:"stage,omitempty"`
	Code     string          `json:"code,omitempty"`
	// Rule is the text of the rule that decided.
	Rule      string `json:"rule,omitempty"`
	AskID     string `json:"ask_id,omitempty"`
	DecidedBy string `json:"decided_by,omitempty"`
	// ModuleDigest is the SHA-256 of the module that answered.
	ModuleDigest string `json:"module_digest,omitempty"`
	AuditSeq     int64  `json:"audit_seq,omitempty"`
	Micros       int64  `json:"micros"`
}

func decisionEvent(req gate.Request, caller gate.Caller, res gate.Result) Decided {
	d := Decided{
		Tool: req.Tool, Agent: req.Context.Agent, Session: req.Context.Session, CallID: req.CallID,
		Behavior: res.Decision.Behavior, Outcome: string(res.Outcome), Stage: res.Decision.Stage, Code: res.Decision.Code,
		AskID: res.AskID, DecidedBy: res.DecidedBy, ModuleDigest: res.ModuleDigest, AuditSeq: res.AuditSeq, Micros: res.Micros,
	}
	if caller.Standing == gate.Checker {
		d.Agent = caller.Agent
	}
	if r := res.Decision.Rule; r != nil {
		d.Rule = r.String()
	}
	return d
}

// ConfigChange tells that the configuration was read again.
type ConfigChange struct {
	File string `json:"file"`
	// Error says why the old configuration stays; empty when the new one holds.
	Error string `json:"error,omitempty"`
	// Pending is how many changes of it wait until a person accepts the file;
	// the rest of it holds.
	Pending int `json:"pending,omitempty"`
}

// Tell tells the readers of events of an ask or a denial, whose secrets are masked.
func (s *Server) Tell(n gate.Notice) { s.feed.publish(n.Event, n) }

// Announce tells the readers of events about the configuration.
func (s *Server) Announce(c ConfigChange) { s.feed.publish(EventConfig, c) }

// Compiling tells that a tool module is compiled before it is tried, which takes
// seconds.
type Compiling struct {
	File string `json:"file"`
}

// Compiling tells the readers of events that a module is compiled.
func (s *Server) Compiling(file string) { s.feed.publish(EventModuleCompiling, Compiling{file}) }

// Swapped tells the readers of events what became of tool modules.
func (s *Server) Swapped(o catalog.Outcome) {
	for _, swap := range o.Swaps {
		name := EventModuleSwapped
		if swap.What == catalog.Refused || swap.What == catalog.Kept {
			name = EventModuleRefused
		}
		s.feed.publish(name, swap)
	}
}

// feed gives events that are not the broker's to all readers. The zero feed has
// none.
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

// publish never waits: a reader that is full gets EventLagged in the last place,
// and nothing more until it has read on.
func (f *feed) publish(name string, data any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for events := range f.readers {
		switch n := len(events); {
		case n < feedBuffer:
			events <- sent{name, data}
		case n == feedBuffer:
			events <- sent{EventLagged, struct{}{}}
		}
	}
}

// eventPause is how long a silent stream of events stays silent.
const eventPause = 15 * time.Second

// events streams what happens, as server-sent events. With the parameters
// surface and approver the reader is a place where a person answers, for as long
// as it reads; an approver without a surface only looks on. What happened before
// is not sent again: after a break a reader lists the waiting asks.
func (s *Server) events(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
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
	if caller.Standing == gate.Approver {
		approver = caller.Token
	}
	asks := s.c.Asks.Subscribe(r.Context())
	others, stop := s.feed.subscribe()
	defer stop()
	if surface != "" {
		defer s.c.Asks.Attach(ask.Surface{Name: surface, Approver: approver})()
	}
	w.Header().Set("Content-Type", formTypes[formEvents])
	s.pump(r, &eventWriter{w: w, control: http.NewResponseController(w)}, asks, others)
	return nil
}

// pump writes events until the reader leaves or the server stops.
func (s *Server) pump(r *http.Request, out *eventWriter, asks <-chan ask.Event, others <-chan sent) {
	out.write(EventReady, struct{}{})
	pause := time.NewTicker(eventPause)
	defer pause.Stop()
	for out.err == nil {
		select {
		case ev, open := <-asks:
			switch {
			case !open:
				return
			case ev.Kind == ask.EventLagged:
				out.write(EventLagged, struct{}{})
			default:
				out.write(EventAsk, ev)
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
