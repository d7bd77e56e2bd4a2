package api_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// TestAnswer_withoutNonce: a client without a nonce gets no MAC, and one with a bad nonce an
// error.
func TestAnswer_withoutNonce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := rawRequest{method: "POST", path: "/v1/evaluate", token: "ci", body: `{"tool":"Bash","input":{"command":"ls"}}`}
	if got := w.mustRaw(t, r); got.status != 200 || got.header.Get(protocol.MACHeader) != "" {
		t.Errorf("without a nonce: got %d, MAC %q", got.status, got.header.Get(protocol.MACHeader))
	}
	r.header = map[string]string{protocol.NonceHeader: "short"}
	if got := w.mustRaw(t, r); got.status != 400 || !strings.Contains(got.body, protocol.NonceHeader) {
		t.Errorf("short nonce: got %d %s, want 400", got.status, got.body)
	}
	r.header = map[string]string{protocol.NonceHeader: strings.Repeat("n", 26)}
	if got := w.mustRaw(t, r); got.status != 200 || len(got.header.Get(protocol.MACHeader)) != 64 {
		t.Errorf("with a nonce: got %d, MAC %q", got.status, got.header.Get(protocol.MACHeader))
	}
	r.secret = "Bearer " + oldSecret("cg_check_", "A")
	if got := w.mustRaw(t, r); got.status != 401 || got.header.Get(protocol.MACHeader) != "" {
		t.Errorf("with an unknown token: got %d, MAC %q", got.status, got.header.Get(protocol.MACHeader))
	}
	r.secret, r.path, r.accept = "", "/v1/check", "text/event-stream"
	if got := w.mustRaw(t, r); !strings.Contains(got.body, "event: mac\ndata: \"") || strings.Index(got.body, "event: mac") > strings.Index(got.body, "event: result") {
		t.Errorf("stream of events: got %s, want a MAC before the result", got.body)
	}
}
