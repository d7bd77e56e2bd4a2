package discord_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// The scenarios of ollim-bot, one test each, by an agent's call on one side and
// what people see and do in Discord on the other.

const (
	yes    = "✅"
	no     = "❌"
	unlock = "🔓"
)

// react puts an emoji at a card.
func (c card) react(h discordtest.Human, emoji string) {
	c.w.t.Helper()
	if err := h.React(c.ID, emoji); err != nil {
		c.w.t.Fatal(err)
	}
}

// reply answers a card with a text, and returns its message.
func (c card) reply(h discordtest.Human, text string) string {
	c.w.t.Helper()
	id, err := h.Reply(c.ID, text)
	if err != nil {
		c.w.t.Fatal(err)
	}
	return id
}

// ways are those to say the same thing.
type way struct {
	name string
	do   func(c card, h discordtest.Human)
}

func button(v message.Verb) way {
	return way{"button", func(c card, h discordtest.Human) { c.press(h, v) }}
}

func reaction(emoji string) way {
	return way{"reaction", func(c card, h discordtest.Human) { c.react(h, emoji) }}
}

func reply(text string) way {
	return way{"reply", func(c card, h discordtest.Human) { c.reply(h, text) }}
}

// each runs a test for every way, in a world of its own.
func each(t *testing.T, yaml string, ways []way, test func(t *testing.T, w *world, by way)) {
	t.Helper()
	for _, by := range ways {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, yaml), by)
		})
	}
}

// buildCall is the second line of an ended card of `make build`.
const buildCall = "\n**Call** `Shell` `{\"command\":\"make build\"}` · agent `worker`"

func TestScenario_request(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	for _, text := range []string{"**Call** `Shell`\n`command`: `make build`", "agent `worker`", "session `s1`", "`" + c.ask + "`", "ends <t:"} {
		if !strings.Contains(c.Content, text) {
			t.Errorf("the card does not say %q:\n%s", text, c.Content)
		}
	}
	ids := verbs(c.Message)
	for _, v := range []message.Verb{message.VerbApprove, message.VerbDeny, message.VerbSession, message.VerbRule} {
		if ids[v] == "" {
			t.Errorf("nothing on the card is for %s:\n%s", v, c.Message)
		}
	}
	if pings := c.Pings; pings.Everyone || len(pings.Users)+len(pings.Roles) > 0 {
		t.Errorf("the card pings %+v", pings)
	}
	seen := c.choose(w.ann, "Details")
	if seen.Message == nil || seen.Message.For != w.ann.ID || len(seen.Message.Attachments) == 0 || !strings.Contains(string(seen.Message.Attachments[0].Data), "make build") || !strings.Contains(seen.Message.Content, "user: `joe`") {
		t.Errorf("Details: got %v", seen.Message)
	}
	if !p.waits() || w.discord.Messages()[0].ID != c.ID {
		t.Error("the call does not wait, or something was posted before the card")
	}
	c.press(w.ann, message.VerbDeny)
	p.got()
}

func TestScenario_approve(t *testing.T) {
	t.Parallel()
	each(t, simple, []way{button(message.VerbApprove), reaction(yes), reply("Yes!")}, func(t *testing.T, w *world, by way) {
		p := w.call("worker", "s1", "make build")
		c := p.card()
		by.do(c, w.ann)
		p.wantAllowed("ann")
		c.ends("**Allowed "+c.ask+"** by `ann` in Discord at <t:", buildCall)
		w.audited(store.EventAskAnswered, c.ask, "ann", "by "+by.name, w.ann.ID, `"ops"`, c.ID)
		if got := w.call("worker", "s1", "make build").card(); got.ask == c.ask {
			t.Error("approved once, and the next call was not asked about")
		}
		if n := len(w.discord.Messages()); by.name != "reply" && n != 2 {
			t.Errorf("%d messages, want the two cards", n)
		}
	})
}

