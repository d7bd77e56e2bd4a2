package discord_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

func optionsOfCrowd() discordtest.Options { return discordtest.Options{Seed: 7} }

// TestCrowd: 500 calls at once over 20 channels, of 100 sessions of 50 agents, with a
// Discord that answers half of all requests with 429. Each card appears, or its call is
// denied at its deadline; every click counts or its sender is told, and none counts
// twice, though several people click each card; and when all is over nothing is left
// behind: a crowd leaves no more than a small one before it. It is not parallel: it counts
// goroutines.
func TestCrowd(t *testing.T) {
	const agents, channels = 50, 20
	small, large := 3, 10
	if raceflag.Enabled { // the detector makes a click ten times as dear, and the deadline is on the clock
		small, large = 1, 3
	}
	w := build(t, "agents: {}\nasks: {timeout: 30s}\n", optionsOfCrowd())
	w.yaml = crowd(w, agents, channels)
	w.open()
	w.connected()
	w.rush("first", agents, small) // connections, tables and caches are in use then
	before := count(w)
	w.rush("second", agents, large)
	w.leavesNothing(before)
}

// rush is one crowd: some calls of each agent, and what becomes of them.
func (w *world) rush(name string, agents, each int) {
	w.t.Helper()
	remove := w.discord.Inject(discordtest.Fault{Chance: 0.5, RateLimit: &discordtest.RateLimit{After: 10 * time.Millisecond}})
	stop, seen := make(chan struct{}), &clicks{at: map[string]int{}}
	var clickers sync.WaitGroup
	for _, h := range []discordtest.Human{w.ann, w.bob, w.eve} {
		clickers.Go(func() { w.clickAll(h, seen, stop) })
	}
	calls := make([]*pending, 0, each*agents)
	for i := range each * agents {
		agent := fmt.Sprintf("agent%d", i%agents)
		calls = append(calls, w.call(agent, fmt.Sprintf("%s/%s/%d", name, agent, i/agents), fmt.Sprintf("make %s %d", name, i)))
	}
	outcomes := map[store.Outcome]int{}
	for _, p := range calls {
		res := p.got()
		outcomes[res.Outcome]++
		byAnn := res.Decision.Behavior == engine.Allow && res.Outcome == store.AskApproved && res.DecidedBy == "ann"
		byBob := res.Decision.Behavior == engine.Deny && res.Outcome == store.AskDenied && res.DecidedBy == "bob"
		nobody := res.Decision.Behavior == engine.Deny && res.Outcome == store.AskTimeout && res.DecidedBy == ""
		if !byAnn && !byBob && !nobody {
			w.t.Errorf("the call %q: %s", p.command, p.state())
		}
	}
	close(stop)
	clickers.Wait()
	w.t.Logf("%s: outcomes: %v; clicks: %v; 429: %d of %d requests", name, outcomes, seen.at, limited(w), len(w.discord.Requests("", "")))
	if outcomes[store.AskApproved]+outcomes[store.AskDenied] < len(calls)/10 {
		w.t.Errorf("%v: hardly any ask was answered", outcomes)
	}
	w.once()
	remove()
	w.await("every card says how its ask ended", func() bool {
		for _, m := range w.discord.Messages() {
			if w.openCard(m) {
				return false
			}
		}
		return w.surface.State().Asks == 0
	})
	w.truthful(calls)
	w.discord.ForgetHistory()
	w.log.forget()
}

// crowd is the configuration of many agents whose asks go to a few channels.
func crowd(w *world, agents, channels int) string {
	var b strings.Builder
	b.WriteString(strings.Replace(w.yaml, "agents: {}\n", "", 1))
	b.WriteString("agents:\n")
	places := make([]string, channels)
	for i := range places {
		places[i] = w.discord.AddChannel(w.discord.Guild, fmt.Sprintf("channel-%d", i))
	}
	for i := range agents {
		fmt.Fprintf(&b, "  agent%d: {mode: default, user: joe, discord: {channel: %s}}\n", i, places[i%channels])
	}
	return b.String()
}

// clicks are what people were told in answer to their clicks.
type clicks struct {
	mu sync.Mutex
	at map[string]int
}

func (c *clicks) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at[what]++
}

