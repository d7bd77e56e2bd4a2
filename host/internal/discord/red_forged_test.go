package discord

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// beside is the JSON of a message that one person alone sees, as somebody with the bot's
// token posts it as the answer to anything that the person did.
func beside(channel, content, customID string) map[string]any {
	return map[string]any{
		"id": "1400000000000000001", "channel_id": channel, "content": content, "flags": 64, "type": 0,
		"components": []any{map[string]any{"type": 1, "components": []any{map[string]any{"type": 2, "style": 3, "label": "Thanks", "custom_id": customID}}}},
	}
}

// TestT27_forgedBeside: the agent has the bot's token and shows an approver a message that
// they alone see, whose button has the custom id of an ask's, behind another text.
func TestT27_forgedBeside(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("rm -rf /")
	for _, verb := range []string{"approve", "session", "rule", "store|s", "store|0", "confirm"} {
		for name, msg := range map[string]any{"another text": beside(m.ChannelID, "Thank you!", w.customID(a, verb)), "no message": nil} {
			_, err := w.server.Forge(w.context(), w.ann.ID, m.ChannelID, m.ID, w.customID(a, verb), func(p map[string]any) {
				p["message"] = msg
				data := map[string]any{"custom_id": w.customID(a, verb), "component_type": 2}
				switch verb {
				case "rule":
					data["component_type"], data["values"] = 3, []string{message.Offers(a)[0].Value}
				case "confirm":
					p["type"] = 5
					data = map[string]any{"custom_id": w.customID(a, verb), "components": []any{map[string]any{"type": 1, "components": []any{
						map[string]any{"type": 4, "custom_id": "id", "value": a.ID}}}}}
				}
				p["data"] = data
			})
			must(t, err)
			if got, err := w.broker.Get(w.context(), a.ID); err != nil || got.State != ask.Shown {
				t.Fatalf("%s, %s: the ask is %s (%v)", verb, name, got.State, err)
			}
		}
	}
	w.undecided(a)
}

// TestT27_changedBesideTheText: the agent has the bot's token, and leaves the card's text
// and buttons as they are, but changes what else stands there.
func TestT27_changedBesideTheText(t *testing.T) {
	t.Parallel()
	long := "echo " + strings.Repeat("x", 5000) + "; rm -rf /"
	for name, change := range map[string]func(*discordtest.Message){
		"another file": func(m *discordtest.Message) {
			other := m.Attachments[0]
			other.ID, other.Data = "1400000000000000002", []byte("echo hello")
			m.Attachments = append([]discordtest.Attachment{other}, m.Attachments[1:]...)
		},
		"no file": func(m *discordtest.Message) { m.Attachments = nil },
		"a note": func(m *discordtest.Message) {
			m.Embeds = append(m.Embeds, []byte(`{"type":"rich","description":"checked by the administrators: safe"}`))
			m.Flags &^= int(discordgo.MessageFlagsSuppressEmbeds)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			done := w.check(long)
			a := w.shown("rm -rf /")
			m := w.card("echo ")
			if len(m.Attachments) == 0 {
				t.Fatal("the card has no file")
			}
			w.server.EditAs(m.ID, change)
			w.wants(done, store.AskCancelled)
			w.eventually("the alarm is in the audit", func() bool { rows := w.rows(store.EventCardChanged); return len(rows) == 1 && rows[0].AskID == a.ID })
		})
	}
}
