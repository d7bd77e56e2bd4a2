package discord

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// undecided fails when the ask no longer waits.
func (w *world) undecided(a ask.Ask) {
	w.t.Helper()
	if got, err := w.broker.Get(w.context(), a.ID); err != nil || got.State != ask.Shown || len(got.Votes) > 0 {
		w.t.Errorf("the ask: got %s with %d votes (%v)", got.State, len(got.Votes), err)
	}
}

// Without approvers in the configuration a member whom nobody lists cannot answer, by any
// way; they are told, once in public, and the audit has one row.
func TestBystander(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	for _, verb := range []string{"approve", "deny", "session"} {
		seen, err := w.bob.Click(w.context(), m.ID, w.label(m, verb))
		must(t, err)
		if seen.Message == nil || seen.Message.For != w.bob.ID || !strings.HasPrefix(seen.Message.Content, "You may not answer this: the configuration names no approvers") {
			t.Errorf("%s: bob sees %+v", verb, seen)
		}
	}
	seen, err := w.bob.Select(w.context(), m.ID, w.menu(m))
	must(t, err)
	if !strings.Contains(seen.Message.Content, "may not answer") {
		t.Errorf("the menu: bob sees %s", seen.Message)
	}
	must(t, w.bob.React(m.ID, "✅"))
	hint, err := w.server.WaitMessage(w.context(), func(n discordtest.Message) bool { return n.ReplyTo == m.ID })
	must(t, err)
	if !strings.Contains(hint.Content, "> You may not answer this: the configuration names no approvers") || len(hint.Pings.Users) != 0 {
		t.Errorf("the hint: %s", hint.String())
	}
	_, err = w.bob.Reply(m.ID, "yes")
	must(t, err)
	_, err = w.bob.Click(w.context(), m.ID, "Allow once") // what came before is dealt with
	must(t, err)
	w.undecided(a)
	if rows := w.rows(store.EventAnswerRefused); len(rows) != 1 || rows[0].DecidedBy != w.bob.ID || rows[0].AskID != a.ID {
		t.Errorf("the audit: %+v", rows)
	}
}

// A forged interaction decides nothing.
func TestForged(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	elsewhere := w.server.AddChannel(w.server.Guild, "elsewhere")
	other := w.check("npm audit", otherSession)
	m2 := w.card("npm audit")
	set := func(key string, value any) func(map[string]any) { return func(p map[string]any) { p[key] = value } }
	for name, tt := range map[string]struct {
		channel, message, id string
		change               func(map[string]any)
		says                 string
	}{
		"from another channel":       {elsewhere, "", w.customID(a, "approve"), nil, "no card"},
		"on another ask's card":      {m.ChannelID, m2.ID, w.customID(a, "approve"), nil, "no card"},
		"a verb that there is not":   {m.ChannelID, m.ID, w.customID(a, "explode"), nil, "not understood"},
		"an ask that there is not":   {m.ChannelID, m.ID, "g1|" + w.surface.instance + "|zzzzzz|approve", nil, "no such ask"},
		"a rule that is not offered": {m.ChannelID, m.ID, w.customID(a, "store|77"), nil, "not offered"},
		"a bot":                      {m.ChannelID, m.ID, w.customID(a, "approve"), set("member", map[string]any{"user": map[string]any{"id": w.ann.ID, "bot": true}, "roles": []string{}}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.says == "" {
				go w.server.Forge(w.context(), w.ann.ID, tt.channel, tt.message, tt.id, tt.change) //nolint:errcheck // it is not answered
				return
			}
			seen, err := w.server.Forge(w.context(), w.ann.ID, tt.channel, tt.message, tt.id, tt.change)
			must(t, err)
			if seen.Message == nil || !strings.Contains(seen.Message.Content, tt.says) {
				t.Errorf("ann sees %+v", seen)
			}
		})
	}
	w.undecided(a)
	_, err := w.ann.Click(w.context(), m2.ID, "Deny")
	must(t, err)
	w.wants(other, store.AskDenied)
	w.undecided(a)
}

