package discord

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/store"
)

// display keeps the cards of one ask in step with the ask. Its loop, run, compares the wanted
// text of each card with Discord's, and starts the next action of each card with a difference:
// post, read, or edit. The actions run in goroutines of their own, so a slow channel delays no
// other. Cards of an earlier run of the daemon are loaded from the store and go through the
// same loop.
type display struct {
	s    *Surface
	id   string
	wake chan struct{} // of one: something has changed

	mu  sync.Mutex
	ask ask.Ask
	// asked is the ask as it last waited, with its input.
	asked ask.Ask
	// rev counts the versions of the cards' wanted text.
	rev   int
	cards []*card
	// escalated means: the further places were added.
	escalated bool
	// unshown is the last report to the broker: no card can be shown.
	unshown bool
	// deciding counts our answers in progress: the rules they store are known after them.
	deciding int
	rules    []engine.Rule
	known    bool // rules are known
	notes    []string
	// told are the people already informed by a message that their answer does not count.
	told map[string]bool
	// alarmed means: a card was found changed.
	alarmed bool
	// listed are the asks that stood as lines on the cards, by id, until they end; done are
	// the lines about those that ended.
	listed map[string]ask.Ask
	done   []string
}

// card is a message for an ask, posted or not. Its display guards its fields. Those of
// store.Card but Digests do not change once Message is set; it is empty before.
type card struct {
	store.Card
	of *display
	to place // where it is posted
	// rev is the version of the ask on it; digest is that of its text.
	rev    int
	digest string
	// whole means: it shows everything, see message.Shown.
	whole bool
	// unread means: Discord's copy must be read, because events about it may have been missed.
	unread bool
	// doing is the action in progress, or answering.
	doing action
	// over means: nothing more is done, as it has its final text, was deleted or cannot be
	// posted.
	over bool
	// fails counts the failures of the current action; due is when it is tried again.
	fails int
	due   time.Time
	// fresh means: its known thread is gone and must be made anew.
	fresh bool
	// held are the events of its channel held until it is posted.
	held expected
}

// stands reports whether the card is in Discord and can be answered.
func (c *card) stands() bool { return c.Message != "" && !c.over }

// action is one step of a card towards its wanted text.
type action string

const (
	nothing action = ""
	posting action = "post"
	reading action = "read"
	editing action = "edit"
	// answering is the answer to a click; it can be the card's next text.
	answering action = "answer"
)

// The limits of a display.
const (
	maxAttempts = 3               // posts of a card in one place: again when it was deleted
	failedTries = 3               // failed posts before the broker is informed; more follow
	maxEdits    = 3               // quick tries of a final text
	finalEvery  = time.Minute     // between further tries
	finalFor    = 24 * time.Hour  // how long a final text is tried
	lastPost    = 3 * time.Second // how long a post may take when its ask has ended: a card should not stay without its final text
	atOnce      = 16              // concurrent reads of cards
	firstPause  = 500 * time.Millisecond
	lastPause   = 5 * time.Second
	never       = finalFor * 365 // longer than an ask waits
)

// show displays an ask meant for people, and updates an existing display.
func (s *Surface) show(a ask.Ask) {
	if d := s.display(a.ID); d != nil {
		d.update(a)
	} else if a.State == ask.Shown {
		s.follow(a)
	}
}

// follow starts the display of an ask, unless it has one.
func (s *Surface) follow(a ask.Ask) {
	s.mu.Lock()
	ctx := s.life
	if s.asks[a.ID] != nil || ctx == nil || ctx.Err() != nil {
		s.mu.Unlock()
		return
	}
	d := &display{s: s, id: a.ID, wake: make(chan struct{}, 1), ask: a, told: map[string]bool{}, listed: map[string]ask.Ask{}}
	if a.State.Waiting() {
		d.asked = a
	}
	s.asks[a.ID] = d
	s.mu.Unlock()
	s.spawn("an ask", func() { d.run(ctx) })
}

// takeUp follows the asks of cards left by an earlier run without their final text.
func (s *Surface) takeUp(ctx context.Context) {
	rows, err := s.c.Store.UnfinishedCards(ctx)
	s.note("read the open cards", err)
	for _, row := range rows {
		if s.display(row.Ask) != nil {
			continue
		}
		a, err := s.c.Asks.Get(ctx, row.Ask)
		switch {
		case errors.Is(err, ask.ErrUnknown): // retention removed it
			s.note("finish a card", s.c.Store.FinishCard(ctx, row.Message, s.c.Now()))
		case err != nil:
			s.note("look up the ask of a card", err)
		case a.State.Waiting():
			s.show(a)
		default:
			// After a crash between the approval and its call; a moment ago it may still be on its way.
			a.Away = a.Away || a.State == ask.Approved && a.UsedAt.IsZero() && s.c.Now().Sub(a.EndedAt) > taking
			s.follow(a)
		}
	}
}

// taking is how long a waiting client takes at most to take its approval.
const taking = 2 * time.Second

