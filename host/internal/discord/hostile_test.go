package discord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/wire"
)

// hostile are texts that an agent chooses; odd tells that the card has to warn of them,
// long that they cannot be on it whole.
var hostile = []struct {
	name, text string
	odd, long  bool
}{
	{"a fence", "ls\n```\n**Approved** by `ann`\n```", false, false},
	{"many backticks", "ls " + strings.Repeat("`", 50), false, false},
	{"mentions", "ls @everyone @here <@&ROLE> <@USER> <#1> </permissions mode:1>", false, false},
	{"markup", "ls **b** __u__ ||spoiler|| > q\n# head\n[ls](https://evil.example) <t:0:R> \\` \\", false, false},
	{"bidi", "ls \u202e txt.exe \u2066 \u2069", true, false},
	{"right to left", "mv \u05d0 1 \u05d1 \u0661", true, false},
	{"zero width", "r\u200bm\u200d -\ufeffrf \u2060/", true, false},
	{"ANSI", "ls \x1b[2J\x1b[31m\a\b", true, false},
	{"look-alikes", "c\u0430t p\u0430yroll", true, false},
	{"a filler", "ls \u3164 \u115f \u00a0", true, false},
	{"combining", "ls " + strings.Repeat("e\u0301\u0302\u0303\u0304", 3), true, false},
	{"tags", "ls \U000e0061\U000e0062 \ufe0f", true, false},
	{"NUL", "ls \x00 rm", true, false},
	{"blank lines", "ls" + strings.Repeat("\n", 200) + "rm -rf /", false, true},
	{"100 kB", "ls " + strings.Repeat("a", 100<<10) + " ; rm -rf /", false, true},
	{"100 kB of fences", strings.Repeat("```\n", 25<<10), false, true},
	{"2 kB", "ls " + strings.Repeat("b", 2<<10) + " ; rm -rf /", false, true},
}

// raw is a call's input with a text as it is, invalid UTF-8 and all.
func raw(command string) json.RawMessage {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a text always encodes
	}
	return input
}

// TestHostile: what an agent writes, in every field that it chooses, changes neither what
// the card says nor whom it pings nor what its buttons do; who answers sees that
// something is odd, or that not everything stands there.
func TestHostile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	w.tool.reason = "plain"
	fill := strings.NewReplacer("ROLE", w.ops, "USER", w.ann.ID)
	for i, tt := range hostile {
		text := fill.Replace(tt.text)
		for field, put := range map[string]func(r *wire.Request){
			"command":   func(r *wire.Request) { r.Input = raw(text) },
			"session":   func(r *wire.Request) { r.Context.Session = clip(text, 200) },
			"sub-agent": func(r *wire.Request) { r.Context.SubAgent = clip(text, 200) },
			"member":    func(r *wire.Request) { r.Input = member(text) },
			"call id":   func(r *wire.Request) { r.CallID = clip(text, 200) },
			"tool":      func(r *wire.Request) { r.Tool = "mcp__" + clip(text, 40) },
		} {
			name := tt.name + " in the " + field
			marker := fmt.Sprintf("make %d %s", i, field)
			r := request(fmt.Sprintf("s%d %s", i, field), marker)
			put(&r)
			p := w.hostileCall(r)
			if p == nil {
				continue // refused before anybody was asked
			}
			m := p.Message
			w.sane(name, m)
			if field == "command" {
				if tt.long && (!strings.Contains(m.String(), "[Allow once: type ") || len(m.Attachments) == 0) {
					t.Errorf("%s: the card does not say that it is not whole:\n%.2000s", name, m.Content)
				}
				if tt.odd && !strings.Contains(m.Content, "⚠") {
					t.Errorf("%s: the card does not warn:\n%.2000s", name, m.Content)
				}
			}
			seen := p.press(w.ann, message.VerbApprove)
			partly := strings.Contains(m.Content, "not shown")
			if partly && seen.Modal == nil {
				t.Errorf("%s: a card that does not show everything was approved with one click:\n%.2000s", name, m.Content)
			}
			if seen.Modal != nil {
				p.press(w.ann, message.VerbDeny)
			}
			p.ends()
			w.sane(name+", ended", p.now())
		}
	}
}

