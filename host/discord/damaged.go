package discord

import (
	"context"

	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
)

// damaged answers an interaction whose data could not be read, and leaves a row in the
// audit where it was about an ask. Nothing is decided. Another gate's are left to that.
func (s *Surface) damaged(ctx context.Context, i *link.Interaction) {
	if i.CustomID != "" {
		id, err := message.ParseID(i.CustomID)
		if err != nil || id.Instance != s.instance {
			return
		}
		if f := s.follower(id.Subject); f != nil {
			at := &attempt{via: viaButton, f: f, card: f.cardIn(i.ChannelID), channel: i.ChannelID, guild: i.GuildID, member: i.Member, user: i.User, interaction: i.ID}
			if at.user == nil && i.Member != nil {
				at.user = i.Member.User
			}
			at.answer.Surface, at.answer.Origin = Name, at.origin()
			s.note("audit a refused answer", s.c.Gate.RefuseAnswer(context.WithoutCancel(ctx), f.id, at.answer, "what came from Discord could not be read"))
		}
	}
	s.tell(ctx, i, notUnderstood)
}
