package discord

import (
	"context"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/discordtest"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
)

// Whose click comes between the end of an ask and its last card's final text is told how
// it ended, and not that there was no card.
func TestLate_cardIsDone(t *testing.T) {
	w := newWorld(t, usual)
	_, a, _ := w.posed("npm ci")
	f := w.surface.follower(a.ID)
	remove := w.server.Inject(discordtest.Fault{Method: "PATCH", Status: 503})
	defer remove()
	_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
	must(t, err)
	w.eventually("the surface knows", func() bool { return !f.waiting() })
	var said string
	i := &link.Interaction{
		Interaction: &discordgo.Interaction{GuildID: w.server.Guild, Member: &discordgo.Member{User: &discordgo.User{ID: w.ann.ID}}},
		Respond:     func(_ context.Context, r link.Response) error { said = r.Message.Content; return nil },
	}
	w.surface.press(w.context(), &press{i: i, verb: message.VerbApprove, at: &attempt{f: f, guild: i.GuildID, member: i.Member, user: i.Member.User}})
	if !strings.Contains(said, "too late") || !strings.Contains(said, "cy") {
		t.Errorf("ann is told %q", said)
	}
}

// Who clicks while the answer to the card's posting is on its way is asked to do it again.
func TestEarly_clickIsToBeRepeated(t *testing.T) {
	w := newWorld(t, usual)
	_, a, _ := w.posed("npm ci")
	at := func() *attempt {
		ann := &discordgo.Member{User: &discordgo.User{ID: w.ann.ID}}
		return &attempt{f: w.surface.follower(a.ID), channel: w.server.Channel, guild: w.server.Guild, member: ann, user: ann.User}
	}
	arrived := w.surface.early.expect(w.server.Channel)
	if r := w.surface.authorise(w.context(), at()); r == nil || !strings.Contains(r.text, "press again") {
		t.Errorf("while it is posted: %+v", r)
	}
	arrived()
	if r := w.surface.authorise(w.context(), at()); r == nil || !strings.Contains(r.text, "no card") {
		t.Errorf("without one: %+v", r)
	}
	w.undecided(a)
}
