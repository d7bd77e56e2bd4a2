package discord

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
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
	w.final(dm.ID, "allowed")
	w.final(inChannel.ID, "allowed")
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

// withEndpoint is a world without a gateway: clicks and commands are posted.
func withEndpoint(t *testing.T) *world {
	return newWorld(t, strings.Replace(usual, "token_file", `gateway: false, interactions: {listen: "127.0.0.1:PORT", public_key: "KEY"}, token_file`, 1), func(w *world) {
		w.fill = strings.NewReplacer("PORT", freePort(w.t), "KEY", w.server.PublicKey())
	})
}

// posts has Discord post to a URL, once the surface is there.
func (w *world) posts(url string) {
	w.t.Helper()
	w.eventually("the endpoint is there", func() bool { return w.server.SetEndpoint(w.context(), url) == nil })
	w.eventually("it is connected", func() bool { return w.surface.State().Connected })
}

func (w *world) endpointURL() string { return "http://" + w.surface.settings.Interactions.Listen + "/" }

// Attack T10: the proxy before the endpoint, or who reads its log, keeps the signed call of
// an /allow. The owner takes the rule off again, the daemon restarts, and the call is made
// once more while it is fresh. The rule stays gone; what the owner does goes on.
func TestT10_recordedCallAfterARestart(t *testing.T) {
	w := withEndpoint(t)
	type post struct {
		header http.Header
		body   []byte
	}
	var last atomic.Pointer[post]
	listen := w.surface.settings.Interactions.Listen
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		body, _ := io.ReadAll(r.In.Body) // what is missing fails its signature
		last.Store(&post{r.In.Header.Clone(), body})
		r.Out.Body, r.Out.URL.Scheme, r.Out.URL.Host = io.NopCloser(bytes.NewReader(body)), "http", listen
	}})
	t.Cleanup(proxy.Close)
	w.posts(proxy.URL)
	must(t, w.server.WaitCommands(w.context()))
	owner := w.server.As(w.server.Owner) // an administrator
	stored := func() int {
		rules, err := w.store.Rules(w.context(), store.RuleFilter{})
		must(t, err)
		return len(rules)
	}
	allow := func(rule string, want int) {
		t.Helper()
		_, err := owner.Slash(w.context(), w.server.Channel, "allow", map[string]any{"rule": rule, "agent": "worker"})
		must(t, err)
		w.eventually("/allow "+rule, func() bool { return stored() == want })
	}
	allow("Probe(npm ci)", 1)
	recorded := last.Load()
	allow("-Probe(npm ci)", 0)
	w.restart(nil)
	w.posts(proxy.URL)
	r, err := http.NewRequestWithContext(w.context(), http.MethodPost, w.endpointURL(), bytes.NewReader(recorded.body))
	must(t, err)
	r.Header = recorded.header
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	must(t, answer.Body.Close())
	if n := stored(); answer.StatusCode != http.StatusUnauthorized || n != 0 {
		t.Errorf("the recorded call got %s, %d rules are stored", answer.Status, n)
	}
	allow("Probe(npm ci)", 1) // the owner gives it again
}

// By the endpoint everything but reactions and replies works without a gateway.
func TestEndpoint(t *testing.T) {
	w := withEndpoint(t)
	w.posts(w.endpointURL())
	done, _, m := w.posed("npm ci")
	seen, err := w.ann.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	if seen.Message != nil && len(seen.Message.Components) != 0 { // none where the machine was too busy to answer at once
		t.Errorf("ann sees %+v", seen)
	}
	w.wants(done, store.AskApproved)
	w.final(m.ID, "allowed")
}
