package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
)

// T07: the port or socket taken while ours is down.

// eavesdropper accepts connections and keeps their input.
type eavesdropper struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (e *eavesdropper) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

func (e *eavesdropper) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

// listen has each connection answered by answer, given e's input.
func (e *eavesdropper) listen(t *testing.T, network, address string, answer func(in *bufio.Reader, conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				answer(bufio.NewReader(io.TeeReader(conn, e)), conn)
			}()
		}
	}()
	return l.Addr().String()
}

func TestT07_fakeDaemonNeverSeesTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	say := func(text string) func(*bufio.Reader, net.Conn) {
		return func(in *bufio.Reader, conn net.Conn) {
			for {
				if _, err := http.ReadRequest(in); err != nil {
					return
				}
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
			}
		}
	}
	relay := func(network, address string) func(*bufio.Reader, net.Conn) {
		return func(in *bufio.Reader, conn net.Conn) {
			real, err := net.Dial(network, address)
			if err != nil {
				return
			}
			defer func() { _ = real.Close() }()
			go func() { _, _ = io.Copy(conn, real) }()
			_, _ = io.Copy(real, in)
		}
	}
	dir := shortDir(t)
	for name, tc := range map[string]struct {
		network, address string
		answer           func(*bufio.Reader, net.Conn)
	}{
		"says it is well":            {"tcp", "127.0.0.1:0", say(`{"status":"ok"}`)},
		"allows everything":          {"tcp", "127.0.0.1:0", say(`{"decision":{"behavior":"allow","stage":"allow_rule","code":"rule_matched"},"outcome":"allow","audit_seq":7,"micros":12}`)},
		"guesses a proof":            {"tcp", "127.0.0.1:0", say(`{"status":"ok","proof":"` + strings.Repeat("0", 64) + `"}`)},
		"passes on to the port":      {"tcp", "127.0.0.1:0", relay("tcp", w.port)},
		"passes on to the socket":    {"tcp", "127.0.0.1:0", relay("unix", w.socket)},
		"socket, well":               {"unix", filepath.Join(dir, "a.sock"), say(`{"status":"ok"}`)},
		"socket, passes on":          {"unix", filepath.Join(dir, "b.sock"), relay("unix", w.socket)},
		"hangs up":                   {"tcp", "127.0.0.1:0", func(*bufio.Reader, net.Conn) {}},
		"answers what is not HTTP":   {"tcp", "127.0.0.1:0", func(_ *bufio.Reader, c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n") }},
		"answers before it is asked": {"tcp", "127.0.0.1:0", func(_ *bufio.Reader, c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ear eavesdropper
			c := w.dial(ear.listen(t, tc.network, tc.address, tc.answer), "default")
			res, err := c.Check(t.Context(), bash("ls secret-input"), nil)
			if err == nil || res.Decision.Behavior != engine.Deny {
				t.Errorf("got %+v, %v, want an error and deny", res.Decision, err)
			}
			for _, secret := range []string{w.token("default"), "cg_check_", "secret-input", "Authorization"} {
				if strings.Contains(ear.heard(), secret) {
					t.Errorf("it was told %q: %s", secret, ear.heard())
				}
			}
			if err != nil && strings.Contains(err.Error(), w.token("default")) {
				t.Errorf("the error tells the token: %v", err)
			}
		})
	}
}