// Who clicks as the card appears is asked to look at it first.
func TestButton_tooEarly(t *testing.T) {
	w := newWorld(t, usual, func(w *world) {
		w.server = discordtest.Start(t, discordtest.Options{Seed: 1, Patience: time.Nanosecond, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
		w.ann, w.bob = w.server.Person("ann"), w.server.Person("bob")
	})
	_, a, m := w.posed("npm ci")
	seen, err := w.ann.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	if !strings.Contains(seen.Message.Content, "only just appeared") {
		t.Errorf("ann sees %s", seen.Message)
	}
	w.undecided(a)
}

// Another gate's components are left to that: it answers them.
func TestForeignInstance(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	for _, id := range []string{"g1|other|" + a.ID + "|approve", "something else"} {
		w.server.Dispatch("INTERACTION_CREATE", interaction(t, w, m, id))
	}
	_, err := w.ann.Select(w.context(), m.ID, message.ValueReason) // what came before is dealt with
	must(t, err)
	w.undecided(a)
	for _, r := range w.server.Requests("POST", "/interactions/{interaction_id}/{interaction_token}/callback") {
		if strings.Contains(r.Path, m.ID) { // the id that the interactions have
			t.Errorf("it was answered: %s", r.Body)
		}
	}
}

func interaction(t *testing.T, w *world, m discordtest.Message, customID string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"id": m.ID, "application_id": w.server.Application, "type": 3, "token": "aaaa", "version": 1,
		"guild_id": w.server.Guild, "channel_id": m.ChannelID, "message": map[string]any{"id": m.ID, "channel_id": m.ChannelID, "content": m.Content},
		"member": map[string]any{"user": map[string]any{"id": w.ann.ID, "username": "ann"}, "roles": []string{}},
		"data":   map[string]any{"custom_id": customID, "component_type": 2},
	})
	must(t, err)
	return string(data)
}

// Reactions that are none of the three, of a server's own emoji, or the bot's, are
// nothing, also no denial.
func TestReactions_thatAreNone(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	for _, emoji := range []string{`{"id":"12345","name":"✅"}`, `{"id":null,"name":"👍"}`, `{"id":null,"name":""}`} {
		w.server.ForgeReaction(w.ann.ID, m.ID, emoji, nil)
	}
	w.server.ForgeReaction(w.server.Bot, m.ID, `{"id":null,"name":"✅"}`, nil)
	robot := w.server.AddBot("robot")
	w.server.SetRoles(w.server.Guild, robot)
	w.server.ForgeReaction(robot, m.ID, `{"id":null,"name":"✅"}`, nil)
	_, err := w.ann.Select(w.context(), m.ID, message.ValueReason)
	must(t, err)
	w.undecided(a)
}

// A card that somebody changed is an alarm: the ask is cancelled, and the card tells.
func TestChangedCard(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*discordtest.Message){
		"its text": func(m *discordtest.Message) { m.Content = strings.ReplaceAll(m.Content, "rm -rf /", "ls") },
		"its buttons": func(m *discordtest.Message) {
			for i := range m.Components[0].Components {
				m.Components[0].Components[i].Label = "Deny"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			done, a, m := w.posed("rm -rf /")
			w.server.EditAs(m.ID, change)
			w.wants(done, store.AskCancelled)
			w.final(m.ID, "rm -rf /")
			w.eventually("the alarm is in the audit", func() bool { // written after the ask is cancelled
				rows := w.rows(store.EventCardChanged)
				return len(rows) == 1 && rows[0].AskID == a.ID
			})
		})
	}
}

