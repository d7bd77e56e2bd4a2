package webhook_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/webhook"
	"github.com/callgate/callgate/host/wire"
)

// TestT12_notesOfHugeCalls: an agent has a thousand calls of 16 MiB denied faster than their
// notices can be masked, making the daemon hold gigabytes of them.
func TestT12_notesOfHugeCalls(t *testing.T) {
	t.Parallel()
	h := webhook.NewHub(nil, webhook.Options{})
	t.Cleanup(h.Close)
	hold, held := make(chan struct{}), make(chan struct{}, 1000)
	h.Read(func(wire.Notice) { held <- struct{}{}; <-hold })
	t.Cleanup(func() { close(hold) })
	h.Notify(notice(wire.PermissionDenied, "a", "first"))
	<-held // the hub is busy, and all further ones wait
	n := notice(wire.PermissionDenied, "a", "huge")
	n.Arguments = json.RawMessage(`{"command":"` + string(bytes.Repeat([]byte("x"), 8<<20)) + `"}`)
	for range 100 {
		h.Notify(n)
		if got := h.Waiting(); got > webhook.HubBytes {
			t.Fatalf("%d bytes wait, want at most %d", got, webhook.HubBytes)
		}
	}
	if got := h.Dropped(); got < 90 || got == 100 {
		t.Errorf("%d of 100 were dropped, want all that do not fit and no other", got)
	}
	small := h.Dropped()
	h.Notify(notice(wire.PermissionDenied, "a", "small"))
	if h.Dropped() != small {
		t.Error("a small notice was dropped although there is room")
	}
}

// TestT07_plainOnlyToThisMachine: an address with its scheme in another case is posted to
// without TLS over the network, because its host's name leads there.
func TestT07_plainOnlyToThisMachine(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://localhost/x", "HTTP://localhost/x", "Http://127.0.0.1/x"} {
		if err := webhook.Dial(t.Context(), url, "192.0.2.1:9"); err == nil || !strings.Contains(err.Error(), "is not on this machine") {
			t.Errorf("%s: got %v, want no connection to 192.0.2.1", url, err)
		}
	}
}
