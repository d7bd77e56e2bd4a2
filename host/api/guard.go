package api

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
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
	case http.MethodGet, http.MethodPost, http.MethodDelete:
	default:
		return failure(http.StatusMethodNotAllowed, CodeBadRequest, "method not allowed: want GET, POST or DELETE")
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

// entitled tells who the caller is, if the route may answer them.
func (s *Server) entitled(w http.ResponseWriter, r *http.Request, want need) (gate.Caller, error) {
	k, known, err := s.bearer(r)
	agent := s.c.Boundary.agent(peerOf(r))
	if known {
		s.c.Tokens.note(k)
		if t, ok := w.(*tracked); ok {
			t.key, t.life = k.sum[:], k.life
		}
	}
	switch {
	case want == needNobody && agent && k.caller.Standing != gate.Checker:
		return gate.Caller{}, nil
	case want == needNobody:
		return k.caller, nil
	case err != nil:
		return gate.Caller{}, err
	case !known:
		s.stranger()
		return gate.Caller{}, failure(http.StatusUnauthorized, CodeUnauthorized,
			"no such token, or it was revoked, rotated or has expired: send Authorization: Bearer with a token in force (agents/NAME.token, admin.token in the daemon's state directory)")
	case agent && !(want.agents() && k.caller.Standing == gate.Checker):
		return k.caller, failure(http.StatusForbidden, CodeForbidden,
			"this account belongs to an agent: it may have its calls checked, with its check token, and nothing else")
	case !slices.Contains(mayUse[want], k.caller.Standing):
		return k.caller, failure(http.StatusForbidden, CodeForbidden,
			fmt.Sprintf("this needs a token of kind %s, and yours is of kind %s", kinds(mayUse[want]), kindOf[k.caller.Standing]))
	}
	return k.caller, nil
}

// kindOf are the kinds of tokens by the standing they give.
var kindOf = map[gate.Standing]store.TokenKind{
	gate.Checker: store.TokenCheck, gate.Approver: store.TokenApprover,
	gate.Admin: store.TokenAdmin, gate.Integrator: store.TokenIntegrator,
}

// kinds names the kinds of tokens that give one of the standings.
func kinds(standings []gate.Standing) string {
	var words []string
	for _, s := range standings {
		words = append(words, string(kindOf[s]))
	}
	return strings.Join(words, " or ")
}

// stranger counts a request with a token that nobody knows.
func (s *Server) stranger() {
	if n := s.strangers.count(); n > 0 {
		s.c.Log.Warn("requests without a token in force were refused", "requests", n)
	}
}

// bearer reads the token. An unknown one is not an error here: who it is for
// decides.
func (s *Server) bearer(r *http.Request) (token, bool, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return token{}, false, nil
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return token{}, false, failure(http.StatusUnauthorized, CodeUnauthorized, "want one header Authorization: Bearer TOKEN")
	}
	k, known := s.c.Tokens.find(secret)
	return k, known, nil
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

// tracked notes whether an answer has begun, and what its MAC is made of.
type tracked struct {
	http.ResponseWriter
	began bool
	// request is set when the client sent a nonce, key when its token is known.
	request *binding
	body    hash.Hash
	key     []byte
	life    context.Context // of the token; nil without one
}

// whileInForce is the request for as long as its token is in force: what waits
// for it, a human's answer or events, ends with the token. done frees what that
// takes.
func whileInForce(w http.ResponseWriter, r *http.Request) (bound *http.Request, done func()) {
	t, ok := w.(*tracked)
	if !ok || t.life == nil {
		return r, func() {}
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(t.life, cancel)
	return r.WithContext(ctx), func() { stop(); cancel() }
}

// WriteHeader implements http.ResponseWriter.
func (t *tracked) WriteHeader(status int) {
	t.began = true
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *tracked) Write(p []byte) (int, error) {
	t.began = true
	return t.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }
