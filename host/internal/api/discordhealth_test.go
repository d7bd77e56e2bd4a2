package api_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// TestDiscordHealth: each state is one line, with advice where needed.
func TestDiscordHealth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		health    protocol.DiscordHealth
		want, fix string
	}{
		"none":       {protocol.DiscordHealth{}, "not set up", "callgate discord setup"},
		"connected":  {protocol.DiscordHealth{Configured: true, Connected: true, Bot: "gatekeeper (1)", Server: "2", Cards: 3}, "connected as gatekeeper (1), server 2; 3 open cards", ""},
		"restart":    {protocol.DiscordHealth{Configured: true, Connected: true, Restart: true}, "connected", "restart callgate serve"},
		"down":       {protocol.DiscordHealth{Configured: true, Problem: "no answer"}, "no answer; asks can be answered in a terminal", "reconnects by itself"},
		"connecting": {protocol.DiscordHealth{Configured: true}, "not connected: asks", "reconnects by itself"},
		"fatal":      {protocol.DiscordHealth{Configured: true, Fatal: true, Problem: "close code 4004"}, "4004", "restart callgate serve"},
	} {
		if got := c.health.String(); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q, want one line with %q", name, got, c.want)
		}
		if got := c.health.Fix(); !strings.Contains(got, c.fix) || (c.fix == "") != (got == "") {
			t.Errorf("%s: got the fix %q, want %q", name, got, c.fix)
		}
	}
}