// reread has all cards read again: events about them may have been missed.
func (s *Surface) reread() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.asks {
		d.reread()
	}
}

func (d *display) reread() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.cards {
		c.unread = true
	}
	d.stir()
}

// update takes over the ask's current state. An ended one stays ended.
func (d *display) update(a ask.Ask) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ask.State.Waiting() {
		return
	}
	if a.State.Waiting() {
		a.Input = d.ask.Input // an event may come without
		d.asked = a
	}
	d.become(a)
	d.stir()
}

// become takes a new version of the ask. The caller holds mu.
func (d *display) become(a ask.Ask) {
	d.ask = a
	d.rev++
	if !a.State.Waiting() {
		for _, c := range d.cards {
			c.fails, c.due = 0, time.Time{}
		}
	}
}

// stir makes run look again.
func (d *display) stir() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// now is the ask as it is known.
func (d *display) now() ask.Ask {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ask
}

func (d *display) waiting() bool { return d.now().State.Waiting() }

// route is where the agent's asks are shown.
func (d *display) route() config.DiscordRoute {
	return d.s.c.Settings().Agent(d.now().Agent).Discord
}

// run works until all cards have their final text, or ctx ends: then the next run of the
// daemon finds the cards in the store.
func (d *display) run(ctx context.Context) {
	defer d.forget()
	post, cancel := context.WithCancel(ctx)
	defer cancel()
	d.load(ctx)
	if d.waiting() {
		d.add(places(d.route()))
	}
	var last <-chan time.Time
	for {
		wait := min(d.escalate(), d.step(ctx, post))
		d.report(ctx)
		if d.finished() {
			return
		}
		if !d.waiting() && last == nil {
			last = time.After(lastPost)
		}
		select {
		case <-d.wake:
		case <-time.After(wait):
		case <-last:
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

// load takes over the cards posted by an earlier run of the daemon.
func (d *display) load(ctx context.Context) {
	rows, err := d.s.c.Store.CardsOf(ctx, d.id)
	d.s.note("read the cards of an ask", err)
	for _, row := range rows {
		if !row.FinishedAt.IsZero() {
			continue
		}
		c := &card{Card: row, of: d, rev: -1, unread: d.s.gateway != nil, whole: d.wasWhole(row)}
		for _, digest := range row.Digests {
			if ofText(digest) {
				c.digest = digest // the newest is the last
			}
		}
		d.mu.Lock()
		d.cards = append(d.cards, c)
		d.mu.Unlock()
		d.s.enlist(c)
	}
}

// add begins a card in each place without one.
func (d *display) add(list []place) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range list {
		if !slices.ContainsFunc(d.cards, func(c *card) bool { return c.Place == p.key }) {
			d.cards = append(d.cards, d.newCard(p, 0))
		}
	}
}

func (d *display) newCard(p place, attempt int) *card {
	return &card{of: d, to: p, Card: store.Card{Ask: d.id, Place: p.key, Attempt: attempt}}
}

// escalate adds the further places when the ask has been shown without an answer for the time
// in the route, and returns when to look again.
func (d *display) escalate() time.Duration {
	d.mu.Lock()
	a, done := d.ask, d.escalated
	d.mu.Unlock()
	if done || !a.State.Waiting() {
		return never
	}
	route := d.route()
	if route.Escalate == nil {
		return never
	}
	if left := time.Duration(route.Escalate.After) - d.s.c.Now().Sub(a.ShownAt); left > 0 {
		return left
	}
	d.mu.Lock()
	d.escalated = true
	d.mu.Unlock()
	d.add(furtherPlaces(route))
	return never
}

// step starts the next action of each card, and returns when the next one is due. Posts
// end with the context post.
func (d *display) step(ctx, post context.Context) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait := never
	for _, c := range d.cards {
		what, left := d.next(c)
		wait = min(wait, left)
		if what == nothing {
			continue
		}
		c.doing = what
		ctx := ctx
		if what == posting {
			ctx = post
		}
		d.s.spawn(string(what)+"ing a card", func() { d.act(ctx, c, what) })
	}
	return wait
}

// next compares a card with its wanted text. It returns the next action, or how long to wait
// for one. The caller holds mu.
func (d *display) next(c *card) (action, time.Duration) {
	waiting := d.ask.State.Waiting()
	left := time.Until(c.due)
	switch {
	case c.over || c.doing != nothing && (waiting || c.doing != reading):
	case c.Message == "" && !waiting: // too late to post it
		c.over = true
		c.held.arrived()
	case !waiting && d.deciding > 0: // the stored rules are not known yet
	case left > 0:
		return nothing, left
	case c.Message == "":
		return posting, never
	case waiting && c.unread:
		return reading, never
	case !waiting || c.rev != d.rev:
		return editing, never
	}
	return nothing, never
}

// errPanic stands for an action ended by a panic.
var errPanic = errors.New("a fault of this program")

// act does one action, and decides when the next one follows.
func (d *display) act(ctx context.Context, c *card, what action) {
	err := errPanic
	defer func() { d.acted(c, what, err) }() // also after a panic
	switch what {
	case posting:
		err = d.post(ctx, c)
	case reading:
		err = d.read(ctx, c)
	default:
		err = d.edit(ctx, c)
	}
}

func (d *display) acted(c *card, what action, err error) {
	gone := errors.Is(err, link.ErrGone)
	if err != nil && !(gone && what != posting) {
		d.s.note(fmt.Sprintf("%s the card of ask %s", what, d.id), err)
	}
	if gone && what != posting {
		d.deleted(c)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.stir()
	if c.doing == what { // a click may have claimed the card
		c.doing = nothing
	}
	switch {
	case err == nil || c.over || what == reading: // an unreadable card is read again after the next lost connection
		c.fails, c.due = 0, time.Time{}
	case what == posting && gone && c.to.threads && !c.fresh: // its thread was deleted; a new one is made, once
		c.fresh = true
	case what == posting && lasting(err):
		c.over = true
	}
	if err != nil && !c.over && what != reading {
		c.fails++
		c.due = time.Now().Add(d.pause(c.fails))
	}
	if c.Message != "" || c.over || c.fails >= failedTries {
		c.held.arrived()
	}
}

// pause is how long a card rests after its nth failure. The caller holds mu.
func (d *display) pause(n int) time.Duration {
	if !d.ask.State.Waiting() && n >= maxEdits {
		return finalEvery
	}
	p := min(firstPause<<min(n-1, 10), lastPause)
	return p + rand.N(p)
}

// report informs the broker when no card exists and none can be posted, and reverts it when one
// exists after all.
func (d *display) report(ctx context.Context) {
	d.mu.Lock()
	hope := slices.ContainsFunc(d.cards, func(c *card) bool { return !c.over && c.fails < failedTries })
	stands := slices.ContainsFunc(d.cards, (*card).stands)
	unshown := !stands && (!hope || d.unshown)
	tell := d.ask.State.Waiting() && unshown != d.unshown
	d.mu.Unlock()
	if !tell {
		return
	}
	report := d.s.c.Asks.Delivered
	if unshown {
		report = d.s.c.Asks.Undelivered
	}
	if err := report(ctx, d.id, Name); err != nil {
		d.s.note("tell whether an ask is shown", err)
		return
	}
	d.mu.Lock()
	d.unshown = unshown
	d.mu.Unlock()
}

// finished reports whether all work is done.
func (d *display) finished() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.ask.State.Waiting() && d.deciding == 0 && !slices.ContainsFunc(d.cards, func(c *card) bool { return !c.over || c.doing != nothing })
}

// forget ends the display.
func (d *display) forget() {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	delete(d.s.asks, d.id)
	for id, c := range d.s.cards {
		if c.of == d {
			delete(d.s.cards, id)
		}
	}
}

// deleted replaces a deleted card while its ask waits, up to maxAttempts posts in its place.
func (d *display) deleted(c *card) {
	p := placeOf(d.route(), c.Place)
	d.mu.Lock()
	if c.over {
		d.mu.Unlock()
		return
	}
	c.over = true
	var next *card
	if d.ask.State.Waiting() && c.Attempt+1 < maxAttempts && p.key != "" {
		next = d.newCard(p, c.Attempt+1)
		next.doing = posting // until the store has the end of the one before
		d.cards = append(d.cards, next)
	}
	d.mu.Unlock()
	d.s.c.Log.Warn("discord: a card was deleted", "ask", d.id, "channel", c.Channel, "posted", c.Attempt+1)
	d.s.delist(c)
	if next != nil {
		d.release(next, false)
	}
	d.stir()
}

// finish ends a card with its final text.
func (d *display) finish(c *card) {
	d.mu.Lock()
	c.over = true
	d.mu.Unlock()
	d.s.delist(c)
}

// enlist registers a card for answers.
func (s *Surface) enlist(c *card) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cards[c.Message] = c
}

// delist reverts enlist, and stores that the card is finished.
func (s *Surface) delist(c *card) {
	s.mu.Lock()
	delete(s.cards, c.Message)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.note("finish a card", s.c.Store.FinishCard(ctx, c.Message, s.c.Now()))
}

// claim reserves a card for the answer to a click; false when it is being edited.
func (d *display) claim(c *card) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.over || c.doing == editing || c.doing == answering {
		return false
	}
	c.doing = answering
	return true
}

// release reverts claim. stale has the card edited again.
func (d *display) release(c *card, stale bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.doing = nothing
	if stale {
		c.rev, c.digest = -1, ""
	}
	d.stir()
}

// cardIn is the newest open card of the ask in a channel; nil for none.
func (d *display) cardIn(channel string) *card {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range slices.Backward(d.cards) {
		if c.Channel == channel && c.stands() {
			return c
		}
	}
	return nil
}