// clickAll clicks once on each card that appears, until stop, some of them at once: ann
// approves, bob denies, and eve may not.
func (w *world) clickAll(h discordtest.Human, seen *clicks, stop <-chan struct{}) {
	var done sync.Map // messages that were clicked
	hands := make(chan struct{}, 8)
	var clicking sync.WaitGroup
	defer clicking.Wait()
	for {
		for _, m := range w.discord.Messages() {
			if !w.openCard(m) {
				continue
			}
			if _, again := done.LoadOrStore(m.ID, true); again {
				continue
			}
			verb := message.VerbApprove
			if h.ID == w.bob.ID {
				verb = message.VerbDeny
			}
			hands <- struct{}{}
			clicking.Go(func() {
				defer func() { <-hands }()
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				became := clicked(h.Click(ctx, m.ID, verbs(m)[verb]))
				if became == "early" {
					done.Delete(m.ID)
				}
				seen.note(became)
			})
		}
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// clicked is what became of a click, for whoever made it.
func clicked(seen *discordtest.Seen, err error) string {
	switch text := told(seen); {
	case err != nil:
		return "gone"
	case strings.Contains(text, "too late"):
		return "late"
	case early(text):
		return "early" // the answer to the card's posting is still on the way
	case strings.Contains(text, "may not answer"):
		return "refused"
	case text != "":
		return text
	}
	return "taken"
}

// once wants one decision in the audit for each ask, and no two answers.
func (w *world) once() {
	w.t.Helper()
	for _, event := range []store.Event{store.EventDecision, store.EventAskAnswered} {
		seen := map[string]int{}
		for _, row := range w.rows(event) {
			if seen[row.AskID]++; seen[row.AskID] > 1 {
				w.t.Errorf("ask %s has %d rows %s", row.AskID, seen[row.AskID], event)
			}
		}
	}
}

// truthful holds what each card says against what its call got.
func (w *world) truthful(calls []*pending) {
	w.t.Helper()
	says := map[string]string{}
	for _, m := range w.discord.Messages() {
		if m.Author.ID != w.discord.Bot || m.For != "" || m.Deleted {
			continue
		}
		head, rest, _ := strings.Cut(m.Content, "\n")
		_, command, _ := strings.Cut(rest, "**Call** `Shell` `{\"command\":\"")
		command, _, _ = strings.Cut(command, "\"}`")
		if says[command] != "" {
			w.t.Errorf("two cards of %q", command)
		}
		says[command] = head
	}
	words := map[store.Outcome]string{store.AskApproved: "**Allowed", store.AskDenied: "**Denied", store.AskTimeout: "**Expired"}
	for _, p := range calls {
		res := p.got()
		head, shown := says[p.command]
		if !shown && res.Outcome == store.AskTimeout {
			continue // it never appeared
		}
		if !strings.HasPrefix(head, words[res.Outcome]) {
			w.t.Errorf("%q: the call got %s, and the card says %q", p.command, p.state(), head)
		}
	}
}

func limited(w *world) (n int) {
	for _, r := range w.discord.Requests("", "") {
		if r.Status == 429 {
			n++
		}
	}
	return n
}

type amount struct {
	goroutines int
	heap       float64
}

func count(w *world) amount { return amount{goroutines: runtime.NumGoroutine(), heap: heap(w)} }

// leavesNothing wants goroutines and memory to be again what they were: idle connections
// are closed after a while only, and an ask that waits takes far more than is let pass
// here for each.
func (w *world) leavesNothing(before amount) {
	w.t.Helper()
	const spare, room = 40, 4 << 20
	var after amount
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		after = count(w)
		if after.goroutines <= before.goroutines+spare && after.heap <= before.heap+room {
			break
		}
		if time.Now().After(end) {
			var b strings.Builder
			_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // into memory: it cannot fail
			w.t.Errorf("more is left than was there before; goroutines:\n%.3000s", b.String())
			break
		}
	}
	w.t.Logf("goroutines: %d before, %d after; heap: %.1f MiB before, %.1f MiB after", before.goroutines, after.goroutines, before.heap/(1<<20), after.heap/(1<<20))
	if n := len(w.broker.Waiting(ask.Filter{})); n != 0 {
		w.t.Errorf("%d asks wait", n)
	}
}