func TestScenario_deny(t *testing.T) {
	t.Parallel()
	form := way{"form", func(c card, h discordtest.Human) {
		seen := c.choose(h, "Deny with words…")
		if _, err := h.Submit(within(c.w.t), seen, map[string]string{message.InputReason: "not on a Friday"}); err != nil {
			c.w.t.Error(err)
		}
	}}
	each(t, simple, []way{button(message.VerbDeny), reaction(no), reply("no, not on a Friday"), form}, func(t *testing.T, w *world, by way) {
		p := w.call("worker", "s1", "make build")
		c := p.card()
		by.do(c, w.bob)
		reason := ""
		if by.name == "reply" || by.name == "form" {
			reason = "not on a Friday"
		}
		p.wantDenied("bob", reason)
		c.ends("**Denied "+c.ask+"** by `bob` in Discord at <t:", buildCall, reason)
		w.audited(store.EventAskAnswered, c.ask, "bob", "deny", "by "+by.name, w.bob.ID)
	})
}

// TestScenario_unlock: the tool is allowed for the session, and for that one only, until
// it is cleared.
func TestScenario_unlock(t *testing.T) {
	t.Parallel()
	each(t, simple, []way{button(message.VerbSession), reaction(unlock)}, func(t *testing.T, w *world, by way) {
		p := w.call("worker", "s1", "make build")
		c := p.card()
		by.do(c, w.ann)
		p.wantAllowed("ann")
		c.ends("Allowed", " · stored `allow Shell(make)` for this session · take back: ")
		if res := w.call("worker", "s1", "make test").got(); res.Decision.Behavior != engine.Allow || res.AskID != "" {
			t.Errorf("the next call of the session: got %s with ask %q", res.Decision.Behavior, res.AskID)
		}
		other := w.call("worker", "s2", "make other")
		other.card().press(w.ann, message.VerbDeny)
		other.wantDenied("ann", "")
		if _, err := w.gate.ClearSession(t.Context(), "s1", "joe"); err != nil {
			t.Fatal(err)
		}
		again := w.call("worker", "s1", "make again")
		again.card().press(w.ann, message.VerbDeny)
		again.wantDenied("ann", "")
	})
}

func TestScenario_timeOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple+"asks: {timeout: 10s}\n")
	p := w.call("worker", "s1", "make build")
	c := p.card()
	p.want(engine.Deny, store.AskTimeout, "", "no one answered in time")
	c.ends("**Expired "+c.ask+"**: no one answered in time", buildCall)
}

// TestScenario_late: clicks, reactions and replies after the end change nothing, and who
// clicks is told how it ended.
func TestScenario_late(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	c.press(w.bob, message.VerbDeny)
	p.wantDenied("bob", "")
	before := c.ends("Denied").Content
	seen, err := w.discord.Forge(within(t), w.ann.ID, c.ChannelID, c.ID, verbs(c.Message)[message.VerbApprove], nil)
	if err != nil || !strings.Contains(told(seen), "too late") || !strings.Contains(told(seen), "denied by bob") {
		t.Errorf("a late click: got %q, %v", told(seen), err)
	}
	c.react(w.ann, yes)
	c.reply(w.ann, "yes")
	w.settled()
	p.wantDenied("bob", "")
	if m := c.now(); m.Content != before || len(m.Components) != 0 {
		t.Errorf("the card changed:\n%s", m)
	}
	w.audited(store.EventAskAnswered, c.ask, "bob")
	for _, row := range w.rows(store.EventAskAnswered) {
		if row.AskID == c.ask && row.DecidedBy != "bob" {
			t.Errorf("a late answer is audited as one: %+v", row)
		}
	}
}

// settled waits until the surface has seen all that happened before: an answer that is
// asked for afterwards has come, by the same socket.
func (w *world) settled() { w.t.Helper(); w.settledBy(w.ann) }

func (w *world) settledBy(h discordtest.Human) {
	w.t.Helper()
	p := w.call("worker", "settled", "settled "+time.Now().Format("150405.000000000"))
	p.card().press(h, message.VerbApprove)
	if res := p.got(); res.Decision.Behavior != engine.Allow {
		w.t.Errorf("the call in between: %s", p.state())
	}
}

