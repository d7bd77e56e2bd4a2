package discord

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// Attachments of a long call's card are unmasked as long as the ask waits, and masked, or gone,
// after any end.
func TestAttached(t *testing.T) {
	t.Parallel()
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	long := "curl -H token=" + secret + " " + strings.Repeat("x", 9000)
	answered := func(w *world, a ask.Ask) {
		_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
		must(w.t, err)
	}
	for name, tt := range map[string]struct {
		end func(*world, ask.Ask, discordtest.Message)
		// gone means: no masked files replace the others.
		gone bool
	}{
		"by a form": {func(w *world, a ask.Ask, m discordtest.Message) {
			form, err := w.ann.Click(w.context(), m.ID, w.label(m, "approve"))
			must(w.t, err)
			_, err = w.ann.Submit(w.context(), form, map[string]string{"id": a.ID})
			must(w.t, err)
		}, false},
		"by a button": {func(w *world, _ ask.Ask, m discordtest.Message) {
			_, err := w.ann.Click(w.context(), m.ID, w.label(m, "deny"))
			must(w.t, err)
		}, false},
		"elsewhere": {func(w *world, a ask.Ask, _ discordtest.Message) { answered(w, a) }, false},
		"after a restart": {func(w *world, a ask.Ask, m discordtest.Message) {
			w.restart(nil)
			w.card("curl")
			answered(w, a)
		}, false},
		"where the edit fails for a while": {func(w *world, a ask.Ask, _ discordtest.Message) {
			w.server.Inject(discordtest.Fault{Method: "PATCH", Status: 503, Count: 2})
			answered(w, a)
		}, false},
		"where nothing may be attached any more": {func(w *world, a ask.Ask, _ discordtest.Message) {
			w.server.Overwrite(w.server.Channel, w.server.BotRole, 0, discordtest.PermAttachFiles)
			answered(w, a)
		}, true},
		"while the surface is not there": {func(w *world, a ask.Ask, _ discordtest.Message) {
			w.stop()
			answered(w, a)
			w.openSurface()
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			done := w.check(long)
			a, m := w.shown("curl"), w.card("curl")
			if len(m.Attachments) == 0 || !bytes.Contains(m.Attachments[0].Data, []byte(secret)) {
				t.Fatalf("whoever answers does not see the whole call: %s", m.String())
			}
			w.kept(m.ID)
			tt.end(w, a, m)
			if name != "after a restart" {
				w.outcome(done)
			}
			end, err := w.server.WaitEdit(w.context(), m.ID, func(m discordtest.Message) bool {
				return len(m.Components) == 0 && (len(m.Attachments) > 0) != tt.gone
			})
			must(t, err)
			w.eventually("the card is finished", func() bool { c, err := w.store.UnfinishedCards(w.context()); return err == nil && len(c) == 0 })
			if says := strings.Contains(end.Content, filesGone[:30]); says != tt.gone {
				t.Errorf("the card:\n%s", end.Content)
			}
			if says := strings.HasSuffix(end.Content, " · agent `worker` · call.txt has it whole"); says == tt.gone {
				t.Errorf("the row about the call does not fit the files:\n%s", end.Content)
			}
			if tt.gone {
				return
			}
			if file := end.Attachments[0]; file.Name != "call.txt" || !bytes.Contains(file.Data, []byte(strings.Repeat("x", 9000))) {
				t.Errorf("the masked call is not attached:\n%s", end.String())
			}
			for _, file := range end.Attachments {
				if bytes.Contains(file.Data, []byte(secret)) {
					t.Errorf("%s holds the secret", file.Name)
				}
			}
		})
	}
}

// kept waits until the store has a card.
func (w *world) kept(id string) {
	w.t.Helper()
	w.eventually("the card is stored", func() bool { c, err := w.store.Card(w.context(), id); return err == nil && c.Body != "" })
}
