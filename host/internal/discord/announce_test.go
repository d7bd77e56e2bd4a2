package discord

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// TestAnnounce: an alarm stands where the agent's cards do, as inert text.
func TestAnnounce(t *testing.T) {
	w := newWorld(t, usual)
	w.surface.Announce(t.Context(), "worker", "the hook of codex is gone: @everyone `rm`")
	m, err := w.server.WaitMessage(w.context(), func(m discordtest.Message) bool { return strings.Contains(m.Content, "codex") })
	must(t, err)
	if m.ChannelID != w.server.Channel || !strings.HasPrefix(m.Content, "`the hook") || strings.Count(m.Content, "`") != 2 {
		t.Errorf("got %q in %s", m.Content, m.ChannelID)
	}
}
