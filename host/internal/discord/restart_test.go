package discord_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// again makes the call that waited before a restart once more, as a client does that
// lost its answer.
func (w *world) again(session, command string) *pending {
	r := request(session, command)
	r.CallID = "call of " + command
	return w.put("worker", r, command)
}

// TestScenario_restart: the daemon ends while an ask waits. Its card goes on, the same
// one, and is answered when the next daemon runs; what happened to it meanwhile counts.
func TestScenario_restart(t *testing.T) {
	t.Parallel()
	type absence struct {
		do    func(w *world, c card)
		state ask.State
		by    string
	}
	for name, tt := range map[string]absence{
		"clicked afterwards":               {func(*world, card) {}, ask.Approved, "ann"},
		"a reaction meanwhile":             {func(w *world, c card) { c.react(w.ann, yes) }, ask.Approved, "ann"},
		"two reactions meanwhile":          {func(w *world, c card) { c.react(w.ann, yes); c.react(w.bob, no) }, ask.Denied, "bob"},
		"a bystander's reaction meanwhile": {func(w *world, c card) { c.react(w.eve, no) }, ask.Approved, "ann"},
		"deleted meanwhile":                {func(w *world, c card) { c.delete() }, ask.Approved, "ann"},
		"changed meanwhile": {func(w *world, c card) {
			w.discord.EditAs(c.ID, func(m *discordtest.Message) { m.Content = strings.Replace(m.Content, "make build", "ls", 1) })
		}, ask.Cancelled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple)
			first := w.again("s1", "make build")
			c := first.card()
			w.kept(c)
			w.stop()
			first.got()
			tt.do(w, c)
			w.open()
			w.connected()
			var back *pending
			if tt.by == "ann" && name != "a reaction meanwhile" {
				back = w.again("s1", "make build")
				now := back.card()
				if now.ask != c.ask || (now.ID == c.ID) == (name == "deleted meanwhile") {
					t.Errorf("the card after the restart is message %s of ask %s, before it was %s of %s", now.ID, now.ask, c.ID, c.ask)
				}
				now.press(w.ann, message.VerbApprove)
				now.ends("Allowed")
			}
			var end ask.Ask
			w.await("the ask ends", func() bool { end, _ = w.broker.Get(t.Context(), c.ask); return !end.State.Waiting() })
			if end.State != tt.state || end.DecidedBy() != tt.by {
				t.Errorf("the ask is %s by %q, want %s by %q\nlog:\n%s", end.State, end.DecidedBy(), tt.state, tt.by, w.log.String())
			}
			switch end.State {
			case ask.Approved:
				if back == nil { // it comes back when the answer is there
					back = w.again("s1", "make build")
				}
				back.wantAllowed("ann")
			case ask.Cancelled:
				w.await("the alarm is in the audit", func() bool { return len(w.rows(store.EventCardChanged)) == 1 }) // it follows the end
			}
			if name != "deleted meanwhile" {
				c.ends()
			}
		})
	}
}

// kept waits until the store has a card, so that the next daemon finds it.
func (w *world) kept(c card) {
	w.t.Helper()
	w.await("the card is stored", func() bool {
		row, err := w.store.Card(context.Background(), c.ID)
		return err == nil && row.Ask == c.ask
	})
}

func (c card) delete() {
	c.w.t.Helper()
	if err := c.w.discord.As(c.w.discord.Owner).Delete(c.ID); err != nil {
		c.w.t.Fatal(err)
	}
}

