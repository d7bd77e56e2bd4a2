package client_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

const someToken = "cg_check_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// soundResult is an allow as the gate gives it.
const soundResult = `{"decision":{"behavior":"allow","stage":"allow_rule","code":"rule_matched"},"outcome":"allow","digest":"` +
	`0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","audit_seq":7,"micros":12}`

// signed completes a test's answers as a daemon with the token: a line with SIGN in it, and an
// answer other than a stream, get their MAC.
type signed struct {
	http.ResponseWriter
	token  string
	r      *http.Request
	body   []byte
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *signed) WriteHeader(status int) { s.status = status }

// Write implements http.ResponseWriter.
func (s *signed) Write(p []byte) (int, error) {
	status := cmp.Or(s.status, http.StatusOK)
	s.Header().Set(protocol.MACHeader, answerMAC(s.token, s.r, s.body, status, p))
	s.ResponseWriter.WriteHeader(status)
	var out strings.Builder
	for line := range strings.Lines(string(p)) {
		if plain := strings.Replace(line, `,"mac":"SIGN"`, "", 1); plain != line {
			mac := answerMAC(s.token, s.r, s.body, http.StatusOK, []byte(strings.TrimSuffix(plain, "\n")))
			line = strings.Replace(line, "SIGN", mac, 1)
		}
		out.WriteString(line)
	}
	_, err := io.WriteString(s.ResponseWriter, out.String())
	return len(p), err
}

// Unwrap is for http.ResponseController.
func (s *signed) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// sign is where a line's MAC goes.
const sign = `,"mac":"SIGN"`

// impostor is a daemon with the token, answering for the test.
func impostor(t *testing.T, token string, check http.HandlerFunc) string {
	t.Helper()
	return plainImpostor(t, token, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		check(&signed{ResponseWriter: w, token: token, r: r, body: body}, r)
	})
}

// plainImpostor is an impostor with the given answer, MAC or not.
func plainImpostor(t *testing.T, token string, answer http.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, r *http.Request) {
		addr := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"status": "ok", "proof": protocol.Proof(protocol.TokenKey(token), r.URL.Query().Get("nonce"), addr)})
	})
	mux.HandleFunc("POST /v1/", answer)
	s := &http.Server{Handler: mux}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// broken are the answers of a daemon gone away: the call may be put again.
var broken = map[string]bool{
	"no line feed at the end": true, "only progress": true, "nothing": true, "cut off in the result": true,
	"connection cut in the stream": true,
}

// TestClient_takesAnAllowOnlyWhole tries answers close to one.
func TestClient_takesAnAllowOnlyWhole(t *testing.T) {
	t.Parallel()
	lines := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	stream := func(body string) http.HandlerFunc { return lines(200, "application/x-ndjson", body) }
	without := func(part string) string { return strings.Replace(soundResult, part, "", 1) }
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		allow  bool
	}{
		"whole":                     {stream(`{"progress":{"state":"shown"}}` + "\n" + `{"result":` + soundResult + sign + "}\n"), true},
		"no line feed at the end":   {stream(`{"result":` + soundResult + sign + "}"), false},
		"only progress":             {stream(`{"progress":{"state":"shown"}}` + "\n"), false},
		"nothing":                   {stream(""), false},
		"cut off in the result":     {stream(`{"result":` + soundResult[:60]), false},
		"two results":               {stream(strings.Repeat(`{"result":`+soundResult+sign+"}\n", 2)), false},
		"a problem after it":        {stream(`{"result":` + soundResult + sign + "}\n" + `{"problem":{}}` + "\n"), false},
		"progress after it":         {stream(`{"result":` + soundResult + sign + "}\n" + `{"progress":{"state":"shown"}}` + "\n"), false},
		"result and problem in one": {stream(`{"result":` + soundResult + `,"problem":{"error":{"code":"internal","message":"x"}},"mac":"SIGN"}` + "\n"), false},
		"status 202":                {lines(202, "application/x-ndjson", `{"result":`+soundResult+sign+"}\n"), false},
		"status 500":                {lines(500, "application/x-ndjson", `{"result":`+soundResult+sign+"}\n"), false},
		"status 403 with an allow":  {lines(403, "application/json", soundResult), false},
		"a page":                    {lines(200, "text/html", `{"result":`+soundResult+sign+"}\n"), false},
		"plain JSON":                {lines(200, "application/json", soundResult), false},
		"a name twice":              {stream(`{"result":{"decision":{"behavior":"deny","behavior":"allow","stage":"mode"},"outcome":"allow","audit_seq":1,"micros":1},"mac":"SIGN"}` + "\n"), false},
		"behavior in capitals":      {stream(`{"result":` + strings.Replace(soundResult, "allow", "ALLOW", 1) + sign + "}\n"), false},
		"not audited":               {stream(`{"result":` + without(`"audit_seq":7,`) + sign + "}\n"), false},
		"without an outcome":        {stream(`{"result":` + without(`"outcome":"allow",`) + sign + "}\n"), false},
		"without a stage":           {stream(`{"result":` + without(`"stage":"allow_rule",`) + sign + "}\n"), false},
		"outcome says deny":         {stream(`{"result":` + strings.Replace(soundResult, `"outcome":"allow"`, `"outcome":"deny"`, 1) + sign + "}\n"), false},
		"ask":                       {stream(`{"result":` + strings.Replace(soundResult, `"behavior":"allow"`, `"behavior":"ask"`, 1) + sign + "}\n"), false},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/health", http.StatusTemporaryRedirect)
		}, false},
		"connection cut in the stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-ndjson")
			_, _ = io.WriteString(w, `{"result":`+soundResult+sign+"}\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := client.Dial(impostor(t, someToken, tc.answer), someToken)
			must(t, err)
			defer c.Close()
			res, err := c.Check(t.Context(), bash("ls"), nil)
			if got := res.Decision.Behavior == engine.Allow && err == nil; got != tc.allow {
				t.Errorf("allowed: got %t, want %t: %+v, %v", got, tc.allow, res, err)
			}
			if err != nil && res.Decision.Behavior != engine.Deny {
				t.Errorf("beside the error %v: got %s, want deny", err, res.Decision.Behavior)
			}
			if got := errors.Is(err, client.ErrLost); got != broken[name] {
				t.Errorf("lost: got %t, want %t: %v", got, broken[name], err)
			}
		})
	}
}