// TestScenario_double: two answers at once, by two people and by one; the first counts.
func TestScenario_double(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	for round := range 10 {
		p := w.call("worker", fmt.Sprintf("s%d", round), fmt.Sprintf("make %d", round))
		c := p.card()
		w.kept(c) // before that a click is to be repeated, and these are not
		var group sync.WaitGroup
		for _, press := range []struct {
			by   discordtest.Human
			verb message.Verb
		}{{w.ann, message.VerbApprove}, {w.ann, message.VerbApprove}, {w.bob, message.VerbDeny}, {w.bob, message.VerbDeny}} {
			group.Go(func() {
				// A client may have it that the card is answered already.
				_, err := w.discord.Forge(within(t), press.by.ID, c.ChannelID, c.ID, verbs(c.Message)[press.verb], nil)
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		res, ended := p.got(), c.ends()
		want, word := engine.Deny, "**Denied "+c.ask+"** by `bob`"
		if res.DecidedBy == "ann" {
			want, word = engine.Allow, "**Allowed "+c.ask+"** by `ann`"
		}
		if res.Decision.Behavior != want || !strings.Contains(ended.Content, word) {
			t.Errorf("got %s by %s, and the card says\n%s", res.Decision.Behavior, res.DecidedBy, ended.Content)
		}
	}
	if rows := w.rows(store.EventAskAnswered); len(rows) != 10 {
		t.Errorf("%d answers audited, want 10", len(rows))
	}
}

// TestScenario_foreign: who may not answer is told why, audited, and changes nothing,
// whichever way they take.
func TestScenario_foreign(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	for _, v := range []message.Verb{message.VerbApprove, message.VerbDeny, message.VerbSession} {
		if seen := c.press(w.eve, v); !strings.Contains(told(seen), "may not answer") || seen.Modal != nil {
			t.Errorf("%s: eve was told %q", v, told(seen))
		}
	}
	seen, err := w.eve.Select(within(t), c.ID, "allow Shell(make)")
	if err != nil || !strings.Contains(told(seen), "may not answer") {
		t.Errorf("the menu: eve was told %q, %v", told(seen), err)
	}
	for _, emoji := range []string{yes, no, unlock} {
		c.react(w.eve, emoji)
	}
	for _, text := range []string{"yes", "no", c.ask + " yes"} {
		c.reply(w.eve, text)
	}
	w.settled()
	if !p.waits() || c.now().Content != c.Content {
		t.Errorf("eve changed something: waits %t\n%s", p.waits(), c.now())
	}
	w.audited(store.EventAnswerRefused, c.ask, w.eve.ID, "by button", w.eve.ID+" may not answer")
	if rows := w.rows(store.EventAnswerRefused); len(rows) != 1 {
		t.Errorf("%d rows of refusals, want one for each person and ask", len(rows))
	}
	for _, m := range w.discord.Messages() {
		if m.Pings.Everyone || len(m.Pings.Users)+len(m.Pings.Roles) > 0 && m.Author.ID == w.discord.Bot {
			t.Errorf("somebody was pinged: %s", m)
		}
	}
	c.press(w.ann, message.VerbApprove)
	p.wantAllowed("ann")
}

// TestScenario_foreignServer: a role of the same name in another server is nothing, and
// neither is the other server's owner.
func TestScenario_foreignServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: joe, ask_approvers: {roles: [ops]}}}\n")
	mallory := w.discord.AddUser("mallory")
	other := w.discord.AddGuild("elsewhere", mallory)
	w.discord.SetRoles(other, mallory, w.discord.AddRole(other, "ops", discordtest.PermAdministrator))
	p := w.call("worker", "s1", "make build")
	c := p.card()
	forge := func(ctx context.Context, change func(map[string]any)) (*discordtest.Seen, error) {
		return w.discord.Forge(ctx, mallory, c.ChannelID, c.ID, verbs(c.Message)[message.VerbApprove], change)
	}
	for name, change := range map[string]func(map[string]any){
		"as a member of the other server": func(i map[string]any) { i["guild_id"] = other },
		"as an administrator there": func(i map[string]any) {
			i["guild_id"] = other
			i["member"].(map[string]any)["permissions"] = "8"
			i["member"].(map[string]any)["roles"] = []string{w.ops}
		},
		"without a server": func(i map[string]any) { delete(i, "guild_id") },
	} {
		if seen, err := forge(within(t), change); err != nil || told(seen) == "" {
			t.Errorf("%s: got %+v, %v, want an explanation", name, seen, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var unanswered sync.WaitGroup
	for _, change := range []func(map[string]any){
		func(i map[string]any) { delete(i, "member") },
		func(i map[string]any) { delete(i, "member"); i["user"] = nil },
		func(i map[string]any) { i["member"].(map[string]any)["user"].(map[string]any)["id"] = "" },
		func(i map[string]any) { i["member"].(map[string]any)["user"] = nil },
	} {
		unanswered.Go(func() { _, _ = forge(ctx, change) }) // there was no click, and no one to tell
	}
	w.discord.ForgeReaction(mallory, c.ID, `{"id":null,"name":"✅"}`, func(r map[string]any) { r["guild_id"] = other; delete(r, "member") })
	w.settledBy(w.bob)
	if !p.waits() {
		t.Errorf("the call was answered by somebody from elsewhere, or by nobody: %s", p.state())
	}
	cancel()
	unanswered.Wait()
	seen := c.press(w.eve, message.VerbApprove)
	if !strings.Contains(told(seen), "ops") {
		t.Errorf("eve is not told which role is needed: %q", told(seen))
	}
	c.press(w.bob, message.VerbApprove)
	p.wantAllowed("bob")
}

// TestScenario_foreignDaemon: a click on another daemon's card is left to that one.
func TestScenario_foreignDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	id, err := message.ParseID(verbs(c.Message)[message.VerbApprove])
	if err != nil {
		t.Fatal(err)
	}
	id.Instance = "another"
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.discord.Forge(ctx, w.ann.ID, c.ChannelID, c.ID, id.String(), nil) // nobody answers
	}()
	const callback = "/interactions/{interaction_id}/{interaction_token}/callback"
	w.settled()
	// Discord acts on a request before its answer is recorded.
	w.await("the answer to settled is recorded", func() bool { return len(w.discord.Requests("POST", callback)) >= 1 })
	if n := len(w.discord.Requests("POST", callback)); n != 1 {
		t.Errorf("%d interactions answered, want one: that of the other daemon is not ours", n)
	}
	if !p.waits() {
		t.Errorf("another daemon's click answered the call: %+v", p.got())
	}
	c.press(w.ann, message.VerbApprove)
	p.wantAllowed("ann")
	cancel()
	<-done
}

// TestScenario_ownReactions: the bot puts its three reactions under the card, and they
// answer nothing; nor does what another bot does.
func TestScenario_ownReactions(t *testing.T) {
	t.Parallel()
	w := build(t, simple, discordtest.Options{})
	w.yaml = strings.Replace(w.yaml, "token_file:", "reactions: true, token_file:", 1)
	w.open()
	w.connected()
	robot := w.discord.AddBot("robot")
	w.discord.SetRoles(w.discord.Guild, robot, w.ops)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	m, err := w.discord.WaitEdit(within(t), c.ID, func(m discordtest.Message) bool { return len(m.Reactions) == 3 })
	if err != nil {
		t.Fatalf("the bot did not react: %v\n%s", err, m)
	}
	for i, emoji := range []string{yes, no, unlock} {
		if m.Reactions[i].Emoji != emoji {
			t.Errorf("reaction %d is %s, want %s", i, m.Reactions[i].Emoji, emoji)
		}
	}
	for _, account := range []string{w.discord.Bot, robot} {
		for _, emoji := range []string{yes, no, unlock} {
			w.discord.ForgeReaction(account, c.ID, `{"id":null,"name":"`+emoji+`"}`, nil)
			if account == robot {
				c.react(w.discord.As(robot), emoji)
			}
		}
		c.reply(w.discord.As(account), "yes")
	}
	w.settled()
	if !p.waits() {
		t.Fatalf("a bot answered: %+v", p.got())
	}
	c.react(w.bob, no)
	p.wantDenied("bob", "")
}

// TestScenario_unknownEmoji: any other emoji is no answer, also one of a server that is
// called as ours, and no denial.
func TestScenario_unknownEmoji(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	for _, emoji := range []string{"👍", "👎", "✔️", "❎", "🔒", "party:123456789012345678"} {
		c.react(w.ann, emoji)
	}
	for _, emoji := range []string{`{"id":"123456789012345678","name":"✅"}`, `{"id":"1","name":"❌"}`, `{"id":null,"name":"✅✅"}`, `{"id":null,"name":""}`, `{"name":null}`} {
		w.discord.ForgeReaction(w.ann.ID, c.ID, emoji, nil)
	}
	for _, text := range []string{"maybe", "yes please", "approve always", "✅", "ok", ""} {
		if text != "" {
			c.reply(w.ann, text)
		}
	}
	w.settled()
	if !p.waits() || c.now().Content != c.Content {
		t.Errorf("something that is no answer counted: waits %t\n%s", p.waits(), c.now())
	}
	c.react(w.ann, yes)
	p.wantAllowed("ann")
}

// TestScenario_deleted: a card that somebody deletes is posted again, twice, and after
// that the ask is denied where nobody else can show it.
func TestScenario_deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	owner := w.discord.As(w.discord.Owner)
	p := w.call("worker", "s1", "make build")
	first := p.card()
	if err := owner.Delete(first.ID); err != nil {
		t.Fatal(err)
	}
	second := p.cardWhere(func(m discordtest.Message) bool { return m.ID != first.ID })
	if second.ask != first.ask || !strings.Contains(second.Content, "deleted") {
		t.Errorf("the second card:\n%s", second.Message)
	}
	if _, err := w.discord.Forge(within(t), w.ann.ID, first.ChannelID, first.ID, verbs(first.Message)[message.VerbApprove], nil); err != nil {
		t.Fatal(err)
	}
	if !p.waits() {
		t.Fatalf("a click on the deleted card counted: %+v", p.got())
	}
	second.press(w.ann, message.VerbApprove)
	p.wantAllowed("ann")
	second.ends("Allowed")

	p = w.call("worker", "s2", "make again")
	for range 3 {
		if err := owner.Delete(p.card().ID); err != nil {
			t.Fatal(err)
		}
	}
	p.want(engine.Deny, store.Denied, "", "no approver could be reached")
}

