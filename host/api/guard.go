package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"

	"github.com/callgate/callgate/host/gate"
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
			s.refuse(out, err, gate.Caller{})
			return
		}
		out.bind(r)
		next.ServeHTTP(out, r)
	})
}

// guard refuses what no honest client sends.
func guard(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete:
	default:
		return failure(http.StatusMethodNotAllowed, CodeBadRequest, "method not allowed: want GET, POST, PUT or DELETE")
	}
	if !localHost(r) {
		return failure(http.StatusForbidden, CodeBadHost, "the Host header does not name this machine's loopback")
	}
	for _, header := range []string{"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode"} {
		if len(r.Header.Values(header)) > 0 {
			return failure(http.StatusForbidden, CodeBrowser, "web pages may not use this interface (header "+header+")")
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
	if addr := daemonAddr(r); addr != nil && addr.Network() == "unix" && host == socketHost {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

// socketHost is the Host of requests over a socket, where there is none.
const socketHost = "callgate"

// daemonAddr is the address at which the request came in.
func daemonAddr(r *http.Request) net.Addr {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return addr
}

// recover answers for a handler that panicked: our bug, and a denial.
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
	s.refuse(w, failure(http.StatusInternalServerError, CodeInternal, "the gate failed: its log says why"), gate.Caller{})
}
