package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// life is one ask's life as TestCut cuts it: what people do until the call is answered.
type life struct {
	name string
	// does answers the card; it does not mind that nobody hears it.
	does func(w *world, c card)
	// may is what the call may get besides a denial: an approval only where somebody
	// gave one.
	allowed bool
}

var lives = []life{
	{"approve", func(w *world, c card) { c.try(w.ann, message.VerbApprove) }, true},
	{"deny", func(w *world, c card) { c.try(w.bob, message.VerbDeny) }, false},
	{"a bystander, then nobody", func(w *world, c card) { c.try(w.eve, message.VerbApprove) }, false},
	{"react", func(w *world, c card) { _ = w.ann.React(c.ID, yes) }, true},
}

// try clicks and minds no failure: the wire is cut.
func (c card) try(h discordtest.Human, verb message.Verb) {
	_, _ = h.Click(within(c.w.t), c.ID, verbs(c.Message)[verb])
}

// TestCut cuts every connection at each step of an ask's life in turn: each request
// before it takes effect, each answer and each packet of the gateway before it goes out.
// Nothing is allowed that nobody approved; whatever is decided is what the card says in
// the end; and the next ask is asked and answered.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, l := range lives {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			whole := newCutWorld(t)
			steps := whole.live(l, 0, 0)
			if steps < 3 {
				t.Fatalf("an ask's life has %d steps, want the card's posting, the click and the edit at least", steps)
			}
			t.Logf("%d steps", steps)
			w := newCutWorld(t)
			for at := 1; at <= steps; at++ {
				w.live(l, at, at)
			}
		})
	}
}

func newCutWorld(t *testing.T) *world {
	t.Helper()
	w := build(t, simple, discordtest.Options{AckWithin: 5 * time.Second})
	w.asks.PauseAfter = 1 << 20
	w.open()
	w.connected()
	w.settled()
	return w
}

// live puts one call through, with a cut at a step, and returns how many steps there were.
func (w *world) live(l life, cut, round int) int {
	w.t.Helper()
	defer w.broker.Attach(ask.Surface{Name: "terminal"})() // so that no call gives up
	before := len(w.discord.Steps())
	w.discord.CutAt(cut)
	p := w.call("worker", fmt.Sprintf("cut %d", round), fmt.Sprintf("make %d", round))
	c := p.card()
	l.does(w, c)
	// What the cut swallowed people do again, as they do who see that nothing happens.
	w.await("the answer arrives", func() bool {
		if !p.waits() || l.name == "a bystander, then nobody" {
			return true
		}
		w.reconnected()
		l.does(w, c)
		return !p.waits()
	})
	if l.name == "a bystander, then nobody" {
		w.reconnected()
		if !p.waits() {
			w.t.Errorf("cut at %d: a bystander's click did something: %s", cut, p.state())
		}
		if _, err := w.answer(c.ask, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
			w.t.Error(err)
		}
	}
	res := p.got()
	if want := map[bool]engine.Behavior{true: engine.Allow, false: engine.Deny}[l.allowed]; res.Decision.Behavior != want {
		w.t.Errorf("cut at %d (%s): got %s", cut, w.stepAt(before+cut), p.state())
	}
	ended := c.ends()
	if word := map[bool]string{true: "**Allowed ", false: "**Denied "}[res.Decision.Behavior == engine.Allow]; !strings.HasPrefix(ended.Content, word) {
		w.t.Errorf("cut at %d: the call got %s, and the card says\n%s", cut, p.state(), ended.Content)
	}
	w.discord.CutAt(0)
	w.reconnected()
	return len(w.discord.Steps()) - before
}

func (w *world) stepAt(n int) string {
	steps := w.discord.Steps()
	if n < 1 || n > len(steps) {
		return "no step"
	}
	return steps[n-1]
}

func (w *world) reconnected() {
	w.t.Helper()
	if err := w.discord.WaitConnected(within(w.t)); err != nil {
		w.t.Fatal(err)
	}
}

