package discord

import (
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
)

// An interaction of another application is none of ours, whatever its custom id says.
func TestForeign(t *testing.T) {
	t.Parallel()
	s := &Surface{app: "77"}
	for app, want := range map[string]bool{"77": false, "78": true, "": true} {
		if got := s.foreign(&link.Interaction{Interaction: &discordgo.Interaction{AppID: app}}); got != want {
			t.Errorf("of application %q: got %t, want %t", app, got, want)
		}
	}
}
