package discordtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// traffic is the recorded traffic. Guarded by Server.mu.
type traffic struct {
	log        []Request
	violations []string
	steps      []string
	cutAt      int
}

// Request is one request of the bot and its answer.
type Request struct {
	At time.Time
	// Method and Route, as in POST /channels/{channel_id}/messages; Path as it came, with
	// the version.
	Method, Route, Path string
	// Params are the values in the path.
	Params map[string]string
	// Body is the JSON, of a form its payload_json; Files the names of its other parts.
	Body  []byte
	Files []string
	// Status is 0 when the connection was cut instead.
	Status int
	Answer []byte
	// Fault is the fault it met.
	Fault string
}

// record writes a request down, and checks it and its answer against the oracle.
func (s *Server) record(c *call, a *answer, fault string) {
	r := Request{At: s.opts.Now(), Method: c.method, Route: c.route, Path: c.path, Params: c.params, Body: c.body, Fault: fault}
	for _, f := range c.files {
		r.Files = append(r.Files, f.name)
	}
	var found []string
	if a != nil {
		r.Status, r.Answer = a.status, a.bytes()
	}
	if c.route != "" {
		found = s.oracle.check(c, r, fault != "")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r)
	s.violations = append(s.violations, found...)
	s.touch()
}

// Requests returns the bot's requests so far, oldest first; method and route narrow it down
// unless empty.
func (s *Server) Requests(method, route string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Request
	for _, r := range s.log {
		if (method == "" || r.Method == method) && (route == "" || r.Route == route) {
			list = append(list, r)
		}
	}
	return list
}

// ForgetRequests empties the log of requests and steps, for tests that measure memory.
func (s *Server) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.steps = nil, nil
}

// Violations are the rules of Discord broken so far by the bot, or this server.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// TakeViolations returns them and forgets them, for tests that break rules.
func (s *Server) TakeViolations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.violations
	s.violations = nil
	return taken
}

// Violate writes a broken rule down.
func (s *Server) Violate(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violate(format, args...)
}

func (s *Server) violate(format string, args ...any) {
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}

// step counts one event on the wire and tells whether the connection is to be cut there.
func (s *Server) step(what string) bool {
	s.mu.Lock()
	s.steps = append(s.steps, what)
	cut := s.cutAt != 0 && len(s.steps) == s.cutAt
	var sockets []*socket
	if cut {
		sockets = s.openSockets()
	}
	s.mu.Unlock()
	for _, socket := range sockets {
		socket.drop()
	}
	return cut
}

// Steps are the possible places so far to cut the wire: a request before it takes effect, an
// answer before it goes out, a packet of the gateway before it goes out. Heartbeats are none.
func (s *Server) Steps() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.steps)
}

// CutAt drops every socket at the nth step from now, 1 being the next, and with it the request
// of that step; 0 never. A packet cut off is sent again when the session is resumed.
func (s *Server) CutAt(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutAt = 0
	if n > 0 {
		s.cutAt = len(s.steps) + n
	}
}

// tail describes the last requests, for messages about tests waiting in vain.
func (s *Server) tail(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d sessions, %d sockets, %d requests; the last:\n", len(s.sessions), len(s.sockets), len(s.log))
	for _, r := range s.log[max(0, len(s.log)-n):] {
		answer := r.Answer
		if r.Status < 400 {
			answer = nil
		}
		fmt.Fprintf(&b, "  %s %s -> %d %.200s %s\n", r.Method, r.Path, r.Status, bytes.TrimSpace(answer), r.Fault)
	}
	for _, v := range s.violations[max(0, len(s.violations)-n):] {
		fmt.Fprintf(&b, "  broken rule: %s\n", v)
	}
	return b.String()
}