// TestScenario_sendFailure: a card that cannot be posted. Where nobody else shows it the
// call is denied at once, elsewhere the ask stays answerable; where trying again helps,
// the card comes once.
func TestScenario_sendFailure(t *testing.T) {
	t.Parallel()
	const post = "/channels/{channel_id}/messages"
	t.Run("for good", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, simple)
		w.discord.Inject(discordtest.Fault{Method: "POST", Route: post, Status: 403, Code: 50001, Message: "Missing Access"})
		w.call("worker", "s1", "make build").want(engine.Deny, store.Denied, "", "no approver could be reached")
	})
	t.Run("for good, and a terminal", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, simple)
		defer w.broker.Attach(ask.Surface{Name: "terminal"})()
		w.discord.Inject(discordtest.Fault{Method: "POST", Route: post, Status: 404, Code: 10003, Message: "Unknown Channel"})
		p := w.call("worker", "s1", "make build")
		var a ask.Ask
		w.await("the ask says that Discord does not show it", func() bool {
			for _, a = range w.broker.Waiting(ask.Filter{}) {
				return len(a.Undelivered) == 1
			}
			return false
		})
		if _, err := w.answer(a.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
			t.Error(err)
		}
		p.wantDenied("joe", "")
	})
	t.Run("the answer to it alone, and a reaction meanwhile", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, simple)
		heal := w.discord.Inject(discordtest.Fault{Method: "POST", Route: post, Drop: discordtest.DropAfter})
		p := w.call("worker", "s1", "make build")
		c := p.card()
		w.await("the first try to post has failed", func() bool { return strings.Contains(w.log.String(), "post the card") })
		if err := w.ann.React(c.ID, yes); err != nil {
			t.Error(err)
		}
		heal()
		p.wantAllowed("ann")
		c.ends("Allowed")
	})
	for name, fault := range map[string]discordtest.Fault{
		"at first":                    {Status: 500},
		"at first, with HTML":         {Status: 503, HTML: true, Message: "<html>"},
		"at first, with 502":          {Status: 502, HTML: true},
		"at first, cut before":        {Drop: discordtest.DropBefore},
		"at first, cut after":         {Drop: discordtest.DropAfter},
		"at first, with 429":          {RateLimit: &discordtest.RateLimit{After: 50 * time.Millisecond}},
		"at first, with 429 in HTML":  {RateLimit: &discordtest.RateLimit{After: time.Second, HTML: true}},
		"at first, with 429 for all":  {RateLimit: &discordtest.RateLimit{After: 50 * time.Millisecond, Global: true}},
		"at first, in slow mode":      {Status: 400, Code: 20016, Message: "slow mode"},
		"at first, and nonsense then": {Status: 408},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple)
			fault.Method, fault.Route, fault.Count = "POST", post, 2
			w.discord.Inject(fault)
			p := w.call("worker", "s1", "make build")
			c := p.card()
			c.press(w.ann, message.VerbApprove)
			p.wantAllowed("ann")
			c.ends("Allowed")
			all := w.discord.Messages()
			// Who clicks while it is still being posted is told so, alone.
			if cards := slices.DeleteFunc(all, func(m discordtest.Message) bool { return m.For != "" }); len(cards) != 1 {
				t.Errorf("%d messages, want one card", len(cards))
			}
		})
	}
}

