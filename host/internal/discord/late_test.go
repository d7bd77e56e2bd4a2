package discord

import (
	"context"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// A person clicking between the end of an ask and its last card's final text learns the end,
// and not that there was no card.
func TestLate_cardIsDone(t *testing.T) {
	w := newWorld(t, usual)
	_, a, _ := w.posed("npm ci")
	f := w.surface.display(a.ID)
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
	w.surface.press(w.context(), &press{i: i, verb: message.VerbApprove, at: &attempt{d: f, guild: i.GuildID, member: i.Member, user: i.Member.User}})
	if !strings.Contains(said, "too late") || !strings.Contains(said, "cy") {
		t.Errorf("ann is told %q", said)
	}
}

// A person clicking while the answer to the card's posting is on its way has to repeat it.
func TestEarly_clickIsToBeRepeated(t *testing.T) {
	w := newWorld(t, usual)
	_, a, _ := w.posed("npm ci")
	at := func() *attempt {
		ann := &discordgo.Member{User: &discordgo.User{ID: w.ann.ID}}
		return &attempt{d: w.surface.display(a.ID), channel: w.server.Channel, guild: w.server.Guild, member: ann, user: ann.User}
	}
	arrived := w.surface.early.expect(w.server.Channel)
	if r := w.surface.authorise(w.context(), at()); r == nil || !strings.Contains(r.text, "press again") {
		t.Errorf("while it is posted: %+v", r)
	}
	arrived()
	// The posting of the card itself may still be on its way.
	w.eventually("it is no card then", func() bool {
		r := w.surface.authorise(w.context(), at())
		return r != nil && strings.Contains(r.text, "no card")
	})
	w.undecided(a)
}

// The end of a card, reported by Discord as an edit before it answers ours, is not looked up
// again; a change while the ask waits is.
func TestEdited_asksNothingAfterTheEnd(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	f := w.surface.display(a.ID)
	lookedUp := func() int { return len(w.server.Requests("GET", "/channels/{channel_id}/messages/{message_id}")) }
	edited := func() {
		events{w.surface}.Edited(w.context(), &discordgo.Message{ID: m.ID, ChannelID: m.ChannelID, Content: "other"})
	}
	before := lookedUp()
	edited()
	w.eventually("it is looked up while the ask waits", func() bool { return lookedUp() == before+1 })
	w.undecided(a)
	remove := w.server.Inject(discordtest.Fault{Method: "PATCH", Status: 503})
	defer remove()
	_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
	must(t, err)
	w.eventually("the surface knows", func() bool { return !f.waiting() })
	if w.surface.cardAt(m.ChannelID, m.ID) == nil {
		t.Fatal("the card has its end already")
	}
	edited()
	_, err = w.surface.client.Me(w.context()) // earlier requests are recorded
	must(t, err)
	if n := lookedUp(); n != before+1 {
		t.Errorf("it was looked up %d times more", n-before-1)
	}
}
