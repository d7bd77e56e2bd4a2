package discordtest_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// Many people at many messages at once, while others read: each click is answered once,
// to whom it is due.
func TestServer_hammer(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	dg := answering(t, s, func(_ *discordgo.Session, i *discordgo.Interaction) *discordgo.InteractionResponse {
		return says(i.Member.User.Username+" "+i.Message.ID, discordgo.MessageFlagsEphemeral)
	})
	var ids []string
	for range 4 {
		ids = append(ids, post(t, dg, s.Channel))
	}
	var busy sync.WaitGroup
	ctx := within(t)
	for n := range 8 {
		name := fmt.Sprint("person", n)
		h := s.Person(name)
		busy.Go(func() {
			for _, id := range ids {
				seen, err := h.Click(ctx, id, "Approve")
				if err != nil || seen.Message.Content != name+" "+id || seen.Message.For != h.ID {
					t.Errorf("%s sees %+v, %v", name, seen, err)
				}
				if err := h.React(id, "✅"); err != nil {
					t.Error(err)
				}
			}
		})
		busy.Go(func() {
			if _, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return m.For == h.ID && m.String() != "" }); err != nil {
				t.Error(err)
			}
			if err := h.Unreact(ids[0], "❌"); err == nil {
				t.Error("took back what was not there")
			}
		})
	}
	busy.Wait()
	for _, id := range ids {
		m, _ := s.Message(id)
		if len(m.Reactions) != 1 || len(m.Reactions[0].Users) != 8 {
			t.Errorf("reactions %+v", m.Reactions)
		}
	}
}