func TestClient_problemInItsStream(t *testing.T) {
	t.Parallel()
	address := impostor(t, someToken, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, `{"problem":{"error":{"code":"internal","message":"the gate failed"},"decision":{"behavior":"deny"}},"mac":"SIGN"}`+"\n")
	})
	c, err := client.Dial(address, someToken)
	must(t, err)
	var refused *protocol.Error
	if _, err := c.Check(t.Context(), bash("ls"), nil); !errors.As(err, &refused) || refused.Code != protocol.CodeInternal {
		t.Errorf("got %v, want the daemon's own error", err)
	}
}

func TestClient_noDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, free.Close())
	for _, endpoint := range []string{filepath.Join(dir, "no.sock"), filepath.Join(dir, "none", "no.sock"), free.Addr().String()} {
		c, err := client.Dial(endpoint, someToken)
		must(t, err)
		res, err := c.Check(t.Context(), bash("ls"), nil)
		if !errors.Is(err, client.ErrNoDaemon) || !strings.Contains(err.Error(), "callgate serve") || res.Decision.Behavior != engine.Deny {
			t.Errorf("%s: got %+v, %v, want ErrNoDaemon and how to start it", endpoint, res.Decision, err)
		}
	}
}

func TestDial_refuses(t *testing.T) {
	t.Parallel()
	for endpoint, token := range map[string]string{
		"192.0.2.1:7433": someToken, "example.org:80": someToken, "https://127.0.0.1:1": someToken, "s.sock": someToken, "": someToken,
		"/run/s.sock": "", "/run/t.sock": "Bearer x", "/run/u.sock": someToken + "\r\nX: y",
	} {
		if _, err := client.Dial(endpoint, token); err == nil {
			t.Errorf("endpoint %q, token %q: got no error", endpoint, token)
		}
	}
	for _, endpoint := range []string{"/run/s.sock", "unix:/run/s.sock", "127.0.0.1:7433", "localhost:7433", "http://127.0.0.1:7433/", "[::1]:7433"} {
		if _, err := client.Dial(endpoint, someToken); err != nil {
			t.Errorf("endpoint %q: %v", endpoint, err)
		}
	}
}

// answerMAC is the MAC of an answer to a request with a read body, as made by a daemon with the
// token.
func answerMAC(token string, r *http.Request, body []byte, status int, answer []byte) string {
	b := protocol.Binding{Nonce: r.Header.Get(protocol.NonceHeader), Method: r.Method, Target: r.RequestURI, Body: sha256.Sum256(body)}
	return b.MAC(protocol.TokenKey(token), status, answer)
}

// bash is a call of command.
func bash(command string) wire.Request {
	return wire.Request{Tool: "Bash", Input: json.RawMessage(fmt.Sprintf(`{"command":%q}`, command))}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
