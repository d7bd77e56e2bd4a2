package slash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/discord/slash"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// hostile are texts chosen by agents, each with ATTACK in the part confined to code.
var hostile = []string{
	"```\n**ATTACK** @everyone <@&1> [click](http://x)",
	"`ATTACK` @here",
	"x\nADMIN: ATTACK",
	"a\u202eATTACK\u200b\u2066",
	"\x1b[31mATTACK\x1b[0m\r",
	"\u0430ttack ATTACK \xff\xfe",
	strings.Repeat("ATTACK ", 200),
}

var codes = regexp.MustCompile("(?s)```\n.*?\n```|`[^`\n]+`")

// wantInCode requires hostile text in code alone, and nothing hidden anywhere.
func wantInCode(t *testing.T, what string, m message.Message) {
	t.Helper()
	outside := codes.ReplaceAllString(m.Content, "")
	for _, bad := range []string{"ATTACK", "@", "<@", "click", "```", "`"} {
		if strings.Contains(outside, bad) {
			t.Errorf("%s: %q stands outside of code:\n%s", what, bad, m.Content)
		}
	}
	for _, bad := range []string{"\u202e", "\u200b", "\u2066", "\x1b", "\r", "\xff"} {
		if strings.Contains(whole(m), bad) {
			t.Errorf("%s: %q is not made visible", what, bad)
		}
	}
	for _, c := range m.Components {
		for _, inner := range c.(discordgo.ActionsRow).Components {
			menu, _ := inner.(discordgo.SelectMenu)
			for _, o := range menu.Options {
				if strings.ContainsAny(o.Label+o.Description+o.Value, "\u202e\u200b\x1b\r\n") {
					t.Errorf("%s: an option reads %q", what, o.Label)
				}
			}
		}
	}
}

// TestHostileText: names, rules and reasons chosen by agents change nothing of a message's
// meaning.
func TestHostileText(t *testing.T) {
	t.Parallel()
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			session := strings.ToValidUTF8(text, "?")
			if len(session) > 900 {
				session = session[:900]
			}
			w := newWorld(t)
			known := true
			if _, err := w.gate.Check(t.Context(), authority.Caller{Token: "hub", Kind: authority.Integrator}, wire.Request{
				Tool: "Probe", Input: json.RawMessage(`{"value":"x"}`), Context: wire.CallContext{Agent: "asker", Session: session, Kind: string(engine.Background)},
			}, nil); err != nil {
				known = false
			}
			w.places.sessions[thread] = session
			if known {
				a := w.waits("asker", session, text)
				w.run(ann, elsewhere, "asks", o{"id": a.ID}) // the card's own tests look at its text
				if err := w.broker.Pause(t.Context(), session, text); err != nil {
					t.Fatal(err)
				}
			}
			for _, c := range []struct {
				name    string
				options o
			}{
				{"allow", o{"rule": text}}, {"allow", o{"rule": "Probe(" + text + ")"}}, {"ask", o{"rule": "-" + text}}, {"deny", o{"remove": text}}, {"deny", o{"remove": "#" + text}},
				{"allow", o{"agent": text}}, {"allow", o{"session": text}}, {"allow", o{"project": text}}, {"allow", o{"project": "/" + text}},
				{"permissions show", nil}, {"permission", nil}, {"permission", o{"mode": text}}, {"permission", o{"mode": "plan"}}, {"permission", o{"mode": text, "forks": true}},
				{"permission", o{"mode": "plan", "agent": "asker"}}, {"permissions profile", o{"profile": text}}, {"permissions profile", o{"profile": text, "patterns": true}},
				{"permissions profile", o{"profile": "open", "agent": text}}, {"permissions builder", o{"rule": text}}, {"permissions builder", o{"rule": "Probe(" + text + ")", "does": "allow"}},
				{"asks", nil}, {"asks", o{"id": text}}, {"asks", o{"resume": session}}, {"asks", o{"resume": text}}, {"asks", o{"agent": text}},
				{"audit", nil}, {"audit", o{"text": text}}, {"audit", o{"since": text}}, {"audit", o{"decision": text}}, {"audit", o{"row": 1}}, {"audit", o{"session": session}},
				{"clear", o{"session": text}}, {"clear", nil}, {text, nil},
			} {
				wantInCode(t, fmt.Sprintf("/%s %v", c.name, c.options), w.run(ann, thread, c.name, c.options))
			}
			for _, focused := range []string{"rule", "remove", "agent", "session", "project", "tool", "profile", "id", "resume", text} {
				w.proposed(t, thread, "allow", o{focused: text}, focused)
				w.proposed(t, thread, "allow", o{focused: ""}, focused)
			}
		})
	}
}