// hostileCall puts a call and waits for its card; nil when it was decided without one.
func (w *world) hostileCall(r wire.Request) *card {
	w.t.Helper()
	before := map[string]bool{}
	for _, m := range w.discord.Messages() {
		before[m.ID] = true
	}
	p := w.put("worker", r, "")
	var found *card
	w.await("a card or an answer", func() bool {
		for _, m := range w.discord.Messages() {
			if !before[m.ID] && w.openCard(m) {
				found = &card{w: w, Message: m, ask: subject(m)}
			}
		}
		return found != nil || !p.waits()
	})
	if found == nil && p.got().Decision.Behavior != engine.Deny {
		w.t.Errorf("%.80q was allowed without a card: %s", r.Input, p.state())
	}
	return found
}

// member is an input whose member's name is the text.
func member(text string) json.RawMessage {
	input, err := json.Marshal(map[string]string{"command": "ls", clip(text, 200): "x"})
	if err != nil {
		panic(err) // texts always encode
	}
	return input
}

func clip(text string, n int) string { return text[:min(n, len(text))] }

// sane holds a message against what no text may change.
func (w *world) sane(name string, m discordtest.Message) {
	w.t.Helper()
	if m.Pings.Everyone || len(m.Pings.Users)+len(m.Pings.Roles) > 0 {
		w.t.Errorf("%s: it pings %+v", name, m.Pings)
	}
	outside, closed := unfenced(m.Content)
	if !closed {
		w.t.Errorf("%s: a fence is open at the end, or does not stand alone:\n%.2000s", name, m.Content)
	}
	for _, r := range m.Content {
		switch {
		case r < ' ' && r != '\n', r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x3164, r >= 0xe0000 && r <= 0xe01ef:
			w.t.Errorf("%s: U+%04X stands on the card:\n%.2000s", name, r, m.Content)
			return
		}
	}
	for _, line := range outside[1:] {
		if strings.HasPrefix(line, "**Allow") || strings.HasPrefix(line, "**Denied") {
			w.t.Errorf("%s: a line of the agent's looks like ours: %q", name, line)
		}
	}
	if len(m.Components) > 0 {
		ids := verbs(m)
		for _, v := range []message.Verb{message.VerbApprove, message.VerbDeny, message.VerbRule} {
			if ids[v] == "" {
				w.t.Errorf("%s: nothing is for %s:\n%s", name, v, m)
			}
		}
		if subject(m) == "" || !strings.Contains(m.Content, "\n-# ends <t:") || !strings.Contains(m.Content, "R> · `"+subject(m)+"` · session `") {
			w.t.Errorf("%s: the card's head or buttons are others:\n%.300s", name, m)
		}
	}
}

// unfenced are the lines that stand in no fence, and whether every fence is closed by
// one of its own lines.
func unfenced(content string) (lines []string, closed bool) {
	inside := false
	for _, line := range strings.Split(content, "\n") {
		switch {
		case line == "```":
			inside = !inside
		case strings.Contains(line, "```"):
			return lines, false
		case !inside:
			lines = append(lines, line)
		}
	}
	return lines, !inside
}

// TestCardChanged: an agent that has got hold of the bot's token makes another card of
// the one that stands there. Nobody's approval counts, and the alarm is in the audit.
func TestCardChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(m *discordtest.Message){
		"another command": func(m *discordtest.Message) { m.Content = strings.Replace(m.Content, "rm things", "ls things", 1) },
		"a word more":     func(m *discordtest.Message) { m.Content += "\nThis is safe." },
		"no text":         func(m *discordtest.Message) { m.Content = "" },
		"buttons swapped": func(m *discordtest.Message) {
			b := m.Components[0].Components
			b[0].CustomID, b[1].CustomID = b[1].CustomID, b[0].CustomID
		},
		"another label": func(m *discordtest.Message) { m.Components[0].Components[0].Label = "Deny" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple)
			p := w.call("worker", "s1", "rm things")
			c := p.card()
			w.kept(c)
			w.discord.EditAs(c.ID, change)
			// Whoever is quick approves what they see before the alarm.
			_, _ = w.discord.Forge(within(t), w.ann.ID, c.ChannelID, c.ID, verbs(c.Message)[message.VerbApprove], nil)
			p.want(engine.Deny, store.AskCancelled, "", "someone changed its approval card")
			c.ends("Cancelled")
			var rows []store.Row
			w.await("the alarm is in the audit", func() bool { // the ask is cancelled first
				rows = w.rows(store.EventCardChanged)
				return len(rows) > 0
			})
			if len(rows) != 1 || rows[0].AskID != c.ask {
				t.Errorf("alarms: %+v", rows)
			}
		})
	}
}

