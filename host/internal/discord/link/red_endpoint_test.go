package link_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/discord/link"
)

// served is an endpoint behind a server of its own, with its log.
func served(t *testing.T, hurry time.Duration) (*httptest.Server, *lines) {
	t.Helper()
	log := &lines{}
	e, err := link.NewEndpoint(link.EndpointConfig{PublicKey: public, Events: newRecord(), Client: nowhere(t), Keep: forget, Log: slog.New(slog.NewTextHandler(log, nil))})
	must(t, err)
	e.ReadWithin(hurry)
	s := httptest.NewServer(e)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		must(t, e.Close())
	})
	return s, log
}

// Attack T14, T13: a stranger finds the endpoint and sends it everything but Discord's calls,
// with other hosts, paths and methods. It answers only the status, and repeats nothing; a flood
// of such calls leaves a line a second in the log.
func TestT14_unsignedCallsLearnNothing(t *testing.T) {
	s, log := served(t, time.Minute)
	const canary = "ghp_CANARYCANARYCANARYCANARYCANARY0000"
	began := time.Now()
	send := func(method, path, host string, change func(http.Header)) {
		t.Helper()
		r, err := http.NewRequestWithContext(ctxOf(t), method, s.URL+path, strings.NewReader(`{"type":1,"token":"`+canary+`"}`))
		must(t, err)
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Signature-Timestamp", strconv.FormatInt(time.Now().Unix(), 10))
		r.Header.Set("X-Signature-Ed25519", strings.Repeat("0", 128))
		if change != nil {
			change(r.Header)
		}
		answer, err := s.Client().Do(r)
		must(t, err)
		defer func() { must(t, answer.Body.Close()) }()
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		if text := strings.TrimSpace(string(body)); answer.StatusCode/100 != 4 || method != http.MethodHead && text != http.StatusText(answer.StatusCode) {
			t.Errorf("%s %s of %s: %s %q", method, path, host, answer.Status, body)
		}
		if fmt.Sprint(answer.Header) != "" && strings.Contains(fmt.Sprint(answer.Header), "allgate") {
			t.Errorf("the answer tells what answers: %v", answer.Header)
		}
	}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"} {
		for _, path := range []string{"/", "/discord", "/../../etc/passwd", "/v1/check", "/?token=" + canary} {
			for _, host := range []string{"", "evil.example", "127.0.0.1:1", "[::1]"} {
				send(method, path, host, nil)
			}
		}
	}
	send("POST", "/", "", func(h http.Header) { h.Set("Content-Type", "text/plain") })
	send("POST", "/", "", func(h http.Header) { h.Set("X-Signature-Timestamp", canary) })
	send("POST", "/", "", func(h http.Header) { h.Set("X-Signature-Ed25519", canary) })
	send("POST", "/", "", func(h http.Header) { h.Set("Origin", "https://evil.example") })
	if text := log.String(); strings.Contains(text, canary) {
		t.Errorf("the log has what was sent: %s", text)
	}
	if n, most := strings.Count(log.String(), "were refused"), 2+int(time.Since(began)/time.Second); n > most {
		t.Errorf("the flood left %d lines in the log, want at most %d", n, most)
	}
}

// Attack T12: connections begin a call and never end it, as many as are read at once. They are
// dropped after Discord's own limit, and its own calls come through; nothing of them remains.
func TestT12_slowBodies(t *testing.T) {
	before := runtime.NumGoroutine()
	s, _ := served(t, 200*time.Millisecond)
	address := s.Listener.Addr().String()
	var all sync.WaitGroup
	for range link.MaxReads {
		all.Go(func() {
			conn, err := (&net.Dialer{}).DialContext(ctxOf(t), "tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Signature-Timestamp: %d\r\nX-Signature-Ed25519: %s\r\nContent-Length: 1000\r\n\r\n{", time.Now().Unix(), strings.Repeat("0", 128))
			if err != nil {
				t.Error(err)
				return
			}
			// It is answered, and not kept for ever.
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return // cut without a word
			}
			must(t, answer.Body.Close())
		})
	}
	all.Wait()
	ping := call{body: `{"type":1}`}.request()
	r, err := http.NewRequestWithContext(ctxOf(t), http.MethodPost, s.URL, ping.Body)
	must(t, err)
	r.Header = ping.Header
	answer, err := s.Client().Do(r)
	must(t, err)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK {
		t.Errorf("Discord's own call gets %s", answer.Status)
	}
	s.Client().CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for runtime.NumGoroutine() > before+40 && ctx.Err() == nil {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before+40 {
		t.Errorf("%d goroutines are left of %d", n, before)
	}
}

// Attack T12: members of the server flood the bot with more interactions than it remembers. New
// ones are still processed, none twice, and the memory has a bound.
func TestT12_floodOfInteractions(t *testing.T) {
	t.Parallel()
	first, kept := link.NewSeen()
	now := time.Unix(1_800_000_000, 0)
	id := func(n int) string { return strconv.Itoa(1_000_000_000_000_000_000 + n) }
	for n := range link.MaxSeen + 5000 {
		if !first(id(n), now) {
			t.Fatalf("number %d is not taken", n)
		}
	}
	for _, n := range []int{0, 1, 4999, 5000, link.MaxSeen, link.MaxSeen + 4999} {
		if first(id(n), now) {
			t.Errorf("number %d is taken twice", n)
		}
	}
	if kept() > link.MaxSeen {
		t.Errorf("%d are remembered", kept())
	}
	for _, odd := range []string{"", "-1", "99999999999999999999", "abc"} {
		if first(odd, now) {
			t.Errorf("%q is taken", odd)
		}
	}
}