// proposed completes an option, and requires valid results.
func (w *world) proposed(t *testing.T, channel, name string, options o, focused string) (out []string) {
	t.Helper()
	r := w.send(bob, channel, discordgo.InteractionApplicationCommandAutocomplete, data(name, options, focused))
	if r == nil || r.Type != discordgo.InteractionApplicationCommandAutocompleteResult || len(r.Choices) > 25 {
		t.Fatalf("%s: got %+v", focused, r)
	}
	for _, c := range r.Choices {
		value, ok := c.Value.(string)
		if !ok || message.Units(c.Name) > 100 || message.Units(value) > 100 || c.Name == "" || value == "" || strings.ContainsAny(c.Name+value, "\u202e\u200b\x1b\r\n") {
			t.Errorf("%s: choice %q = %q", focused, c.Name, c.Value)
		}
		out = append(out, c.Name+" = "+value)
	}
	return out
}

// TestCompletion: the proposals, and their audience.
func TestCompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("worker", "s1")
	w.rule("/ask Probe(x)", agentWorker)
	w.rule("/ask Probe(y)", admin.Where{Scope: engine.Global})
	for _, tt := range []struct {
		channel, command, focused, typed, want string
	}{
		{workersRoom, "ask", "rule", "", "Probe = Probe; mcp__* = mcp__*"},
		{workersRoom, "ask", "rule", "pRo", "Probe = Probe"},
		{workersRoom, "ask", "rule", "Probe(git", "Probe(git) = Probe(git); Probe(npm test) = Probe(npm test); Probe(git commit:*) = Probe(git commit:*)"},
		{workersRoom, "ask", "rule", "-", "-Probe(x) = -Probe(x)"},
		{workersRoom, "allow", "rule", "-", ""},
		{workersRoom, "ask", "remove", "", "Probe(x) (agent worker) = #"},
		{sharedRoom, "ask", "remove", "y", "Probe(y) (global) = #"},
		{workersRoom, "ask", "agent", "o", "loose = loose; worker = worker"},
		{workersRoom, "ask", "agent", "def", "default = default"},
		{workersRoom, "ask", "rule", "Probe(npm test", "Probe(npm test) = Probe(npm test); Probe(git commit:*) = Probe(git commit:*)"},
		{workersRoom, "ask", "session", "", "s1 (worker) = s1"},
		{workersRoom, "permissions profile", "profile", "st", "standard = standard"},
		{workersRoom, "permissions builder", "rule", "", "Probe = Probe; mcp__* = mcp__*"},
		{workersRoom, "asks", "resume", "", ""},
	} {
		got := strings.Join(w.proposed(t, tt.channel, tt.command, o{tt.focused: tt.typed}, tt.focused), "; ")
		if id := strings.Index(got, "= #"); id >= 0 && strings.HasSuffix(tt.want, "#") {
			got = got[:id+3] // the id is the store's
		}
		if got != tt.want {
			t.Errorf("/%s %s:%s: got %q, want %q", tt.command, tt.focused, tt.typed, got, tt.want)
		}
	}
	r := w.send(eve, workersRoom, discordgo.InteractionApplicationCommandAutocomplete, data("ask", o{"agent": ""}, "agent"))
	if len(r.Choices) != 0 || r.Choices == nil || len(w.rows(store.EventGrantRefused)) != 0 {
		t.Errorf("a guest is proposed %v", r.Choices)
	}
}

// TestLongListsAreWhole: parts too long for a message stand in a file, and the message says so.
func TestLongListsAreWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 120 {
		w.rule(fmt.Sprintf("/ask Probe(a rather long value to be asked about %03d)", i), agentWorker)
	}
	m := w.run(bob, workersRoom, "ask", nil)
	if len(m.Files) != 1 || !strings.Contains(m.Content, "of 121 lines: the file has all") {
		t.Fatalf("got %q with %d files", m.Content, len(m.Files))
	}
	for i := range 120 {
		if !strings.Contains(string(m.Files[0].Data), fmt.Sprintf("about %03d)\n", i)) {
			t.Errorf("rule %d is not in the file", i)
		}
	}
}

// TestAuditPages: every row is on exactly one page, the newest first.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 33 {
		row := store.Row{Time: time.Now(), Event: store.EventDecision, Decision: store.Allowed, Agent: "worker", Tool: "Probe", Action: fmt.Sprintf("tool:Probe:%d", i), Detail: strings.Repeat("why ", i)}
		if _, err := w.store.Append(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	m, seen := w.run(bob, workersRoom, "audit", o{"agent": "worker"}), 0
	first := m.Content
	for last := 34; ; {
		for _, l := range labels(m, "row") {
			var seq int
			if _, err := fmt.Sscan(l, &seq); err != nil || seq != last-1 {
				t.Fatalf("row %q after %d", l, last)
			}
			last, seen = seq, seen+1
			if !strings.Contains(m.Content, fmt.Sprintf("%d · ", seq)) {
				t.Errorf("row %d is not shown", seq)
			}
		}
		if id, _ := component(m, "older"); id == "" {
			break
		}
		m = *w.press(bob, m, "older").Message
	}
	if seen != 33 {
		t.Errorf("%d rows, want 33", seen)
	}
	r := w.press(bob, m, "row", "0")
	if r.Type != discordgo.InteractionResponseChannelMessageWithSource || !strings.Contains(r.Message.Content, "action: tool:Probe:") || !strings.Contains(r.Message.Content, "hash: ") {
		t.Errorf("one row: %q", r.Message.Content)
	}
	if r := w.press(bob, m, "newest"); r.Message.Content != first {
		t.Errorf("newest: got %q, want %q", r.Message.Content, first)
	}
}

