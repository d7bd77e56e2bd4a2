package discord

import (
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// Events are given to the surface by hand here: when the call returns, they are processed, and
// an ineffective one has had its time.

// written is a reply of a listed person to a card, a minute after it.
func (w *world) written(m discordtest.Message, text string, change func(*discordgo.Message)) {
	w.t.Helper()
	id, err := strconv.ParseUint(m.ID, 10, 64)
	must(w.t, err)
	reply := &discordgo.Message{
		ID: strconv.FormatUint(id+60_000<<22, 10), ChannelID: m.ChannelID, GuildID: w.server.Guild, Type: discordgo.MessageTypeReply, Content: text,
		Author: &discordgo.User{ID: w.ann.ID, Username: "ann"}, Member: &discordgo.Member{},
		MessageReference: &discordgo.MessageReference{ChannelID: m.ChannelID, MessageID: m.ID},
	}
	if change != nil {
		change(reply)
	}
	events{w.surface}.Message(w.context(), reply)
}

// reacted is a person's reaction to a card, in Discord's form.
func (w *world) reacted(m discordtest.Message, user *discordgo.User) {
	w.t.Helper()
	events{w.surface}.Reaction(w.context(), link.Reaction{
		UserID: user.ID, ChannelID: m.ChannelID, MessageID: m.ID, GuildID: w.server.Guild,
		Emoji: discordgo.Emoji{Name: "✅"}, Member: &discordgo.Member{User: user},
	})
}

// Actions of bots and webhooks, of the bot itself in any disguise, and a reply with the id of
// another ask, are ignored: no refusal is audited or sent.
func TestPassedOver(t *testing.T) {
	w := newWorld(t, usual+"defaults: {ask_approvers: {users: [ann]}}\n")
	done, a, m := w.posed("npm ci")
	_ = w.check("npm audit", otherSession)
	b := w.shown("npm audit")
	robot := w.server.AddBot("robot")
	w.reacted(m, &discordgo.User{ID: w.server.Bot, Username: "callgate"})
	w.reacted(m, &discordgo.User{ID: robot, Username: "robot", Bot: true})
	for name, change := range map[string]func(*discordgo.Message){
		"a bot":     func(r *discordgo.Message) { r.Author = &discordgo.User{ID: robot, Bot: true} },
		"Discord":   func(r *discordgo.Message) { r.Author.System = true },
		"a webhook": func(r *discordgo.Message) { r.WebhookID = "1400000000000000001" },
		"itself":    func(r *discordgo.Message) { r.Author.ID = w.server.Bot },
		"nobody":    func(r *discordgo.Message) { r.Author = nil },
		"a pin":     func(r *discordgo.Message) { r.Type = discordgo.MessageTypeChannelPinnedMessage },
	} {
		w.written(m, "yes", change)
		if a, err := w.broker.Get(w.context(), a.ID); err != nil || !a.State.Waiting() {
			t.Fatalf("%s: the ask is %s (%v)", name, a.State, err)
		}
	}
	w.written(m, "yes "+b.ID, nil)
	w.undecided(a)
	w.undecided(b)
	if rows := w.rows(store.EventAnswerRefused); len(rows) != 0 {
		t.Errorf("the audit: %+v", rows)
	}
	for _, n := range w.server.Messages() {
		if n.ReplyTo == m.ID {
			t.Errorf("told: %s", n.String())
		}
	}
	w.written(m, "yes "+a.ID, nil) // the same way, and it counts
	w.wants(done, store.AskApproved)
}

// A text with an answer's beginning, or any other text, gets once for each person the list of
// valid texts; it decides nothing, and later messages are sent all the same.
func TestReply_misread(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	for _, text := range []string{"maybe", "yes, but only in staging", "hm"} {
		w.written(m, text, nil)
	}
	w.undecided(a)
	byBob := func(r *discordgo.Message) { r.Author = &discordgo.User{ID: w.bob.ID, Username: "bob"} }
	w.written(m, "maybe", byBob)
	w.written(m, "yes", byBob)
	told := map[string]int{}
	for _, n := range w.server.Messages() {
		if n.ReplyTo == m.ID {
			who, text, _ := strings.Cut(n.Content, " ")
			told[who+" "+text[:20]]++
			if len(n.Pings.Users) > 0 {
				t.Errorf("pinged: %s", n.String())
			}
		}
	}
	want := map[string]int{"<@" + w.ann.ID + "> This was not underst": 1, "<@" + w.bob.ID + "> This was not underst": 1, "<@" + w.bob.ID + "> You may not answer t": 1}
	if !maps.Equal(told, want) {
		t.Errorf("told: %v", told)
	}
	w.written(m, "no, not now", nil)
	w.wants(done, store.AskDenied)
}

// A person replying to a card after the end learns the end, once; a person without the right
// does not, and neither does a text without an answer.
func TestReply_late(t *testing.T) {
	w := newWorld(t, usual)
	done, _, m := w.posed("npm ci")
	w.written(m, "no", nil)
	w.wants(done, store.AskDenied)
	w.final(m.ID, "denied")
	w.eventually("the card is done", func() bool { return w.surface.cardAt(m.ChannelID, m.ID) == nil })
	w.written(m, "yes", func(r *discordgo.Message) { r.Author = &discordgo.User{ID: w.bob.ID, Username: "bob"} })
	for _, text := range []string{"thanks", "yes", "no"} {
		w.written(m, text, nil)
	}
	var told []string
	for _, n := range w.server.Messages() {
		if n.ReplyTo == m.ID {
			told = append(told, n.Content)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "<@"+w.ann.ID+"> You come too late. ") {
		t.Errorf("told: %q", told)
	}
}

// A reaction to a new card counts if it still stands afterwards.
func TestReaction_thatIsTakenBack(t *testing.T) {
	var early atomic.Int64 // how far the clock was set back
	w := newWorld(t, usual, func(w *world) {
		w.change = func(c *Config) { c.Now = func() time.Time { return time.Now().Add(-time.Duration(early.Load())) } }
	})
	done, a, m := w.posed("npm ci")
	early.Store(int64(time.Hour)) // the card is new, however slow this machine is
	w.reacted(m, &discordgo.User{ID: w.ann.ID, Username: "ann"})
	w.undecided(a)
	must(t, w.ann.React(m.ID, "✅"))
	w.wants(done, store.AskApproved)
}

// A card with hidden parts needs the id, also where the ask itself does not.
func TestForgedClick_cardNotWhole(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	if a.NeedsConfirmation() {
		t.Fatal("the ask takes its id anyhow")
	}
	f := w.surface.display(a.ID)
	f.mu.Lock()
	w.surface.cardAt(m.ChannelID, m.ID).whole = false
	f.mu.Unlock()
	seen, err := w.server.Forge(w.context(), w.ann.ID, m.ChannelID, m.ID, w.customID(a, "approve"), nil)
	must(t, err)
	if seen.Modal == nil {
		t.Errorf("ann sees %+v", seen)
	}
	w.undecided(a)
	w.written(m, "yes", nil)
	w.undecided(a)
}

// A click without the card's text has the card read again.
func TestClick_withoutTheText(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	_, err := w.server.Forge(w.context(), w.ann.ID, m.ChannelID, m.ID, w.customID(a, "approve"), func(p map[string]any) {
		p["message"].(map[string]any)["content"] = ""
	})
	must(t, err)
	w.wants(done, store.AskApproved)
}

// Another person cannot undo an answer's rules.
func TestUndo_bySomebodyElse(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm run build")
	_, err := w.ann.Select(w.context(), m.ID, w.menu(m))
	must(t, err)
	w.wants(done, store.AskApproved)
	seen, err := w.server.Forge(w.context(), w.bob.ID, m.ChannelID, m.ID, w.customID(a, "undo"), nil)
	must(t, err)
	if seen.Message == nil || strings.Contains(seen.Message.Content, "Taken back") {
		t.Errorf("bob sees %+v", seen)
	}
	if rules := w.rules(); len(rules) != 1 {
		t.Errorf("rules: got %+v", rules)
	}
	if rows := w.rows(store.EventAnswerUndone); len(rows) != 0 {
		t.Errorf("the audit: %+v", rows)
	}
}
