package discord

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// A card outlives a restart: it stands as it did, is not posted twice, and its buttons
// work.
func TestRestart(t *testing.T) {
	w := newWorld(t, usual)
	same := func(r *wire.Request) { r.CallID = "c1" }
	w.check("npm ci", same)
	a, m := w.shown("npm ci"), w.card("npm ci")
	w.restart(nil)
	done := w.check("npm ci", same) // its client comes back
	w.card("npm ci")
	_, err := w.ann.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	w.final(m.ID, "allowed")
	w.wants(done, store.AskApproved)
	if got, err := w.broker.Get(w.context(), a.ID); err != nil || got.Answer.By != "ann" {
		t.Errorf("the ask: got %+v, %v", got, err)
	}
	if cards := w.posted("npm ci"); cards != 1 {
		t.Errorf("%d cards were posted", cards)
	}
}

// posted counts the bot's messages that say something.
func (w *world) posted(text string) (n int) {
	for _, m := range w.server.Messages() {
		if m.Author.Bot && strings.Contains(m.Content, text) {
			n++
		}
	}
	return n
}

// What happened while the daemon was down is seen when it is back: a reaction counts, a
// deleted card is posted again, a changed one is an alarm, and an ask that has ended has
// its end on the card.
func TestRestart_takesUpWhatWasMissed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(*world, ask.Ask, discordtest.Message)
		then      func(*world, ask.Ask, discordtest.Message)
	}{
		"a reaction": {
			func(w *world, _ ask.Ask, m discordtest.Message) { must(w.t, w.ann.React(m.ID, "❌")) },
			func(w *world, _ ask.Ask, m discordtest.Message) { w.final(m.ID, "denied") },
		},
		"a bystander's reaction": {
			func(w *world, _ ask.Ask, m discordtest.Message) { must(w.t, w.bob.React(m.ID, "✅")) },
			func(w *world, a ask.Ask, m discordtest.Message) {
				_, err := w.server.WaitMessage(w.context(), func(n discordtest.Message) bool { return n.ReplyTo == m.ID })
				must(w.t, err)
				w.undecided(a)
			},
		},
		"a deletion": {
			func(w *world, _ ask.Ask, m discordtest.Message) { must(w.t, w.server.As(w.server.Owner).Delete(m.ID)) },
			func(w *world, a ask.Ask, m discordtest.Message) {
				again := w.card("Posted again")
				if again.ID == m.ID || !strings.Contains(again.Content, "npm ci") {
					w.t.Errorf("got %s", again.String())
				}
				w.undecided(a)
			},
		},
		"a change": {
			func(w *world, _ ask.Ask, m discordtest.Message) {
				w.server.EditAs(m.ID, func(m *discordtest.Message) { m.Content = "harmless" })
			},
			func(w *world, _ ask.Ask, m discordtest.Message) { w.final(m.ID, "npm ci") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			_, a, m := w.posed("npm ci")
			w.restart(func() { tt.meanwhile(w, a, m) })
			tt.then(w, a, m)
		})
	}
}

// An ask that ended while the surface was not there has its end on the card, with its
// secrets masked.
func TestOrphan(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	w := newWorld(t, usual)
	done, a, m := w.posed("curl -H token=" + secret)
	w.stop()
	_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
	must(t, err)
	w.wants(done, store.AskDenied)
	w.openSurface()
	end := w.final(m.ID, "cy")
	if strings.Contains(end.Content, secret) || !strings.Contains(end.Content, "curl -H") {
		t.Errorf("the card:\n%s", end.Content)
	}
	w.eventually("the card is finished", func() bool { c, err := w.store.UnfinishedCards(w.context()); return err == nil && len(c) == 0 })
}

