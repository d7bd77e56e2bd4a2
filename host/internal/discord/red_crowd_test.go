package discord

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// Attack T12: an agent calls its session so that Discord refuses a thread of that name, or
// has opened so many that there may be no more. Its card stands in the channel itself, and
// is answered there.
func TestT12_noThread(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"a name that is not allowed": {Status: 400, Code: 50035, Message: "Invalid Form Body"},
		"too many threads":           {Status: 400, Code: 160006, Message: "Maximum number of active threads reached"},
		"the bot may not":            {Status: 403, Code: 50013, Message: "Missing Permissions"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, routed(`{channel: "%[4]s", threads: session}`))
			fault.Method, fault.Route = "POST", "/channels/{channel_id}/threads"
			w.server.Inject(fault)
			done, _, m := w.posed("npm ci")
			_, err := w.ann.Click(w.context(), m.ID, "Allow once")
			must(t, err)
			w.wants(done, store.AskApproved)
			w.final(m.ID, "allowed")
		})
	}
}

// Attack T12: members whom nobody lists react to every card at once. What they are told
// goes out one by one, so that the next card need not wait behind all of it.
func TestT12_hintsHoldUpNoCard(t *testing.T) {
	const cards = 4
	w := newWorld(t, usual)
	var posted []discordtest.Message
	for i := range cards {
		w.check(fmt.Sprintf("make %03d", i), inSession(fmt.Sprint(i)))
		posted = append(posted, w.card(fmt.Sprintf("make %03d", i)))
	}
	// A reaction that comes at once is looked up in the channel, which waits below.
	time.Sleep(steady)
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	w.server.Inject(discordtest.Fault{Method: "POST", Route: "/channels/{channel_id}/messages", Hold: hold})
	for _, m := range posted {
		must(t, w.bob.React(m.ID, "❌"))
	}
	w.eventually("each reaction was refused", func() bool { return len(w.rows(store.EventAnswerRefused)) == cards })
	w.eventually("bob is being told", func() bool { return w.hinted() > 0 })
	_, err := w.bob.Click(w.context(), posted[0].ID, "Deny")
	must(t, err)
	if n := w.hinted(); n != 1 {
		t.Errorf("%d hints wait for Discord, before whatever card comes next", n)
	}
	release()
	_, err = w.ann.Click(w.context(), posted[0].ID, "Deny")
	must(t, err)
	w.final(posted[0].ID, "denied")
}

// hinted is how many people have been told something, or are being told.
func (w *world) hinted() (n int) {
	w.surface.mu.Lock()
	defer w.surface.mu.Unlock()
	for _, f := range w.surface.asks {
		f.mu.Lock()
		n += len(f.told)
		f.mu.Unlock()
	}
	return n
}
