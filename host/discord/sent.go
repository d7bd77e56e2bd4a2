package discord

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/discord/message"
)

// asSent reports whether a message stands as it was sent, and nobody has edited it since.
func asSent(m *discordgo.Message, sent message.Message) bool {
	return m.EditedTimestamp == nil && len(m.Attachments) == len(sent.Files) && !embedded(m) &&
		message.Digest(m.Content) == message.Digest(sent.Content) && controlsDigest(m.Components) == controlsDigest(sent.Components)
}

// asOurs makes a message what was sent, before it is known as a card: the answer to a
// posting that was tried again is the message of the first try, and somebody may have
// changed it meanwhile (threat T27). What still differs then is what Discord makes of it.
func (f *follower) asOurs(ctx context.Context, channel, id string, sent message.Message) (*discordgo.Message, error) {
	f.s.c.Log.Warn("discord: a card did not stand as it was sent, and is set right", "ask", f.id, "message", id)
	return f.s.client.Edit(ctx, channel, id, sent.Instead(sent.Files))
}