// TestCut_forgotten cuts as TestCut does, with Discord forgetting what it had to say.
func TestCut_forgotten(t *testing.T) {
	t.Parallel()
	w := newCutWorld(t)
	for round := range 3 {
		p := w.call("worker", fmt.Sprintf("s%d", round), fmt.Sprintf("make %d", round))
		c := p.card()
		w.kept(c)
		w.discord.RefuseDials(true)
		w.discord.ForgetSessions()
		w.discord.DropSockets()
		emoji := []string{no, yes}[round%2]
		c.react(w.ann, emoji)
		c.react(w.eve, []string{yes, no}[round%2])
		w.discord.RefuseDials(false)
		if res := p.got(); (res.Decision.Behavior == engine.Allow) != (emoji == yes) || res.DecidedBy != "ann" {
			t.Errorf("round %d: got %s", round, p.state())
		}
		c.ends()
	}
}

// TestFirstWins: whoever comes first on any surface wins, once, and the others are told: at
// the terminal, by the API, by a click and by a reaction.
func TestFirstWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple)
	defer w.broker.Attach(ask.Surface{Name: "terminal"})()
	const rounds = 100
	won := map[string]int{}
	for round := range rounds {
		p := w.call("worker", fmt.Sprintf("s%d", round), fmt.Sprintf("make %d", round))
		c := p.card()
		w.kept(c) // before that a click is to be repeated, and these are not
		var mu sync.Mutex
		var taken []string
		heard := map[string]string{} // that a click counts, from those whose card could not tell it any more
		took := func(who string, ok bool) {
			mu.Lock()
			defer mu.Unlock()
			if ok {
				taken = append(taken, who)
			}
		}
		start := make(chan struct{})
		var group sync.WaitGroup
		go1 := func(f func()) { group.Go(func() { <-start; f() }) }
		// A click has a longer way: in every other round the others let it get out first.
		before := len(w.discord.Steps())
		after := func() {
			if round%2 == 1 {
				_ = w.discord.Wait(within(t), func() bool { return len(w.discord.Steps()) > before })
			}
		}
		go1(func() {
			after()
			_, err := w.answer(c.ask, "tess", ask.Answer{Verdict: ask.Deny})
			took("tess", err == nil)
		})
		go1(func() {
			after()
			a := ask.Answer{Verdict: ask.Approve, By: "api", Surface: "api"}
			_, err := w.gate.Answer(t.Context(), c.ask, a)
			took("api", err == nil)
		})
		for by, h := range map[string]discordtest.Human{"ann": w.ann, "bob": w.bob} {
			verb := map[string]message.Verb{"ann": message.VerbApprove, "bob": message.VerbDeny}[by]
			go1(func() {
				seen, err := w.discord.Forge(within(t), h.ID, c.ChannelID, c.ID, verbs(c.Message)[verb], nil)
				if err != nil {
					t.Error(err)
				}
				if text := told(seen); text != "" && !strings.Contains(text, "too late") {
					mu.Lock()
					defer mu.Unlock()
					heard[by] = text
				}
			})
		}
		close(start)
		group.Wait()
		res, ended := p.got(), c.ends()
		won[res.DecidedBy]++
		for by, text := range heard {
			if by != res.DecidedBy || text != map[string]string{"ann": "Approved.", "bob": "Denied."}[by] {
				t.Errorf("round %d: decided by %s, and %s was told %q", round, res.DecidedBy, by, text)
			}
		}
		allowed := res.Decision.Behavior == engine.Allow
		if allowed != slices.Contains([]string{"api", "ann"}, res.DecidedBy) {
			t.Errorf("round %d: %s by %s", round, res.Decision.Behavior, res.DecidedBy)
		}
		if !strings.Contains(ended.Content, "by `"+res.DecidedBy+"`") {
			t.Errorf("round %d: decided by %s, and the card says\n%s", round, res.DecidedBy, ended.Content)
		}
		if want := slices.Contains([]string{"tess", "api"}, res.DecidedBy); want != (len(taken) == 1) || len(taken) > 1 || len(taken) == 1 && taken[0] != res.DecidedBy {
			t.Errorf("round %d: decided by %s, and these were told that it was they: %v", round, res.DecidedBy, taken)
		}
	}
	decided := map[string]int{}
	for _, row := range w.rows(store.EventDecision) {
		decided[row.AskID]++
	}
	if len(decided) != rounds {
		t.Errorf("%d asks decided, want %d", len(decided), rounds)
	}
	for id, n := range decided {
		if n != 1 {
			t.Errorf("ask %s has %d decisions", id, n)
		}
	}
	t.Logf("won: %v", won)
}
