package discord_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// TestApprovers_quorum: two of the role have to approve, each once, and one denial ends it.
func TestApprovers_quorum(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: joe, ask_approvers: {roles: [ops], quorum: 2}}}\n")
	p := w.call("worker", "s1", "make build")
	c := p.card()
	for range 2 {
		c.press(w.ann, message.VerbApprove)
		if !p.waits() {
			t.Fatalf("one approval of two: %s", p.state())
		}
	}
	if m := c.now(); !strings.Contains(m.Content, "1 of 2") || !strings.Contains(m.Content, "ann") {
		t.Errorf("the card does not say who approved so far:\n%s", m.Content)
	}
	c.react(w.eve, yes)
	c.react(w.bob, yes)
	p.wantAllowed("ann, bob")
	c.ends("**Allowed "+c.ask+"**", "ann", "bob")
	p = w.call("worker", "s2", "make again")
	c = p.card()
	c.press(w.ann, message.VerbApprove)
	c.reply(w.bob, "no")
	p.wantDenied("bob", "")
}

// TestApprovers_requester: who triggered a call does not approve it, by their account.
func TestApprovers_requester(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: ann, ask_approvers: {roles: [ops], exclude_requester: true}}}\n")
	p := w.call("worker", "s1", "make build")
	c := p.card()
	if seen := c.press(w.ann, message.VerbApprove); told(seen) == "" || !p.waits() {
		t.Errorf("the requester was told %q; %s", told(seen), p.state())
	}
	c.react(w.ann, yes)
	w.audited(store.EventAnswerRefused, c.ask, "ann", w.ann.ID)
	c.press(w.bob, message.VerbApprove)
	p.wantAllowed("bob")
}

// TestApprovers_safetyCheck: it is approved with the ask's id typed and no other way, and denied
// with one click.
func TestApprovers_safetyCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	w.tool.immune = true
	p := w.call("worker", "s1", "rm things")
	c := p.card()
	ids := verbs(c.Message)
	if ids[message.VerbSession] != "" || strings.Contains(c.Message.String(), "- allow ") {
		t.Errorf("rules are offered:\n%s", c.Message)
	}
	c.react(w.ann, yes)
	c.reply(w.bob, "yes")
	form := c.press(w.ann, message.VerbApprove)
	if form.Modal == nil || !p.waits() {
		t.Fatalf("no form: %+v; %s", form, p.state())
	}
	seen, err := w.ann.Submit(within(t), form, map[string]string{message.InputID: "zzzzzz"})
	if err != nil || !strings.Contains(told(seen), "not the id") || !p.waits() {
		t.Errorf("another id: %q, %v; %s", told(seen), err, p.state())
	}
	form = c.press(w.ann, message.VerbApprove)
	if _, err := w.ann.Submit(within(t), form, map[string]string{message.InputID: " " + strings.ToUpper(c.ask) + " "}); err != nil {
		t.Error(err)
	}
	p.wantAllowed("ann")
	c.ends("Allowed")
	p = w.call("worker", "s2", "rm more")
	c = p.card()
	c.react(w.bob, no)
	p.wantDenied("bob", "")
}

// TestRuleAndUndo: a rule of the menu is stored and answers the other asks that it
// covers, and whoever stored it takes it back.
func TestRuleAndUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p, covered, not := w.call("worker", "s1", "make one"), w.call("worker", "s2", "make two"), w.call("worker", "s3", "rm three")
	c, other, third := p.card(), covered.card(), not.card()
	for _, at := range []card{c, other, third} { // a rule answers asks whose cards the gate knows that ann has before her
		w.kept(at)
	}
	seen, err := w.ann.Select(within(t), c.ID, "allow Shell(make)")
	if err != nil {
		t.Fatal(err)
	}
	p.wantAllowed("ann")
	c.ends(" · stored `allow Shell(make)` for agent `", "agent")
	if res := covered.got(); res.Decision.Behavior != engine.Allow {
		t.Errorf("the ask that the rule covers: %s", covered.state())
	}
	other.ends("**Allowed "+other.ask+"**", "rule")
	if !not.waits() {
		t.Errorf("an ask that it does not cover: %s", not.state())
	}
	if res := w.call("worker", "s4", "make four").got(); res.Decision.Behavior != engine.Allow || res.AskID != "" {
		t.Errorf("the next call: got %s with ask %q", res.Decision.Behavior, res.AskID)
	}
	undo, err := w.discord.WaitMessage(within(t), func(m discordtest.Message) bool { return m.For == w.ann.ID && verbs(m)[message.VerbUndo] != "" })
	if err != nil {
		t.Fatalf("nothing to undo with: %v; %v", err, seen.Message)
	}
	if got, err := w.discord.Forge(within(t), w.eve.ID, c.ChannelID, "", verbs(undo)[message.VerbUndo], nil); err != nil || told(got) == "" {
		t.Errorf("eve takes it back: %+v, %v", got, err)
	}
	if _, err := w.ann.Click(within(t), undo.ID, verbs(undo)[message.VerbUndo]); err != nil {
		t.Fatal(err)
	}
	five := w.call("worker", "s5", "make five")
	five.card().press(w.ann, message.VerbDeny)
	five.wantDenied("ann", "")
	third.press(w.ann, message.VerbDeny)
	not.wantDenied("ann", "")
}