// TestScenario_cancelled: whoever interrupts, clears, or leaves a fork ends the ask, and
// the card says so.
func TestScenario_cancelled(t *testing.T) {
	t.Parallel()
	end := map[string]struct {
		kind string
		do   func(context.Context, assembly.Gate) error
		says string
	}{
		"interrupt": {"main", func(ctx context.Context, g assembly.Gate) error {
			_, err := g.InterruptSession(ctx, "s1", "joe")
			return err
		}, "interrupt"},
		"fork exit": {"interactive_fork", func(ctx context.Context, g assembly.Gate) error { _, err := g.ExitFork(ctx, "s1", "joe"); return err }, "fork"},
		"clear": {"main", func(ctx context.Context, g assembly.Gate) error {
			_, err := g.ClearSession(ctx, "s1", "joe")
			return err
		}, "clear"},
	}
	for name, tt := range end {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple)
			r := request("s1", "make build")
			r.Context.Kind = tt.kind
			p := w.put("worker", r, "make build")
			c := p.card()
			if err := tt.do(t.Context(), w.gate); err != nil {
				t.Fatal(err)
			}
			p.want(engine.Deny, store.AskCancelled, "", "")
			m := c.ends("**Cancelled "+c.ask+"**", buildCall)
			if !strings.Contains(strings.ToLower(m.Content), tt.says) {
				t.Errorf("the card does not say %q:\n%s", tt.says, m.Content)
			}
		})
	}
	t.Run("the caller leaves", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, simple)
		p := w.call("worker", "s1", "make build")
		c := p.card()
		p.leave()
		c.ends("**Cancelled " + c.ask + "**")
	})
	t.Run("a background fork", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, simple)
		r := request("s1", "make build")
		r.Context.Kind = "background"
		if res := w.put("worker", r, "make build").got(); res.Decision.Behavior != engine.Deny || res.AskID != "" {
			t.Errorf("got %s with ask %q, want it denied without a card", res.Decision.Behavior, res.AskID)
		}
		w.settled()
		if n := len(w.discord.Messages()); n != 1 {
			t.Errorf("%d messages, want none of the fork", n)
		}
	})
}