// A card that is deleted is posted again, twice; after that the ask is left to the other
// surfaces.
func TestDeleted(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	for range maxAttempts {
		must(t, w.server.As(w.server.Owner).Delete(m.ID))
		if w.posted("npm ci") < maxAttempts {
			m = w.card("Posted again")
		}
	}
	w.eventually("the broker is told", func() bool {
		got, err := w.broker.Get(w.context(), a.ID)
		return err == nil && len(got.Undelivered) == 1
	})
	if n := w.posted("npm ci"); n != maxAttempts {
		t.Errorf("it was posted %d times", n)
	}
	_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
	must(t, err)
	w.wants(done, store.AskDenied)
	w.eventually("nothing is left", func() bool { return w.surface.State().Asks == 0 })
}

// What does not get through at once gets through in time, and is posted once.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"500":           {Method: "POST", Route: "/channels/{channel_id}/messages", Status: 500, Count: 4},
		"cut after":     {Method: "POST", Route: "/channels/{channel_id}/messages", Drop: discordtest.DropAfter, Count: 1},
		"cut before":    {Method: "POST", Route: "/channels/{channel_id}/messages", Drop: discordtest.DropBefore, Count: 1},
		"slow mode":     {Method: "POST", Route: "/channels/{channel_id}/messages", Status: 400, Code: codeSlowMode, Count: 1},
		"the edit":      {Method: "PATCH", Status: 502, Count: 5},
		"the answer":    {Method: "POST", Route: "/interactions/*", Status: 500, Count: 10},
		"too old edits": {Method: "PATCH", Status: 429, Code: codeOldEdits, RateLimit: nil, Count: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			w.server.Inject(fault)
			done, _, m := w.posed("npm ci")
			// Where the answer gets lost, the client says that it failed; the decision stands.
			lost := name == "the answer"
			clicking, cancel := context.WithCancel(w.context())
			defer cancel()
			clicked := make(chan error, 1)
			go func() {
				_, err := w.ann.Click(clicking, m.ID, "Allow once")
				clicked <- err
			}()
			w.wants(done, store.AskApproved)
			w.final(m.ID, "allowed")
			if lost {
				cancel() // nothing will come
			}
			if err := <-clicked; (err != nil) != lost {
				t.Errorf("the click: %v", err)
			}
			if n := w.posted("npm ci"); n != 1 {
				t.Errorf("it was posted %d times", n)
			}
		})
	}
}

// A surface that may not post says so at once, and leaves the ask to the others.
func TestForbidden(t *testing.T) {
	w := newWorld(t, usual)
	w.server.Overwrite(w.server.Channel, w.server.BotRole, 0, 1<<11)
	done := w.check("npm ci")
	a := w.shown("npm ci")
	w.eventually("the broker is told", func() bool {
		got, err := w.broker.Get(w.context(), a.ID)
		return err == nil && len(got.Undelivered) == 1
	})
	if s := w.surface.State(); s.LastError == "" || s.Cards != 0 {
		t.Errorf("state: %+v", s)
	}
	_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
	must(t, err)
	w.wants(done, store.AskDenied)
}

// The daemon ended before it knew of its card, and somebody changed that: the next run
// sets it right before anybody can answer it.
func TestRestart_setsAnUnknownCardRight(t *testing.T) {
	w := newWorld(t, usual)
	_, _, m := w.posed("rm -rf /")
	w.restart(func() {
		s := storetest.Open(w.t, filepath.Join(w.dir, "state", "callgate.db"), store.Options{})
		must(w.t, s.FinishCard(w.context(), m.ID, time.Now())) // as if it had not been stored
		must(w.t, s.Close())
		w.server.EditAs(m.ID, func(m *discordtest.Message) { m.Content = strings.ReplaceAll(m.Content, "rm -rf /", "ls") })
	})
	again := w.card("rm -rf /")
	if again.ID != m.ID || w.posted("-# ends <t:") != 1 {
		t.Errorf("got another card: %s", again.String())
	}
}

// A client that comes back at once after a restart is not denied for want of a surface.
func TestRestart_isAttachedFromTheStart(t *testing.T) {
	w := newWorld(t, usual)
	for _, s := range w.broker.Surfaces() {
		if s.Name == Name {
			return
		}
	}
	t.Error("the surface is not attached")
}
