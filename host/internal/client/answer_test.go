package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// T07: an answer exchanged between client and daemon.

// altered is the request of a wrong MAC.
func altered(r *http.Request, change func(*http.Request)) *http.Request {
	other := r.Clone(r.Context())
	change(other)
	return other
}

// wrongMACs are MACs of a daemon, or a stranger, for anything but this answer to this request.
var wrongMACs = map[string]func(r *http.Request, body []byte, status int, answer []byte) string{
	"none":    func(*http.Request, []byte, int, []byte) string { return "" },
	"garbage": func(*http.Request, []byte, int, []byte) string { return strings.Repeat("0", 64) },
	"with another key": func(r *http.Request, b []byte, s int, a []byte) string {
		return answerMAC("cg_check_"+strings.Repeat("Z", 43), r, b, s, a)
	},
	"of another answer": func(r *http.Request, b []byte, s int, _ []byte) string {
		return answerMAC(someToken, r, b, s, []byte("{}"))
	},
	"of another body": func(r *http.Request, _ []byte, s int, a []byte) string {
		return answerMAC(someToken, r, []byte("{}"), s, a)
	},
	"of another status": func(r *http.Request, b []byte, _ int, a []byte) string { return answerMAC(someToken, r, b, 201, a) },
	"of another request": func(r *http.Request, b []byte, s int, a []byte) string {
		return answerMAC(someToken, altered(r, func(o *http.Request) { o.Header.Set(protocol.NonceHeader, strings.Repeat("n", 26)) }), b, s, a)
	},
	"of another path": func(r *http.Request, b []byte, s int, a []byte) string {
		return answerMAC(someToken, altered(r, func(o *http.Request) { o.RequestURI = "/v1/check?timeout=1s" }), b, s, a)
	},
	"of another method": func(r *http.Request, b []byte, s int, a []byte) string {
		return answerMAC(someToken, altered(r, func(o *http.Request) { o.Method = "PUT" }), b, s, a)
	},
	"cut off": func(r *http.Request, b []byte, s int, a []byte) string {
		return answerMAC(someToken, r, b, s, a)[:63]
	},
}

func TestT07_answerOfAnotherRequest(t *testing.T) {
	t.Parallel()
	right := func(r *http.Request, b []byte, s int, a []byte) string { return answerMAC(someToken, r, b, s, a) }
	for name, mac := range wrongMACs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryMAC(t, mac, false)
		})
	}
	t.Run("right", func(t *testing.T) {
		t.Parallel()
		tryMAC(t, right, true)
	})
}

// tryMAC has a daemon with the token, as far as its connections go, answer with allow and with
// MACs of its own.
func tryMAC(t *testing.T, mac func(*http.Request, []byte, int, []byte) string, taken bool) {
	t.Helper()
	answer := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.HasPrefix(r.RequestURI, "/v1/evaluate") {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(protocol.MACHeader, mac(r, body, http.StatusOK, []byte(soundResult)))
			_, _ = io.WriteString(w, soundResult)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		line := `{"result":` + soundResult
		_, _ = fmt.Fprintf(w, "%s,\"mac\":%q}\n", line, mac(r, body, http.StatusOK, []byte(line+"}")))
	}
	c, err := client.Dial(plainImpostor(t, someToken, answer), someToken)
	must(t, err)
	defer c.Close()
	res, err := c.Check(t.Context(), bash("ls"), nil)
	if got := err == nil && res.Decision.Behavior == engine.Allow; got != taken {
		t.Errorf("check: taken %t, want %t: %v", got, taken, err)
	}
	if !taken && (!errors.Is(err, client.ErrUnproven) || res.Decision.Behavior != engine.Deny) {
		t.Errorf("check: got %s, %v, want deny and ErrUnproven", res.Decision.Behavior, err)
	}
	res, err = c.Evaluate(t.Context(), bash("ls"))
	if got := err == nil && res.Decision.Behavior == engine.Allow; got != taken {
		t.Errorf("evaluate: taken %t, want %t: %v", got, taken, err)
	}
}

// TestT07_relabelledLine: a problem's MAC does not make a result of it.
func TestT07_relabelledLine(t *testing.T) {
	t.Parallel()
	c, err := client.Dial(plainImpostor(t, someToken, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/x-ndjson")
		mac := answerMAC(someToken, r, body, http.StatusOK, []byte(`{"problem":`+soundResult+`}`))
		_, _ = fmt.Fprintf(w, "{\"result\":%s,\"mac\":%q}\n", soundResult, mac)
	}), someToken)
	must(t, err)
	if res, err := c.Check(t.Context(), bash("ls"), nil); !errors.Is(err, client.ErrUnproven) || res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, %v, want ErrUnproven", res.Decision, err)
	}
}
