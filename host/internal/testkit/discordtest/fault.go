package discordtest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Drop tells when a request's connection is cut.
type Drop int

// A connection is cut before the request takes effect, or after it did and before its
// answer goes out.
const (
	DropNever Drop = iota
	DropBefore
	DropAfter
)

// Fault is a fault for requests. It hits those of a matching method and route; the first
// applicable one added counts.
type Fault struct {
	// Method and Route as in Request; empty matches every one. Route may end in * and then
	// matches each with this prefix.
	Method, Route string
	// Skip leaves the first ones alone; Count is how many then meet it, 0 for all.
	Skip, Count int
	// Chance is how likely each meets it, from the server's seed; 0 for always.
	Chance float64

	// Status answers so, without effect, with Discord's Code and Message, or HTML text.
	Status  int
	Code    int
	Message string
	HTML    bool
	// RateLimit answers with a 429.
	RateLimit *RateLimit
	// Delay and Hold let it wait: so long, or until the channel is closed.
	Delay time.Duration
	Hold  <-chan struct{}
	Drop  Drop

	seen int
}

// RateLimit is a 429: of the bucket, of the whole bot, or Cloudflare's in HTML, with neither a
// readable body nor the headers of a bucket.
type RateLimit struct {
	After  time.Duration
	Global bool
	HTML   bool
}

// faults are the planned faults. Guarded by Server.mu.
type faults struct {
	faults      []*Fault
	refuseDials bool
	muteAcks    bool
}

// fate is the plan for one request.
type fate struct {
	answer *answer
	delay  time.Duration
	hold   <-chan struct{}
	drop   Drop
	text   string
}

// Inject adds a fault; remove takes it away.
func (s *Server) Inject(f Fault) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &f
	s.faults.faults = append(s.faults.faults, own)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults.faults = slices.DeleteFunc(s.faults.faults, func(other *Fault) bool { return other == own })
	}
}

// ClearFaults takes away every fault, those of the gateway too.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults{}
	s.cutAt = 0
}

// pick chooses a request's fate; s.mu is held.
func (s *Server) pick(method, route string) fate {
	for _, f := range s.faults.faults {
		if !f.matches(method, route) {
			continue
		}
		f.seen++
		if f.seen <= f.Skip || f.Count > 0 && f.seen > f.Skip+f.Count {
			continue
		}
		if f.Chance > 0 && s.random.Float64() >= f.Chance {
			continue
		}
		return f.fate()
	}
	return fate{}
}

func (f *Fault) matches(method, route string) bool {
	if f.Method != "" && f.Method != method {
		return false
	}
	if prefix, open := strings.CutSuffix(f.Route, "*"); open {
		return strings.HasPrefix(route, prefix)
	}
	return f.Route == "" || f.Route == route
}

func (f *Fault) fate() fate {
	to := fate{delay: f.Delay, hold: f.Hold, drop: f.Drop, text: "fault"}
	switch {
	case f.RateLimit != nil:
		to.answer = f.RateLimit.answer()
	case f.HTML:
		to.answer = &answer{status: f.Status, raw: []byte(f.Message), kind: "text/html"}
	case f.Status != 0:
		to.answer = fail(f.Status, f.Code, f.Message)
	}
	return to
}

func (r *RateLimit) answer() *answer {
	seconds := r.After.Seconds()
	header := http.Header{"Retry-After": {strconv.Itoa(int(seconds + 0.999))}}
	if r.HTML {
		return &answer{status: 429, kind: "text/html", header: header,
			raw: []byte("<!doctype html><title>Access denied</title><h1>Error 1015: You are being rate limited</h1>")}
	}
	header["X-RateLimit-Scope"] = []string{"user"}
	if r.Global {
		header["X-RateLimit-Global"], header["X-RateLimit-Scope"] = []string{"true"}, []string{"global"}
	} else {
		header["X-RateLimit-Limit"], header["X-RateLimit-Remaining"] = []string{"5"}, []string{"0"}
		header["X-RateLimit-Reset-After"] = []string{fmt.Sprintf("%.3f", seconds)}
		header["X-RateLimit-Bucket"] = []string{"injected"}
	}
	return &answer{status: 429, header: canonical(header),
		body: object{"message": "You are being rate limited.", "retry_after": seconds, "global": r.Global, "code": 0}}
}

func canonical(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		out[http.CanonicalHeaderKey(name)] = values
	}
	return out
}

// await lets a request wait as its fate wants; false when the server or the client went.
func (s *Server) await(ctx context.Context, f fate) bool {
	var timer <-chan time.Time
	if f.delay > 0 {
		t := time.NewTimer(f.delay)
		defer t.Stop()
		timer = t.C
	}
	for _, wait := range []func() bool{
		func() bool { return timer == nil || receive(timer, ctx.Done(), s.stop) },
		func() bool { return f.hold == nil || receive(f.hold, ctx.Done(), s.stop) },
	} {
		if !wait() {
			return false
		}
	}
	return true
}

func receive[T any](from <-chan T, gone, stop <-chan struct{}) bool {
	select {
	case <-from:
		return true
	case <-gone:
		return false
	case <-stop:
		return false
	}
}