// slow is a gate waiting for its cue.
type slow struct {
	slash.Gate
	cue chan struct{}
}

func (s slow) Command(ctx context.Context, c admin.Change, where admin.Where, text string) (wire.CommandResult, error) {
	<-s.cue
	if text == "/deny panic" {
		panic("ATTACK")
	}
	return s.Gate.Command(ctx, c, where, text)
}

// TestSlowAnswers: the deferral reaches Discord in time, and the answer takes its place; a
// panic is an answer too.
func TestSlowAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Probe": "added Probe to the deny list", "panic": "That went wrong"} {
		cue := make(chan struct{})
		w := newWorld(t, func(w *world) {
			w.patience = time.Millisecond
			w.wrap = func(g slash.Gate) slash.Gate { return slow{g, cue} }
		})
		i := &discordgo.Interaction{Type: discordgo.InteractionApplicationCommand, ChannelID: workersRoom, Data: discordgo.ApplicationCommandInteractionData{
			Name: "deny", Options: []*discordgo.ApplicationCommandInteractionDataOption{{Name: "rule", Type: discordgo.ApplicationCommandOptionString, Value: text}},
		}}
		w.handler.Interaction(t.Context(), &link.Interaction{Interaction: i, Received: time.Now(), Respond: func(_ context.Context, r link.Response) error {
			if r.Type != discordgo.InteractionResponseDeferredChannelMessageWithSource {
				t.Errorf("got %+v, want to be told to wait", r)
			}
			close(cue)
			return nil
		}}, bob)
		if len(w.edited) != 1 || !strings.Contains(w.edited[0].Content, want) {
			t.Errorf("%s: got %+v, want %q", text, w.edited, want)
		}
	}
}

// broken is a failing gate.
type broken struct{ slash.Gate }

func (broken) Command(context.Context, admin.Change, admin.Where, string) (wire.CommandResult, error) {
	return wire.CommandResult{}, errors.New("disk /secret/path: ATTACK")
}

// TestFailures: internal errors are for the log.
func TestFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.wrap = func(g slash.Gate) slash.Gate { return broken{g} } })
	if m := w.run(bob, workersRoom, "deny", o{"rule": "Probe"}); strings.Contains(m.Content, "secret") || !strings.Contains(m.Content, "That went wrong") {
		t.Errorf("got %q", m.Content)
	}
}

// FuzzInteraction: for any input from Discord, there is at most one answer, valid, visible to
// one person and without pings.
func FuzzInteraction(f *testing.F) {
	add := func(kind int, data any) {
		text, err := json.Marshal(data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(kind, string(text))
	}
	for _, text := range hostile {
		for _, kind := range []int{2, 4} {
			add(kind, data("allow", o{"rule": text}, "rule"))
			add(kind, data("ask", o{"remove": text, "global": true}, "remove"))
			add(kind, data("permissions mode", o{"mode": text, "session": text}, "session"))
			add(kind, data("permissions profile", o{"profile": text, "agent": text}, "profile"))
			add(kind, data("audit", o{"text": text, "row": 3, "since": text}, "text"))
			add(kind, data("asks", o{"id": text, "resume": text}, "id"))
		}
		add(3, o{"custom_id": "g1|test|cmd|place|" + text, "component_type": 3, "values": []string{text}})
	}
	f.Add(2, `{"name":"audit","options":[{"name":"row","type":4,"value":1e300},{"name":"row","type":4,"value":1}]}`)
	f.Add(2, `{"name":"allow","options":[null]}`)
	f.Add(2, `{"name":"permissions","options":[{"type":1,"name":"mode","options":[{"name":"mode","value":{}}]}]}`)
	f.Add(5, `{"custom_id":"g1|test|cmd|bstore|x","components":[{"type":1,"components":[{"type":4,"custom_id":"text","value":"x"}]}]}`)
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, kind int, body string) {
		text, err := json.Marshal(map[string]any{"id": "4", "type": kind, "channel_id": thread, "token": "t", "version": 1, "data": json.RawMessage(body)})
		if err != nil {
			return // no JSON
		}
		var i discordgo.Interaction
		if json.Unmarshal(text, &i) != nil {
			return
		}
		answers := 0
		w.handler.Interaction(context.Background(), &link.Interaction{Interaction: &i, Received: time.Now(), Respond: func(_ context.Context, r link.Response) error {
			if answers++; answers > 1 {
				t.Error("answered twice")
			}
			if r.Message != nil {
				if err := r.Message.Check(); err != nil || r.Message.Flags&discordgo.MessageFlagsEphemeral == 0 {
					t.Errorf("message: %v: %q", err, r.Message.Content)
				}
			}
			for _, c := range r.Choices {
				value, _ := c.Value.(string)
				if message.Units(c.Name) > 100 || message.Units(value) > 100 || c.Name == "" || value == "" {
					t.Errorf("choice %q = %q", c.Name, value)
				}
			}
			return nil
		}}, bob)
	})
}
