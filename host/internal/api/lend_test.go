package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// TestT13_Lend: a lent secret has the rights of its token, and ends with it, with its time and by its
// end.
func TestT13_Lend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	standing := func(secret string) string {
		c, known := w.tokens.Caller(secret)
		if !known {
			return "unknown"
		}
		return c.Token
	}
	lend := func(name string, hold time.Duration) (secret string, end func()) {
		t.Helper()
		secret, alive, end, err := w.tokens.Lend(name, hold)
		must(t, err)
		if got := standing(secret); got != name || alive.Err() != nil {
			t.Fatalf("the lent secret of %s speaks for %q (%v)", name, got, alive.Err())
		}
		return secret, end
	}

	ended, end := lend("approver", time.Hour)
	end()
	late, _ := lend("approver", time.Hour)
	w.ahead.Store(int64(2 * time.Hour))
	if got := standing(late); got != "unknown" {
		t.Errorf("after its time: %q", got)
	}
	if got := standing(ended); got != "unknown" {
		t.Errorf("after its end: %q", got)
	}

	secret, _ := lend("approver", time.Hour)
	other, _ := lend("admin", time.Hour)
	_, err := w.tokens.Revoke(t.Context(), "approver", "test")
	must(t, err)
	if got := standing(secret); got != "unknown" {
		t.Errorf("after its token was revoked: %q", got)
	}
	if got := standing(other); got != "admin" {
		t.Errorf("another token's: %q", got)
	}
	for _, name := range []string{"approver", "nobody", ""} {
		if _, _, _, err := w.tokens.Lend(name, time.Hour); err == nil || !strings.Contains(err.Error(), store.ErrNotFound.Error()) {
			t.Errorf("lend of %q: %v", name, err)
		}
	}
}

// TestT13_ConsoleLink: a link is for people; their token names them.
func TestT13_ConsoleLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, want := range map[string]int{"admin": http.StatusOK, "approver": http.StatusOK, "integrator": http.StatusForbidden, "ci": http.StatusForbidden} {
		got := w.attempt(t, name, "", attempt{route: "POST /v1/console", path: "/v1/console?by=eve"})
		if got.status != want {
			t.Errorf("%s: %d, want %d: %s", name, got.status, want, got.body)
		}
		if name == "approver" && !strings.Contains(got.body, "by=approver") {
			t.Errorf("an approver's link is in another name: %s", got.body)
		}
	}
}
