package api_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// TestEvents_readerIsASurface: asks are possible for as long as it reads.
func TestEvents_readerIsASurface(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- w.client("admin").Events(ctx, "terminal", "ana", func(ev client.Event) error {
			if ev.Name == protocol.EventReady {
				close(ready)
			}
			return nil
		})
	}()
	receive(t, ready)
	if got := w.broker.Surfaces(); !slices.Equal(got, []ask.Surface{{Name: "terminal", Approver: "ana"}}) {
		t.Errorf("surfaces: got %v", got)
	}
	h, err := w.client("admin").Health(t.Context())
	if err != nil || !slices.Equal(h.Surfaces, []string{"terminal"}) {
		t.Errorf("health: got %v, %v", h.Surfaces, err)
	}
	leave()
	if err := receive(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("reader: got %v, want canceled", err)
	}
	w.close() // waits for the handler; the clean-up closes once more
	if w.broker.HasSurface() {
		t.Error("the surface is still attached after its reader left")
	}
}

func TestEvents_endWithTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- w.client("admin").Events(t.Context(), "", "ana", func(client.Event) error { close(ready); return nil })
	}()
	receive(t, ready)
	must(t, w.server.Shutdown(t.Context()))
	if err := receive(t, done); !errors.Is(err, client.ErrNoDaemon) {
		t.Errorf("reader: got %v, want ErrNoDaemon", err)
	}
}

// TestEvents_slowReaderLags: it loses events, gets a note, and delays no one.
func TestEvents_slowReaderLags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := strings.Repeat("x", 64<<10) // fills the connection's buffers soon
	announced := make(chan struct{})
	var lagged bool
	stop := errors.New("seen enough")
	err := w.client("admin").Events(t.Context(), "", "", func(ev client.Event) error {
		switch ev.Name {
		case protocol.EventReady:
			go func() {
				defer close(announced)
				for i := range 2000 {
					w.server.Announce(protocol.ConfigChange{File: fmt.Sprint(i), Error: long})
				}
			}()
			receive(t, announced) // nothing is read meanwhile
			w.server.Announce(protocol.ConfigChange{File: "last"})
		case protocol.EventLagged:
			lagged = true
			return stop
		}
		return nil
	})
	if !lagged || !errors.Is(err, stop) {
		t.Errorf("lagged: got %t, %v", lagged, err)
	}
}

// TestEvents_notices: asks and denials are events by the names of docs/callbacks.md, "Events".
func TestEvents_notices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	ready, got := make(chan struct{}), make(chan client.Event, 1)
	go func() {
		_ = w.client("admin").Events(ctx, "", "", func(ev client.Event) error { // it ends with the test
			switch ev.Name {
			case protocol.EventReady:
				close(ready)
			case protocol.EventPermissionDenied:
				got <- ev
			}
			return nil
		})
	}()
	receive(t, ready)
	w.server.Tell(wire.Notice{Event: wire.PermissionDenied, ToolName: "Bash", ToolUseID: "toolu_1", Arguments: []byte(`{"command":"make"}`), Reason: "no"})
	ev := receive(t, got)
	for _, want := range []string{`"tool_name":"Bash"`, `"tool_use_id":"toolu_1"`, `"arguments":{"command":"make"}`, `"reason":"no"`} {
		if !strings.Contains(string(ev.Data), want) {
			t.Errorf("got %s, want %s in it", ev.Data, want)
		}
	}
}
