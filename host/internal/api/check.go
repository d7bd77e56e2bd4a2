package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

func (s *Server) check(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	q, err := query(r, "timeout")
	if err != nil {
		return err
	}
	timeout, err := q.duration("timeout")
	if err != nil {
		return err
	}
	req, done, err := s.admit(w, r, caller)
	if err != nil {
		return err
	}
	defer done()
	req.Timeout, req.Traceparent = timeout, r.Header.Get("Traceparent")
	s.leaves(r, caller)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := &stream{w: w, form: formOf(r), cancel: cancel, waiting: make(chan protocol.Progress, 16)}
	stop := s.heartbeats(out)
	res, err := s.c.Gate.Check(ctx, caller, req, out.progress)
	stop()
	return s.checked(out, caller, req, res, err)
}

// checked tells a check's result to the readers of events, and to its client.
func (s *Server) checked(out *stream, caller authority.Caller, req wire.Request, res wire.Result, err error) error {
	s.feed.publish(protocol.EventDecision, decisionEvent(req, caller, res))
	if err != nil {
		return out.fail(s, err, caller)
	}
	return out.result(res)
}

func (s *Server) evaluate(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	req, done, err := s.admit(w, r, caller)
	if err != nil {
		return err
	}
	defer done()
	res, err := s.c.Gate.Evaluate(r.Context(), caller, req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, res)
}

// admit takes a request's place among those under way and reads it; done gives
// the place back.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, caller authority.Caller) (req wire.Request, done func(), err error) {
	if !s.checks.enter(caller.Token) {
		return req, nil, s.tooManyChecks()
	}
	release, err := s.readJSON(w, r, caller, &req)
	if err != nil {
		s.checks.leave(caller.Token)
		return req, nil, err
	}
	return req, func() { release(); s.checks.leave(caller.Token) }, nil
}

// tooManyChecks is the answer without a place for a check.
func (s *Server) tooManyChecks() error {
	return failure(http.StatusTooManyRequests, protocol.CodeTooManyRequests, fmt.Sprintf(
		"too many checks are under way, those that wait for a person included: at most %d of one token and %d in all (asks.checks); try again when some have ended", s.checks.share(), s.checks.all))
}

// heartbeats shows life on the stream until stop is called; stop returns when
// nothing more is written.
func (s *Server) heartbeats(out *stream) (stop func()) {
	if out.form == formPlain {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(s.c.Heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				out.heartbeat()
			case p := <-out.waiting:
				out.write("progress", p)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// form is how an answer is written.
type form uint8

const (
	formPlain  form = iota // one JSON document at the end
	formLines              // application/x-ndjson
	formEvents             // text/event-stream
)

var formTypes = map[form]string{formLines: protocol.LinesType, formEvents: protocol.EventsType}

// formOf reads the Accept header.
func formOf(r *http.Request) form {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	switch {
	case strings.Contains(accept, formTypes[formLines]):
		return formLines
	case strings.Contains(accept, formTypes[formEvents]):
		return formEvents
	}
	return formPlain
}

// stream writes the progress of a check, or of a simulation, and its result. Writing begins with the first progress, so an
// immediate refusal keeps its status.
type stream struct {
	w      http.ResponseWriter
	form   form
	cancel func() // ends the check when its client has left
	// waiting holds unwritten progress. The excess is dropped: the gate never waits for a client.
	waiting chan protocol.Progress

	mu    sync.Mutex
	began bool
	last  protocol.Progress
}

// progress implements gate.Progress.
func (s *stream) progress(ev *ask.Event) {
	p := protocol.Progress{State: string(ev.Kind), AskID: ev.Ask.ID, Position: ev.Position, Deadline: ev.Ask.Deadline, Reason: ev.Ask.Decision.Reason}
	if ev.Kind == ask.EventVoted {
		p.Reason = ev.Ask.Progress()
	}
	s.mu.Lock()
	s.last = p
	s.mu.Unlock()
	select {
	case s.waiting <- p:
	default:
	}
}

func (s *stream) heartbeat() {
	s.mu.Lock()
	p := s.last
	s.mu.Unlock()
	p.State, p.Reason = protocol.StateHeartbeat, ""
	s.write("progress", p)
}

// write sends one line or event. Only one goroutine writes at a time: first the one of heartbeats,
// then the handler's.
func (s *stream) write(name string, v any) {
	body, err := protocol.Encode(v)
	if err != nil {
		s.cancel()
		return
	}
	if !s.began {
		s.began = true
		s.w.Header().Set("Content-Type", formTypes[s.form])
		s.w.WriteHeader(http.StatusOK)
	}
	patient(s.w)
	body = bytes.TrimSuffix(body, []byte("\n"))
	mac := ""
	if name != "progress" {
		mac = macOf(s.w, http.StatusOK, protocol.FinalLine(name, body))
	}
	switch {
	case s.form == formEvents && mac != "":
		body = append(sseEvent("mac", fmt.Appendf(nil, "%q", mac)), sseEvent(name, body)...)
	case s.form == formEvents:
		body = sseEvent(name, body)
	case mac != "":
		body = fmt.Appendf(nil, "{%q:%s,\"mac\":%q}\n", name, body, mac)
	default:
		body = append(protocol.FinalLine(name, body), '\n')
	}
	if _, err := s.w.Write(body); err != nil || http.NewResponseController(s.w).Flush() != nil {
		s.cancel() // the client has left
	}
}

// result ends the answer.
func (s *stream) result(res any) error {
	if s.form == formPlain {
		return reply(s.w, http.StatusOK, res)
	}
	s.write("result", res)
	return nil
}

// fail ends the answer with an error: as a problem, or, when the stream has
// begun, as its last line.
func (s *stream) fail(server *Server, err error, caller authority.Caller) error {
	if !s.began {
		return err
	}
	e := errorOf(err, caller)
	server.c.Log.Error("a request failed in its stream", "code", e.Code, "error", err)
	s.write("problem", problemOf(e))
	return nil
}

func sseEvent(name string, line []byte) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, strings.TrimSuffix(string(line), "\n"))
}
