package discord

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/discord/discordtest"
	"github.com/callgate/callgate/host/store"
)

func routed(route string) string {
	return strings.Replace(usual, `discord: {channel: "%[4]s"}`, "discord: "+route, 1)
}

// Each session has one thread, which outlives a restart; one that was deleted is made
// anew.
func TestThreads(t *testing.T) {
	w := newWorld(t, routed(`{channel: "%[4]s", threads: session}`))
	thread := func(command string) string {
		t.Helper()
		m, err := w.server.WaitMessage(w.context(), func(m discordtest.Message) bool {
			return strings.Contains(m.Content, command) && len(m.Components) > 0
		})
		must(t, err)
		w.eventually("the card is known", func() bool { return w.surface.cardAt(m.ChannelID, m.ID) != nil })
		_, err = w.ann.Click(w.context(), m.ID, "Deny")
		must(t, err)
		w.final(m.ID, "denied")
		return m.ChannelID
	}
	w.check("first")
	first := thread("first")
	w.check("second")
	if second := thread("second"); second != first || first == w.server.Channel {
		t.Errorf("the second card stands in %s, the first in %s", second, first)
	}
	w.check("elsewhere", otherSession)
	if other := thread("elsewhere"); other == first {
		t.Error("another session has the same thread")
	}
	if got := (rooms{w.surface}).SessionOf(first); got != "s1" {
		t.Errorf("the thread's session: got %q", got)
	}
	w.restart(nil)
	w.check("third")
	if third := thread("third"); third != first {
		t.Error("after a restart the session has another thread")
	}
	w.server.DeleteChannel(first)
	w.check("fourth")
	if fourth := thread("fourth"); fourth == first {
		t.Error("the thread was deleted")
	}
}

// A card in direct messages is answered there, by whom the configuration lists; the
// other cards tell.
func TestDirectMessages(t *testing.T) {
	w := newWorld(t, routed(`{channel: "%[4]s", direct_messages: [ann]}`))
	done := w.check("npm ci")
	inChannel := w.card("npm ci")
	dm := w.cardIn("npm ci", w.ann.DM())
	must(t, w.ann.React(dm.ID, "✅"))
	w.wants(done, store.AskApproved)
	w.final(dm.ID, "approved")
	w.final(inChannel.ID, "approved")
}

// Nobody answers: the card is posted once more, where it pings a role.
func TestEscalates(t *testing.T) {
	var up, role string
	w := newWorld(t, routed(`{channel: "%[4]s", escalate: {after: 1s, channel: "UP", mention_roles: ["ROLE"]}}`), func(w *world) {
		up = w.server.AddChannel(w.server.Guild, "urgent")
		role = w.server.AddRole(w.server.Guild, "oncall", 0)
		w.server.SetRole(w.server.Guild, role, 0, true)
		w.fill = strings.NewReplacer("UP", up, "ROLE", role)
	})
	done := w.check("npm ci")
	first := w.card("npm ci")
	second := w.cardIn("npm ci", up)
	if len(second.Pings.Roles) != 1 || second.Pings.Roles[0] != role || len(first.Pings.Roles) != 0 {
		t.Errorf("pinged: %+v, and first %+v", second.Pings, first.Pings)
	}
	w.restart(nil)
	w.cardIn("npm ci", up)
	_, err := w.ann.Click(w.context(), second.ID, "Deny")
	must(t, err)
	w.final(first.ID, "denied")
	w.final(second.ID, "denied")
	if n := w.posted("npm ci"); n != 2 {
		t.Errorf("it was posted %d times", n)
	}
	<-done
}

// Slash commands are registered, and answered.
func TestCommands(t *testing.T) {
	w := newWorld(t, usual)
	must(t, w.server.WaitCommands(w.context()))
	w.posed("npm ci")
	seen, err := w.ann.Slash(w.context(), w.server.Channel, "asks", nil)
	must(t, err)
	if seen.Message == nil || seen.Message.For != w.ann.ID || !strings.Contains(seen.Message.Content, "discord.com/channels/"+w.server.Guild) {
		t.Errorf("ann sees %+v", seen)
	}
}

// By the endpoint everything but reactions and replies works without a gateway.
func TestEndpoint(t *testing.T) {
	w := newWorld(t, strings.Replace(usual, "token_file", `gateway: false, interactions: {listen: "127.0.0.1:PORT", public_key: "KEY"}, token_file`, 1), func(w *world) {
		w.fill = strings.NewReplacer("PORT", freePort(w.t), "KEY", w.server.PublicKey())
	})
	w.eventually("the endpoint is there", func() bool {
		return w.server.SetEndpoint(w.context(), "http://"+w.surface.settings.Interactions.Listen+"/") == nil
	})
	w.eventually("it is connected", func() bool { return w.surface.State().Connected })
	done, _, m := w.posed("npm ci")
	seen, err := w.ann.Click(w.context(), m.ID, "Approve")
	must(t, err)
	if seen.Message == nil || len(seen.Message.Components) != 0 {
		t.Errorf("ann sees %+v", seen)
	}
	w.wants(done, store.AskApproved)
	w.final(m.ID, "approved")
}