// TestRoute_escalation: when nobody answers for a while, a second channel is told and a role is
// pinged there, once; either card answers, and both say so in the end.
func TestRoute_escalation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "defaults: {discord: {channel: CHANNEL, escalate: {after: 2s, channel: SECOND, mention_roles: [OPS]}}}\nagents: {worker: {user: joe}}\n")
	w.discord.SetRole(w.discord.Guild, w.ops, 0, true)
	p := w.call("worker", "s1", "make build")
	first := p.cardIn(w.discord.Channel)
	second := p.cardWhere(func(m discordtest.Message) bool { return m.ChannelID != w.discord.Channel })
	if !slices.Equal(second.Pings.Roles, []string{w.ops}) || len(first.Pings.Roles) != 0 || second.Pings.Everyone {
		t.Errorf("pings: first %+v, second %+v", first.Pings, second.Pings)
	}
	second.press(w.bob, message.VerbApprove)
	p.wantAllowed("bob")
	first.ends("**Allowed "+first.ask+"** by `bob`", "make build")
	second.ends("**Allowed "+first.ask+"** by `bob`", "make build")
}

// TestRoute_directMessages: a card in direct messages is answered there, by the person that it
// was sent to, with the roles that they have in the server.
func TestRoute_directMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "defaults: {discord: {direct_messages: [ann, bob]}}\nagents: {worker: {user: joe, ask_approvers: {roles: [ops]}}}\n")
	for _, tt := range []struct {
		way
		allow bool
	}{{button(message.VerbApprove), true}, {reaction(no), false}, {reply("yes"), true}} {
		command := "make " + tt.name
		p := w.call("worker", "s "+tt.name, command)
		mine, bobs := p.cardIn(w.ann.DM()), p.cardIn(w.bob.DM())
		tt.do(mine, w.ann)
		if res := p.got(); (res.Decision.Behavior == engine.Allow) != tt.allow || res.DecidedBy != "ann" {
			t.Errorf("%s: %s", tt.name, p.state())
		}
		mine.ends("`ann`")
		bobs.ends("`ann`")
	}
	w.discord.RemoveMember(w.discord.Guild, w.bob.ID)
	p := w.call("worker", "s9", "make more")
	bobs := p.cardIn(w.bob.DM())
	if seen := bobs.press(w.bob, message.VerbApprove); !p.waits() {
		t.Errorf("who has left the server approved: %s; told %q", p.state(), told(seen))
	}
	p.cardIn(w.ann.DM()).press(w.ann, message.VerbApprove)
	p.wantAllowed("ann")
}

// TestRoute_threads: each session has a thread of its own; its asks stand there, and one that
// was deleted is made anew.
func TestRoute_threads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "defaults: {discord: {channel: CHANNEL, threads: session}}\nagents: {worker: {user: joe}}\n")
	threads := map[string]string{}
	for _, call := range []struct{ session, command string }{{"s1", "make one"}, {"s2", "make two"}, {"s1", "make three"}} {
		p := w.call("worker", call.session, call.command)
		c := p.card()
		if before := threads[call.session]; before != "" && before != c.ChannelID || c.ChannelID == w.discord.Channel {
			t.Errorf("%s of %s stands in %s; the session's thread is %s", call.command, call.session, c.ChannelID, before)
		}
		threads[call.session] = c.ChannelID
		c.press(w.ann, message.VerbApprove)
		p.wantAllowed("ann")
		c.ends("Allowed")
	}
	if threads["s1"] == threads["s2"] {
		t.Error("two sessions share a thread")
	}
	w.discord.DeleteChannel(threads["s1"])
	p := w.call("worker", "s1", "make four")
	c := p.card()
	if c.ChannelID == threads["s1"] || c.ChannelID == w.discord.Channel {
		t.Errorf("the card stands in %s", c.ChannelID)
	}
	c.react(w.ann, yes)
	p.wantAllowed("ann")
	c.ends("Allowed")
}
