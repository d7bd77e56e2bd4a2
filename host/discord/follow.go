package discord

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/store"
)

// follower shows one ask: it posts the cards, keeps them up to date, posts further ones
// when nobody answers, and brings all of them to their end. One goroutine looks after it
// (run); posting and editing happens in goroutines of their own, so that a channel which
// is held up holds up no other.
type follower struct {
	s    *Surface
	id   string
	wake chan struct{} // of one: something has changed

	mu  sync.Mutex
	ask ask.Ask
	// asked is the ask as it waited last: with its input.
	asked ask.Ask
	// rev counts what the cards should say.
	rev   int
	cards []*posted
	// places are those that were begun, by key; posting is how many are being posted.
	places  map[string]bool
	posting int
	failed  bool // one place at least will never have its card
	// deciding are answers of ours under way: what they stored is known after them.
	deciding int
	rules    []engine.Rule
	known    bool // rules are known
	notes    []string
	// told are the people who were told by a message that their answer does not count.
	told map[string]bool
	// alarmed tells that a card was found changed.
	alarmed bool
}

// posted is a card that stands in Discord. Its fields are guarded by its follower, but
// for Ask, Channel, Message, Place, Attempt and PostedAt, which do not change.
type posted struct {
	store.Card
	of *follower
	// rev is what it says; digest is that of its text.
	rev    int
	digest string
	// whole tells that it shows everything, see message.Shown.
	whole bool
	// busy tells that it is being edited, or made new by the answer to a click.
	busy bool
	// gone tells that it has its final text, or was deleted.
	gone bool
}

// show follows an ask that people are to see, and tells one that is followed how the ask
// is now.
func (s *Surface) show(a ask.Ask) {
	s.mu.Lock()
	f, ctx := s.asks[a.ID], s.life
	if f == nil && ctx != nil && ctx.Err() == nil && a.State == ask.Shown {
		f = &follower{s: s, id: a.ID, wake: make(chan struct{}, 1), ask: a, asked: a, places: map[string]bool{}, told: map[string]bool{}}
		s.asks[a.ID] = f
		s.mu.Unlock()
		s.spawn("an ask", func() { f.run(ctx) })
		return
	}
	s.mu.Unlock()
	if f != nil {
		f.update(a)
	}
}

// update tells how the ask is now. One that has ended stays ended.
func (f *follower) update(a ask.Ask) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ask.State.Waiting() {
		return
	}
	if a.State.Waiting() {
		a.Input = f.ask.Input // an event may come without
		f.asked = a
	}
	f.ask = a
	f.rev++
	f.stir()
}

// stir makes run look again.
func (f *follower) stir() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// now is the ask as it is known.
func (f *follower) now() ask.Ask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ask
}

func (f *follower) waiting() bool { return f.now().State.Waiting() }

// route is where the agent's asks are shown.
func (f *follower) route() config.DiscordRoute {
	return f.s.c.Settings().Agent(f.now().Agent).Discord
}

// run looks after the ask until its cards have their final text, or ctx ends: then
// whoever comes next finds them in the store.
func (f *follower) run(ctx context.Context) {
	defer f.forget()
	posting, cancel := context.WithCancel(ctx)
	defer cancel()
	f.adopt(ctx)
	f.post(posting, places(f.route()))
	timer := time.NewTimer(f.escalate(posting))
	defer timer.Stop()
	var last <-chan time.Time // when posting is given up, after the end
	for {
		if f.finished() {
			return
		}
		if !f.waiting() && last == nil {
			last = time.After(lastPost)
		}
		f.refresh(ctx)
		select {
		case <-f.wake:
		case <-timer.C:
			timer.Reset(f.escalate(posting))
		case <-last:
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

// lastPost is how long a card may still be on its way when its ask has ended: what went
// out already should not stay there with its buttons.
const lastPost = 3 * time.Second

// finished reports whether nothing is left to do.
func (f *follower) finished() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ask.State.Waiting() || f.posting > 0 || f.deciding > 0 {
		return false
	}
	for _, c := range f.cards {
		if !c.gone {
			return false
		}
	}
	return true
}

// forget ends the following.
func (f *follower) forget() {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	delete(f.s.asks, f.id)
	for id, c := range f.s.cards {
		if c.of == f {
			delete(f.s.cards, id)
		}
	}
}

// register makes a card known, so that it can be answered.
func (f *follower) register(c *posted) {
	f.mu.Lock()
	f.cards = append(f.cards, c)
	f.places[c.Place] = true
	f.mu.Unlock()
	f.s.mu.Lock()
	f.s.cards[c.Message] = c
	f.s.mu.Unlock()
	f.stir()
}

// drop takes a card away that has its final text or is gone.
func (f *follower) drop(c *posted) {
	f.unlist(c)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	f.s.note("finish a card", f.s.c.Store.FinishCard(ctx, c.Message, f.s.c.Now()))
	f.stir()
}

// unlist makes a card one that cannot be answered any more.
func (f *follower) unlist(c *posted) {
	f.mu.Lock()
	c.gone, c.busy = true, false
	f.mu.Unlock()
	f.s.mu.Lock()
	delete(f.s.cards, c.Message)
	f.s.mu.Unlock()
}

// adopt takes up the cards that an earlier run of the daemon posted.
func (f *follower) adopt(ctx context.Context) {
	rows, err := f.s.c.Store.CardsOf(ctx, f.id)
	f.s.note("read the cards of an ask", err)
	for _, row := range rows {
		if !row.FinishedAt.IsZero() {
			continue
		}
		c := &posted{Card: row, of: f, rev: -1, whole: f.compose(f.now(), placeOf(f.route(), row.Place), row.Attempt).Whole}
		for _, digest := range row.Digests {
			if ofText(digest) {
				c.digest = digest
			}
		}
		f.register(c)
		if f.s.gateway != nil {
			f.s.spawn("a card of before", func() { f.look(ctx, c) })
		}
	}
}

// cardIn is the newest open card of the ask in a channel; nil for none.
func (f *follower) cardIn(channel string) *posted {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.cards) - 1; i >= 0; i-- {
		if c := f.cards[i]; c.Channel == channel && !c.gone {
			return c
		}
	}
	return nil
}

// direct reports whether the card is a direct message.
func (c *posted) direct() bool {
	return strings.HasPrefix(strings.TrimPrefix(c.Place, escalated), "dm:")
}