// TestScenario_batch: of a session's calls one is shown at a time, and a denial cancels
// none of the others.
func TestScenario_batch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	commands := []string{"make one", "rm two", "ls three", "cat four"}
	calls := map[string]*pending{}
	for i, command := range commands {
		calls[command] = w.call("worker", "s1", command)
		w.await("the ask is known", func() bool { return len(w.broker.Waiting(ask.Filter{Session: "s1"})) == i+1 })
	}
	for i, command := range commands {
		p := calls[command]
		c := p.card()
		for _, m := range w.discord.Messages() {
			if w.openCard(m) && m.ID != c.ID && !strings.HasPrefix(m.Content, "**Approved") {
				t.Errorf("a second card is open:\n%s", m)
			}
		}
		verb := []message.Verb{message.VerbDeny, message.VerbApprove}[i%2]
		c.press(w.ann, verb)
		if verb == message.VerbDeny {
			p.wantDenied("ann", "")
		} else {
			p.wantAllowed("ann")
		}
		c.ends()
	}
}

// A role on the server counts for a call of an agent: it asks for a profile in ann's
// name, her role grants it, and bob approves. Where she does not have the role, or loses
// it while bob is asked, where Discord does not answer, and for somebody without an
// account the profile is not given.
func TestScenario_selfEdit(t *testing.T) {
	t.Parallel()
	edit := request("s1", "")
	edit.Tool, edit.Input = "self_edit_permissions", []byte(`{"profile":"open"}`)
	const member = "/guilds/{guild_id}/members/{user_id}"
	for name, tt := range map[string]struct {
		agent  string
		role   bool
		fault  *discordtest.Fault
		before func(w *world) // bob approves
		denied string
	}{
		"with the role":           {agent: "worker", role: true},
		"without it":              {agent: "worker", denied: "ann may not grant the profile open: it takes the role lead"},
		"by the account alone":    {agent: "member", role: true},
		"without the role there":  {agent: "member", denied: "it takes the role lead"},
		"without an account":      {agent: "other", role: true, denied: "joe may not grant the profile open"},
		"Discord fails":           {agent: "worker", role: true, fault: &discordtest.Fault{Method: "GET", Route: member, Status: 403}, denied: "Discord could not be asked for their roles there"},
		"Discord does not answer": {agent: "worker", role: true, fault: &discordtest.Fault{Method: "GET", Route: member, Hold: make(chan struct{})}, denied: "Discord could not be asked for their roles there"},
		"the role is taken away":  {agent: "worker", role: true, before: func(w *world) { w.discord.SetRoles(w.discord.Guild, w.ann.ID) }, denied: "it takes the role lead"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := build(t, "permission_grants: {lead: [open]}\nagents: {worker: {user: ann}, other: {user: joe}, member: {user: \"EVE\"}}\n", discordtest.Options{})
			w.yaml = strings.ReplaceAll(w.yaml, "EVE", w.eve.ID) // the configuration lists no such person
			if lead := w.discord.AddRole(w.discord.Guild, "lead", 0); tt.role {
				w.discord.SetRoles(w.discord.Guild, w.ann.ID, lead)
				w.discord.SetRoles(w.discord.Guild, w.eve.ID, lead)
			}
			w.open()
			w.connected()
			if tt.fault != nil {
				t.Cleanup(w.discord.Inject(*tt.fault))
			}
			p := w.put(tt.agent, edit, "open")
			if tt.denied == "" || tt.before != nil {
				c := p.card()
				if tt.before != nil {
					tt.before(w)
				}
				c.press(w.bob, message.VerbApprove)
			}
			given, behavior := 0, engine.Deny
			if tt.denied == "" {
				given, behavior = 1, engine.Allow
			}
			if res := p.got(); res.Decision.Behavior != behavior || !strings.Contains(res.Decision.Reason, tt.denied) {
				t.Errorf("got %s: %s, want %s that says %q\n%s", res.Decision.Behavior, res.Decision.Reason, behavior, tt.denied, w.log.String())
			}
			if all, err := w.gate.GivenProfiles(context.Background()); err != nil || len(all) != given {
				t.Errorf("given: got %+v, %v, want %d", all, err, given)
			}
		})
	}
}
