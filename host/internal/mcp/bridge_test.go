package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// bridged is a bridge before a web server, with a client in the test's hands.
type bridged struct {
	t      *testing.T
	daemon *fakeDaemon
	in     *io.PipeWriter
	out    chan string
	end    chan error
	mu     sync.Mutex
	notes  []string
}

// newBridged is one with a token among its headers. The server begins a session.
func newBridged(t *testing.T, server *webServer) *bridged {
	t.Helper()
	b := &bridged{t: t, daemon: newFakeDaemon(), out: make(chan string, 2048), end: make(chan error, 1)}
	b.daemon.accept(tool("read"), tool("deny_it"), tool("ask_it"))
	up, header, err := ParseEntry(fmt.Sprintf(`{"url": %q, "headers": {"Authorization": "Bearer s3cret"}, /* c */ }`, server.URL+"/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	var client *io.PipeReader
	client, b.in = io.Pipe()
	answers, toClient := io.Pipe()
	c := Config{
		Server: "web", Connect: func() (Daemon, error) { return b.daemon, nil },
		Note: func(line string) { b.mu.Lock(); defer b.mu.Unlock(); b.notes = append(b.notes, line) },
	}
	go func() { b.end <- Bridge(context.Background(), c, client, toClient, up, header); _ = toClient.Close() }()
	go func() {
		for in := newLines(answers); ; {
			line, err := in.next()
			if err != nil {
				close(b.out)
				return
			}
			b.out <- string(line)
		}
	}()
	t.Cleanup(func() { _ = b.in.Close() })
	return b
}

func (b *bridged) send(lines ...string) {
	b.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(b.in, l+"\n"); err != nil {
			b.t.Fatal(err)
		}
	}
}

// sessions answers as a server with sessions, and with a stream of its own messages.
func sessions(t *testing.T, s *webServer) {
	usual, done := s.answer, make(chan struct{})
	t.Cleanup(func() { close(done) })
	s.answer = func(w http.ResponseWriter, body string) {
		switch {
		case strings.Contains(body, `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "abc")
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n\n")
		case body == "":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n\n")
			_ = http.NewResponseController(w).Flush() // a client that is gone needs none
			<-done
		case !strings.Contains(body, `"id"`):
			w.WriteHeader(http.StatusAccepted)
		default:
			usual(w, body)
		}
	}
}

const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`

// TestBridge: messages pass both ways, calls are judged, and each request has the entry's headers,
// the session and the revision.
func TestBridge(t *testing.T) {
	t.Parallel()
	s := newWebServer(t)
	sessions(t, s)
	b := newBridged(t, s)
	b.send(begin)
	want(t, b.out, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
	first := <-s.got
	<-s.bodies
	if first.Header.Get("Authorization") != "Bearer s3cret" || first.Header.Get(versionHeader) != "" || first.Header.Get(sessionHeader) != "" {
		t.Errorf("initialize came with %v", first.Header)
	}
	b.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	want(t, b.out, `resources/list_changed`) // of the server's own stream
	for range 2 {                            // the notification, and the stream
		r := <-s.got
		if body := <-s.bodies; r.Header.Get(sessionHeader) != "abc" || r.Header.Get(versionHeader) != "2025-11-25" || r.Header.Get("Authorization") != "Bearer s3cret" {
			t.Errorf("%s %q came with %v", r.Method, body, r.Header)
		}
	}
	b.send(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	want(t, b.out, `"id":"l"`, `"read"`, `"x-kept":1`)
	b.send(call("2", "read", `{"a":1.0}`))
	want(t, b.out, `"id":2`, `"ran":true`)
	if body := <-s.bodies; body != call("2", "read", `{"a":1.0}`) {
		t.Errorf("the server read %s", body)
	}
	<-s.got
	b.send(call("3", "deny_it", `{}`))
	want(t, b.out, `"id":3`, `Denied`, `"isError":true`)
	none(t, s.bodies)
	_ = b.in.Close()
	if err := <-b.end; err != nil {
		t.Errorf("the end: %v", err)
	}
	if r := <-s.got; r.Method != http.MethodDelete || r.Header.Get(sessionHeader) != "abc" {
		t.Errorf("at the end: %s with %v", r.Method, r.Header)
	}
	if text := strings.Join(b.notes, "\n"); strings.Contains(text, "s3cret") {
		t.Errorf("a secret in the log: %s", text)
	}
}

// TestBridge_modern: a request of the revision 2026-07-28 has its own headers, and its cancellation
// ends the connection.
func TestBridge_modern(t *testing.T) {
	t.Parallel()
	s := newWebServer(t)
	gone := make(chan bool, 1)
	s.answer = func(w http.ResponseWriter, body string) {
		if strings.Contains(body, "wait") {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": begun\n\n")
			_ = http.NewResponseController(w).Flush() // a client that is gone is what is waited for
			for {
				if _, err := fmt.Fprint(w, ": still\n\n"); err != nil || http.NewResponseController(w).Flush() != nil {
					gone <- true
					return
				}
				time.Sleep(time.Millisecond) // until the connection ends
			}
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{\n \"jsonrpc\":\"2.0\", \"id\":2, \"result\":{}\n}")
	}
	b := newBridged(t, s)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	b.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///é",` + meta + `}}`)
	want(t, b.out, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	r := <-s.got
	<-s.bodies
	if h := r.Header; h.Get(versionHeader) != "2026-07-28" || h.Get("Mcp-Method") != "resources/read" || h.Get("Mcp-Name") != "=?base64?ZmlsZTovLy/DqQ==?=" {
		t.Errorf("headers: %v", h)
	}
	b.send(`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"wait",` + meta + `}}`)
	<-s.got
	b.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	<-gone
}

// TestBridge_refused: what the server does not answer becomes an error with its reason, without a
// secret.
func TestBridge_refused(t *testing.T) {
	t.Parallel()
	for status, words := range map[int]string{http.StatusUnauthorized: "wants another token", http.StatusFound: "redirects", http.StatusOK: "without an answer", http.StatusBadGateway: "502"} {
		s := newWebServer(t)
		s.answer = func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Location", "https://elsewhere.example.com/")
			w.WriteHeader(status)
		}
		b := newBridged(t, s)
		b.send(begin)
		if text := want(t, b.out, `"id":1`, `"error"`, words); strings.Contains(text, "s3cret") {
			t.Errorf("status %d: %s", status, text)
		}
	}
}

// TestBridge_unreadable: an answer that is no message, or too long, becomes an error that says so.
func TestBridge_unreadable(t *testing.T) {
	t.Parallel()
	for body, words := range map[string]string{"<html>\n</html>": "cannot be read: want a JSON object", strings.Repeat("x", maxMessage+1): "cannot be read: a message is larger"} {
		s := newWebServer(t)
		s.answer = func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		}
		b := newBridged(t, s)
		b.send(begin)
		want(t, b.out, `"id":1`, `"error"`, words)
	}
}

// TestParseEntry: no error holds a part of the entry.
func TestParseEntry(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{`, `{"headers":{}}`, `{"url":7}`, `{"url":"ftp://s3cret"}`, `{"url":"http://s3cret.example.com/"}`, `{"url":"https://x","headers":["s3cret"]}`,
		`{"url":"https://x","headers":{"A":7}}`, `{"url":"https://x","headers":{"A":"s3cret\n"}}`, `{"url":"https://x","url":"https://s3cret"}`,
	} {
		if _, _, err := ParseEntry(text); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