// TestScenario_restartAfterTheEnd: an ask ends while no daemon looks after its card, by
// its deadline or because nobody waits any more; the next daemon tells it.
func TestScenario_restartAfterTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.again("s1", "make build")
	c := p.card()
	w.kept(c)
	remove := w.discord.Inject(discordtest.Fault{Method: "PATCH", Status: 500})
	if _, err := w.answer(c.ask, "joe", ask.Answer{Verdict: ask.Deny, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	p.wantDenied("joe", "no")
	w.stop()
	remove()
	if len(c.now().Components) == 0 {
		t.Error("the card was edited before the daemon ended: nothing is left to mend")
	}
	w.open()
	c.ends("**Denied "+c.ask+"** by `joe` in the terminal", "make build")
}

// TestScenario_crashAfterTheApproval: the daemon dies between an approval and its call. The card
// does not claim that anything ran.
func TestScenario_crashAfterTheApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.again("s1", "make build")
	c := p.card()
	w.kept(c)
	w.stop()
	p.got()
	between := storetest.Open(t, filepath.Join(w.dir, "state", "callgate.db"), store.Options{})
	a, err := between.Ask(t.Context(), c.ask)
	if err != nil {
		t.Fatal(err)
	}
	a.State, a.Cause, a.Input, a.EndedAt = ask.Approved, ask.CauseAnswered, nil, time.Now().Add(-time.Minute)
	a.Answer = &ask.Answer{Verdict: ask.Approve, By: "ann", Surface: discord.Name}
	if ok, err := between.CompareAndSetAsk(t.Context(), ask.Shown, a); err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	if err := between.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	c.ends("**Allowed "+c.ask+"** by `ann` in Discord", " · ⚠ its client is not connected: the approval counts if the same call comes back in time", "make build")
	w.again("s1", "make build").wantAllowed("ann")
}

// TestScenario_discordRestart: Discord forgets its sessions, so that what happened in
// between is not told; the flow goes on.
func TestScenario_discordRestart(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(s *discordtest.Server){
		"forgotten, then cut":       func(s *discordtest.Server) { s.ForgetSessions(); s.DropSockets() },
		"invalidated":               func(s *discordtest.Server) { s.Invalidate(false) },
		"invalidated, resumable":    func(s *discordtest.Server) { s.Invalidate(true) },
		"asked to reconnect":        func(s *discordtest.Server) { s.AskReconnect() },
		"closed for a restart":      func(s *discordtest.Server) { s.CloseSockets(1001, "going away") },
		"closed, session timed out": func(s *discordtest.Server) { s.ForgetSessions(); s.CloseSockets(4009, "session timed out") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple)
			p := w.call("worker", "s1", "make build")
			c := p.card()
			w.discord.RefuseDials(true)
			cut(w.discord)
			if err := w.discord.WaitDisconnected(within(t)); err != nil {
				t.Fatal(err)
			}
			c.react(w.bob, no)
			w.discord.RefuseDials(false)
			p.wantDenied("bob", "")
			c.ends("**Denied " + c.ask + "** by `bob` in Discord")
			w.settled()
		})
	}
}

// TestScenario_discordDown: with Discord gone for good an ask stays answerable elsewhere,
// ends at its deadline as denied, and one that nobody else can show is denied at once.
func TestScenario_discordDown(t *testing.T) {
	t.Parallel()
	w := build(t, simple+"asks: {timeout: 10s}\n", discordtest.Options{})
	w.open()
	w.connected()
	defer w.broker.Attach(ask.Surface{Name: "terminal"})()
	w.discord.RefuseDials(true)
	w.discord.Inject(discordtest.Fault{Drop: discordtest.DropBefore})
	w.discord.DropSockets()
	first, second := w.call("worker", "s1", "make one"), w.call("worker", "s2", "make two")
	w.await("both are asked", func() bool { return len(w.broker.Waiting(ask.Filter{State: ask.Shown})) == 2 })
	for _, a := range w.broker.Waiting(ask.Filter{Session: "s1"}) {
		if _, err := w.answer(a.ID, "joe", ask.Answer{Verdict: ask.Approve}); err != nil {
			t.Error(err)
		}
	}
	first.wantAllowed("joe")
	second.want(engine.Deny, store.AskTimeout, "", "")
	if n := len(w.discord.Messages()); n != 0 {
		t.Errorf("%d messages came through", n)
	}
}

// A card says before the answer that its client has left.
func TestScenario_clientHasLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	first := w.again("s1", "make build")
	c := first.card()
	w.kept(c)
	w.stop()
	first.got()
	w.open()
	w.connected()
	c = w.lists(c, "its client is not connected: the answer counts if it asks again in time")
	back := w.again("s1", "make build")
	m, err := w.discord.WaitEdit(within(t), c.ID, func(m discordtest.Message) bool { return !strings.Contains(m.Content, "is not connected") })
	if err != nil {
		t.Fatalf("the client is back, and the card says it is not: %v\n%s", err, m)
	}
	c.press(w.ann, message.VerbApprove)
	back.wantAllowed("ann")
}
