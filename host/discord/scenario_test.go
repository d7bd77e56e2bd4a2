package discord_test

import (
	"testing"

	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/store"
)

func TestScenario_approve(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	p := w.call("worker", "s1", "make build")
	c := p.card()
	t.Log(c.Message)
	c.press(w.ann, message.VerbApprove)
	p.wantAllowed("ann")
	t.Log(c.ends("Approved", "`ann`", "make build"))
	for _, r := range w.rows("") {
		t.Logf("%s %s %s: %s", r.Event, r.DecidedBy, r.AskID, r.Detail)
	}
	w.audited(store.EventAskAnswered, c.ask, "ann", "button")
}
