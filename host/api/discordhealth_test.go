package api_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/api"
)

// TestDiscordHealth: each state is told in one line, and with what to do where
// something has to be done.
func TestDiscordHealth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		health     api.DiscordHealth
		want, cure string
	}{
		"none":       {api.DiscordHealth{}, "not set up", "callgate discord setup"},
		"connected":  {api.DiscordHealth{Configured: true, Connected: true, Bot: "gatekeeper (1)", Server: "2", Cards: 3}, "connected as gatekeeper (1), server 2; 3 cards", ""},
		"restart":    {api.DiscordHealth{Configured: true, Connected: true, Restart: true}, "connected", "start callgate serve again"},
		"down":       {api.DiscordHealth{Configured: true, Problem: "no answer"}, "no answer; asks are answered in a terminal", "tried again by itself"},
		"connecting": {api.DiscordHealth{Configured: true}, "not connected: asks", "tried again by itself"},
		"fatal":      {api.DiscordHealth{Configured: true, Fatal: true, Problem: "close code 4004"}, "4004", "start callgate serve again"},
	} {
		if got := c.health.String(); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q, want one line with %q", name, got, c.want)
		}
		if got := c.health.Cure(); !strings.Contains(got, c.cure) || (c.cure == "") != (got == "") {
			t.Errorf("%s: got the cure %q, want %q", name, got, c.cure)
		}
	}
}
