package discord

import (
	"context"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// damaged answers an interaction with unreadable data, and leaves a row in the audit where it
// was about an ask. Nothing is decided. Those of another gate are left to it.
func (s *Surface) damaged(ctx context.Context, i *link.Interaction) {
	if i.CustomID != "" {
		id, err := message.ParseID(i.CustomID)
		if err != nil || id.Instance != s.instance {
			return
		}
		if d := s.display(id.Subject); d != nil {
			at := &attempt{via: viaButton, d: d, card: d.cardIn(i.ChannelID), channel: i.ChannelID, guild: i.GuildID, member: i.Member, user: i.User, interaction: i.ID}
			if at.user == nil && i.Member != nil {
				at.user = i.Member.User
			}
			at.answer.Surface, at.answer.Origin = Name, at.origin()
			s.note("audit a refused answer", s.c.Gate.RefuseAnswer(context.WithoutCancel(ctx), d.id, at.answer, "what came from Discord could not be read"))
		}
	}
	s.tell(ctx, i, notUnderstood)
}
