package telemetry

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Handler serves GET /metrics, /livez and /readyz to programs of this machine. ready returns why
// the daemon cannot decide calls now; nil when it can. It shows numbers only and takes no token:
// RATIONALE.md, "Who may read the metrics?".
func Handler(m *Metrics, ready func(context.Context) []string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if problems := ready(r.Context()); len(problems) > 0 {
			answer(w, http.StatusServiceUnavailable, "not ready: "+strings.Join(problems, "; "))
			return
		}
		answer(w, http.StatusOK, "ok")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" || !loopback(r.Host) {
			answer(w, http.StatusForbidden, "only programs of this machine may read this, under a loopback address")
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text) // the client has left
}

// loopback reports whether a Host header names this machine, as it does unless a browser was led
// here under another name.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

// patience bounds reading one request and writing one answer.
const patience = 10 * time.Second

// Serve answers on l until ctx ends, then closes it and returns nil.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // it has nothing to lose
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}
