package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// typed is the text in an input of a form.
func typed(rows []discordgo.MessageComponent, id string) string {
	for _, r := range rows {
		row, ok := r.(*discordgo.ActionsRow)
		if !ok {
			continue
		}
		for _, c := range row.Components {
			if input, ok := c.(*discordgo.TextInput); ok && input.CustomID == id {
				return strings.TrimSpace(input.Value)
			}
		}
	}
	return ""
}

// tell answers an interaction with a sentence visible only to its sender.
func (s *Surface) tell(ctx context.Context, i *link.Interaction, text string) {
	m := message.Ephemeral(text)
	s.respond(ctx, i, link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &m})
}

// respond answers an interaction, and reports whether Discord took it.
func (s *Surface) respond(ctx context.Context, i *link.Interaction, r link.Response) bool {
	err := i.Respond(ctx, r)
	s.note("answer an interaction", err)
	return err == nil
}
