package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// guarded keeps browsers and other machines out before anything else is looked
// at, and turns a panic into a denial. Threat T13.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &tracked{ResponseWriter: w}
		defer s.recover(out, r)
		h := out.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if err := guard(r); err != nil {
			s.refuse(out, err, authority.Caller{})
			return
		}
		out.bind(r)
		next.ServeHTTP(out, r)
	})
}

// guard refuses requests no honest client sends.
func guard(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete:
	default:
		return failure(http.StatusMethodNotAllowed, protocol.CodeBadRequest, "method not allowed: want GET, POST, PUT or DELETE")
	}
	if !localHost(r) {
		return failure(http.StatusForbidden, protocol.CodeBadHost, "the Host header is not a loopback address of this machine")
	}
	for _, header := range []string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode"} {
		if len(r.Header.Values(header)) > 0 {
			return failure(http.StatusForbidden, protocol.CodeBrowser, "web pages may not use this API (header "+header+")")
		}
	}
	return checkNonce(r)
}

// localHost reports whether the Host header names loopback, as it does unless a
// browser was led here under another name (DNS rebinding). Over a socket, where
// no browser comes, "callgate" is good as well.
func localHost(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	if addr := daemonAddr(r); addr != nil && addr.Network() == "unix" && host == protocol.SocketHost {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

// daemonAddr is the request's address of the daemon.
func daemonAddr(r *http.Request) net.Addr {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return addr
}

// recover answers for a handler after a panic: our bug, and a denial.
func (s *Server) recover(w *tracked, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v) // net/http cuts the connection
	}
	s.c.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	if w.began {
		panic(http.ErrAbortHandler) // a truncated answer is no allow
	}
	s.refuse(w, failure(http.StatusInternalServerError, protocol.CodeInternal, "internal error; see the daemon's log"), authority.Caller{})
}

// places counts requests under way. No token may hold more than half of all places, so one agent's
// flood leaves room for the others (threat T12).
type places struct {
	all int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

func newPlaces(all int) *places { return &places{all: all, by: map[string]int{}} }

// share is how many places one token may hold.
func (p *places) share() int { return max(p.all/2, 1) }

// enter takes a place and reports whether there was one.
func (p *places) enter(token string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.by[token] >= p.share() {
		return false
	}
	p.taken++
	p.by[token]++
	return true
}

// leave gives a place back.
func (p *places) leave(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[token]--; p.by[token] == 0 {
		delete(p.by, token)
	}
}

// used counts the places taken.
func (p *places) used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
