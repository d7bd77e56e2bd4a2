package discord

import (
	"context"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// Announce posts a text where the cards of an agent stand, with the same pings. A failure is noted.
func (s *Surface) Announce(ctx context.Context, agent, text string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, p := range places(s.c.Settings().Agent(agent).Discord) {
		p.threads = false // there is no session
		channel, err := s.channelOf(ctx, p, ask.Ask{}, false)
		if err == nil {
			_, err = s.client.Post(ctx, channel, message.Alarm(text, p.roles))
		}
		s.note("post an alarm", err)
	}
}