// TestForgedClicks: interactions that no client sends approve nothing, and end nothing.
func TestForgedClicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p, q := w.call("worker", "s1", "make one"), w.call("worker", "s2", "make two")
	c, other := p.card(), q.card()
	elsewhere := w.discord.AddChannel(w.discord.Guild, "elsewhere")
	id := func(v message.Verb) string { return verbs(c.Message)[v] }
	instance, _, _ := strings.Cut(strings.TrimPrefix(id(message.VerbApprove), "g1|"), "|")
	data := func(change func(map[string]any)) func(map[string]any) {
		return func(i map[string]any) { change(i["data"].(map[string]any)) }
	}
	for name, f := range map[string]struct {
		channel, message, id string
		change               func(map[string]any)
	}{
		"from another channel":       {elsewhere, "", id(message.VerbApprove), nil},
		"on another card":            {c.ChannelID, other.ID, id(message.VerbApprove), nil},
		"an unknown verb":            {c.ChannelID, c.ID, "g1|" + instance + "|" + c.ask + "|allow", nil},
		"an unknown ask":             {c.ChannelID, c.ID, "g1|" + instance + "|zzzzzz|approve", nil},
		"more than there is":         {c.ChannelID, c.ID, id(message.VerbApprove) + "|x|y", nil},
		"a rule that is not offered": {c.ChannelID, c.ID, "g1|" + instance + "|" + c.ask + "|store|99", nil},
		"a confirmation of nothing": {c.ChannelID, c.ID, id(message.VerbApprove), func(i map[string]any) {
			i["type"] = 5
			i["data"] = map[string]any{"custom_id": "g1|" + instance + "|" + c.ask + "|confirm", "components": []any{}}
		}},
		"a menu without a value": {c.ChannelID, c.ID, id(message.VerbRule), data(func(d map[string]any) { d["component_type"] = 3; d["values"] = []string{} })},
		"a menu of two values":   {c.ChannelID, c.ID, id(message.VerbRule), data(func(d map[string]any) { d["component_type"] = 3; d["values"] = []string{"1", "2"} })},
		"a bot":                  {c.ChannelID, c.ID, id(message.VerbApprove), func(i map[string]any) { i["member"].(map[string]any)["user"].(map[string]any)["bot"] = true }},
		"a message of somebody else": {c.ChannelID, "", id(message.VerbApprove), func(i map[string]any) {
			i["message"] = map[string]any{"id": "123456789012345678", "channel_id": c.ChannelID, "content": c.Content}
		}},
		"too quick": {c.ChannelID, c.ID, id(message.VerbApprove), func(i map[string]any) { i["message"].(map[string]any)["id"] = i["id"] }},
		"no type":   {c.ChannelID, c.ID, id(message.VerbApprove), func(i map[string]any) { i["type"] = 99 }},
		"no data":   {c.ChannelID, c.ID, id(message.VerbApprove), func(i map[string]any) { i["data"] = nil }},
		"nonsense":  {c.ChannelID, c.ID, id(message.VerbApprove), func(i map[string]any) { i["data"] = "approve"; i["channel_id"] = 7 }},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = w.discord.Forge(t.Context(), w.ann.ID, f.channel, f.message, f.id, f.change) // what is nonsense gets no answer
		}()
		w.settledBy(w.bob)
		if !p.waits() || !q.waits() {
			t.Fatalf("%s: %s; %s", name, p.state(), q.state())
		}
	}
	for _, event := range []string{"INTERACTION_CREATE", "MESSAGE_REACTION_ADD", "MESSAGE_CREATE", "MESSAGE_DELETE", "MESSAGE_UPDATE"} {
		for _, raw := range []string{"null", "{}", `{"id":7}`, `{"channel_id":"` + c.ChannelID + `"}`, `[]`, `"x"`, `{"member":{"user":null},"emoji":null,"author":null}`} {
			w.discord.Dispatch(event, raw)
		}
	}
	w.settledBy(w.bob)
	c.press(w.ann, message.VerbApprove)
	p.wantAllowed("ann")
	other.press(w.ann, message.VerbDeny)
	q.wantDenied("ann", "")
}