// Many people click at once, on every button: one of them decides, each gets an answer,
// and the call runs once.
func TestManyAtOnce(t *testing.T) {
	var ops string
	w := newWorld(t, usual+"defaults: {ask_approvers: {roles: [ops]}}\n", withOps(&ops))
	done, a, m := w.posed("npm ci")
	const people = 30
	answers := make(chan error, people)
	for i := range people {
		h := w.server.Person("op", ops)
		go func() {
			_, err := w.server.Forge(w.context(), h.ID, m.ChannelID, m.ID, w.customID(a, []string{"approve", "deny", "session"}[i%3]), nil)
			answers <- err
		}()
	}
	for range people {
		if err := <-answers; err != nil {
			t.Errorf("a click: %v", err)
		}
	}
	r := w.outcome(done)
	got, err := w.broker.Get(w.context(), a.ID)
	must(t, err)
	if (r.Outcome == store.AskApproved) != (got.State == ask.Approved) || got.Answer == nil {
		t.Errorf("the call is %s, the ask %s", r.Outcome, got.State)
	}
	if rows := w.rows(store.EventAskAnswered); len(rows) != 1 {
		t.Errorf("%d answers are in the audit", len(rows))
	}
	w.final(m.ID, got.Answer.By)
}

// withOps adds the role ops before the surface reads the roles: a new one that it misses
// is looked up again after a pause only.
func withOps(id *string) func(*world) {
	return func(w *world) { *id = w.server.AddRole(w.server.Guild, "ops", 0) }
}

// Several have to approve: the card counts, and the last of them ends it.
func TestQuorum(t *testing.T) {
	var ops string
	w := newWorld(t, usual+"defaults: {ask_approvers: {roles: [ops], quorum: 2}}\n", withOps(&ops))
	one, two := w.server.Person("one", ops), w.server.Person("two", ops)
	done, a, m := w.posed("npm ci")
	for range 2 { // twice the same person is one
		seen, err := one.Click(w.context(), m.ID, "Allow once")
		must(t, err)
		if !strings.Contains(seen.Message.Content, "1 of 2") {
			t.Errorf("one sees %s", seen.Message)
		}
	}
	w.undecidedVotes(a, 1)
	_, err := two.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	w.wants(done, store.AskApproved)
	w.final(m.ID, "allowed")
}

func (w *world) undecidedVotes(a ask.Ask, n int) {
	w.t.Helper()
	if got, err := w.broker.Get(w.context(), a.ID); err != nil || got.State != ask.Shown || len(got.Votes) != n {
		w.t.Errorf("the ask: got %s with %d votes (%v)", got.State, len(got.Votes), err)
	}
}

// No token is logged, nor the call.
func TestLog_holdsNoSecret(t *testing.T) {
	w := newWorld(t, usual)
	w.server.Inject(discordtest.Fault{Method: "PATCH", Status: 500})
	done, _, m := w.posed("export KEY=s3cr3t-command")
	must(t, w.ann.React(m.ID, "❌"))
	w.wants(done, store.AskDenied)
	w.eventually("the fault is noted", func() bool { return w.surface.State().LastError != "" })
	w.server.ClearFaults()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, secret := range []string{w.server.Token, "s3cr3t-command"} {
		if strings.Contains(w.logged.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// An approval by a reaction or a reply, for which the card cannot be read again, is none;
// a denial is one.
func TestUnreadableCard(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	w.server.Inject(discordtest.Fault{Method: "GET", Route: "/channels/{channel_id}/messages/{message_id}", Status: 403})
	_, err := w.ann.Reply(m.ID, "yes")
	must(t, err)
	hint, err := w.server.WaitMessage(w.context(), func(n discordtest.Message) bool { return n.ReplyTo == m.ID && n.Author.Bot })
	must(t, err)
	if !strings.Contains(hint.Content, "could not be read") {
		t.Errorf("the hint: %s", hint.String())
	}
	w.undecided(a)
	_, err = w.ann.Reply(m.ID, "no")
	must(t, err)
	w.wants(done, store.AskDenied)
}
