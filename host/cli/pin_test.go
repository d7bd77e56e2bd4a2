package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/store"
)

// TestServeOffersToChooseThePIN is the first text of the daemon's own terminal.
func TestServeOffersToChooseThePIN(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed  string
		set    bool
		screen string
	}{
		"chosen":         {"4711 0815\r4711 0815\r", true, "The approver PIN is set."},
		"left for later": {"\r", false, "set it later: callgate pin set"},
		"too easy":       {"12345678\r", false, "too easy to guess"},
		"mistyped":       {"4711 0815\r4711 0816\r", false, "the two PINs differ"},
		"second try":     {"12345678\r4711 0815\r4711 0816\r4711 0815\r4711 0815\r", true, "the two PINs differ"},
		"gone":           {"4711", false, "set it later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "callgate.db"), store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() }) // the directory goes with it
			k := pin.New(pin.Config{Store: s})
			var screen bytes.Buffer
			firstPIN(t.Context(), k, watcher{by: "ann", out: &screen, terminal: terminal.New(strings.NewReader(tt.typed), &screen)})
			status, err := k.Status(t.Context(), pin.Who{})
			if err != nil || status.Set != tt.set {
				t.Errorf("got %+v, %v, want set %t", status, err, tt.set)
			}
			if !strings.Contains(screen.String(), tt.screen) || strings.Contains(screen.String(), "4711") {
				t.Errorf("screen: got %q, want %q in it and no PIN", screen.String(), tt.screen)
			}
			if !tt.set {
				return
			}
			screen.Reset()
			firstPIN(t.Context(), k, watcher{by: "ann", out: &screen, terminal: terminal.New(strings.NewReader(""), &screen)})
			if screen.Len() > 0 {
				t.Errorf("at the next start: got %q, want nothing", screen.String())
			}
		})
	}
}
