package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
)

// refresh begins to edit the cards that do not say how the ask is.
func (f *follower) refresh(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ask.State.Waiting() && f.deciding > 0 {
		return // what was stored is not known yet
	}
	for _, c := range f.cards {
		if c.gone || c.busy || f.ask.State.Waiting() && c.rev == f.rev {
			continue
		}
		c.busy = true
		f.s.spawn("editing a card", func() { f.edit(ctx, c) })
	}
}

// maxEdits is how often the final text of a card is tried at once; after that mend does.
const maxEdits = 3

// edit brings one card up to date. The card is busy.
func (f *follower) edit(ctx context.Context, c *posted) {
	pause := firstPause
	for try := 1; ; try++ {
		err := f.renew(ctx, c)
		switch {
		case err == nil:
			return
		case errors.Is(err, link.ErrGone):
			f.release(c, false)
			f.deleted(c)
			return
		case lasting(err) && f.waiting():
			f.s.note(fmt.Sprintf("edit the card of ask %s", f.id), err)
			rev, _ := f.revision()
			f.made(c, rev, f.digestOf(c)) // it can be answered as it is
			return
		case lasting(err):
			f.s.note(fmt.Sprintf("edit the card of ask %s", f.id), err)
			f.drop(c)
			return
		case !errors.Is(err, link.ErrSuperseded) && !f.waiting() && try >= maxEdits:
			f.s.note(fmt.Sprintf("edit the card of ask %s", f.id), err)
			f.leave(c)
			return
		}
		if !sleep(ctx, pause) {
			f.release(c, false)
			return
		}
		pause = min(2*pause, lastPause)
	}
}

// renew makes a card say how the ask is now, once.
func (f *follower) renew(ctx context.Context, c *posted) error {
	rev, a := f.revision()
	m := f.content(ctx, c, a)
	if !a.State.Waiting() && !c.whole {
		m = m.Instead(f.maskedFiles())
	}
	digest := message.Digest(m.Content)
	if a.State.Waiting() && digest == f.digestOf(c) {
		f.made(c, rev, digest)
		return nil
	}
	f.admit(c, digest, a.State.Waiting())
	kept, err := f.put(ctx, c, m)
	if err != nil && lasting(err) && len(m.Files) > 0 && !errors.Is(err, link.ErrGone) {
		f.s.note(fmt.Sprintf("attach the masked call to the card of ask %s", f.id), err)
		kept, err = f.put(ctx, c, f.ended(ctx, c, a, filesGone).Instead(nil))
	}
	if err != nil {
		return err
	}
	f.admitKept(c, kept, a.State.Waiting())
	if !a.State.Waiting() {
		f.drop(c)
		return nil
	}
	f.made(c, rev, digest)
	return nil
}

// put makes m of a card.
func (f *follower) put(ctx context.Context, c *posted, m message.Message) (*discordgo.Message, error) {
	if err := m.Check(); err != nil {
		return nil, &link.Error{What: "lay the card out", Status: 400, Message: err.Error(), Err: err}
	}
	return f.s.client.Edit(ctx, c.Channel, c.Message, m)
}

// filesGone is said of a card whose files were taken away and not replaced.
const filesGone = "The attached file was taken away: it may have held secrets."

// maskedFiles are the files of the card as they may stay when the ask has ended.
func (f *follower) maskedFiles() []message.File {
	f.mu.Lock()
	a := f.asked
	f.mu.Unlock()
	return message.Card(f.s.c.Store.Veiled(a), message.View{Instance: f.s.instance}).Files
}

func (f *follower) revision() (int, ask.Ask) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rev, f.ask
}

// content is what a card is to say: the ask as it waits, or what became of it.
func (f *follower) content(ctx context.Context, c *posted, a ask.Ask) message.Message {
	if a.State.Waiting() {
		m := f.compose(a, placeOf(f.route(), c.Place), c.Attempt).Message
		m.Files = nil // those of the post stay
		return m
	}
	return f.ended(ctx, c, a)
}

// ended is the final text of a card; more are sentences of ours.
func (f *follower) ended(ctx context.Context, c *posted, a ask.Ask, more ...string) message.Message {
	rules, notes := f.result(ctx, a)
	return message.Ended(c.Body, a, rules, append(more, notes...)...)
}

// result is what an answer stored, here or elsewhere, and what is to be said of it.
func (f *follower) result(ctx context.Context, a ask.Ask) ([]engine.Rule, []string) {
	f.mu.Lock()
	rules, known, notes := f.rules, f.known, slices.Clone(f.notes)
	f.mu.Unlock()
	if known || a.State != ask.Approved {
		return rules, notes
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rules, err := f.s.c.Gate.RulesOf(ctx, a.ID)
	if err != nil {
		f.s.note("look up the rules of an answer", err)
		return nil, append(notes, "Which rules were stored could not be read.")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules, f.known = rules, true
	return rules, notes
}

// maxDigests is how many texts of a card are remembered: an event about an older one may
// still be on its way.
const maxDigests = 32

// admitKept makes what Discord has made of a card one of its texts, and its buttons those
// that it may have.
func (f *follower) admitKept(c *posted, kept *discordgo.Message, waiting bool) {
	if kept == nil || kept.Content == "" {
		return
	}
	f.admit(c, message.Digest(kept.Content), waiting)
	f.admit(c, controlsDigest(kept.Components), waiting)
}

// admit makes a text one that a card may have, before it has it. keep stores that; the
// text of an ask that has ended is not looked at after a restart.
func (f *follower) admit(c *posted, digest string, keep bool) {
	f.mu.Lock()
	fresh := !slices.Contains(c.Digests, digest)
	if fresh {
		if len(c.Digests) >= maxDigests {
			oldest := max(0, slices.IndexFunc(c.Digests, ofText))
			c.Digests = slices.Delete(c.Digests, oldest, oldest+1)
		}
		c.Digests = append(c.Digests, digest)
	}
	f.mu.Unlock()
	if fresh && keep {
		f.save(c)
	}
}

// admits reports whether a card's text is one that we gave it, and what can be pressed and
// stands beside it is what we put there.
func (f *follower) admits(c *posted, m *discordgo.Message) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, digest := range []string{message.Digest(m.Content), controlsDigest(m.Components), filesDigest(m)} {
		if !slices.Contains(c.Digests, digest) {
			return false
		}
	}
	return !embedded(m)
}

func (f *follower) digestOf(c *posted) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return c.digest
}

// made notes what a card says now, and ends its being busy.
func (f *follower) made(c *posted, rev int, digest string) {
	f.mu.Lock()
	c.rev, c.digest = rev, digest
	f.mu.Unlock()
	f.release(c, false)
}

// claim keeps a card for the answer to a click; false when somebody edits it.
func (f *follower) claim(c *posted) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.busy || c.gone {
		return false
	}
	c.busy = true
	return true
}

// release ends a card's being busy. stale makes it be edited again.
func (f *follower) release(c *posted, stale bool) {
	f.mu.Lock()
	c.busy = false
	if stale {
		c.rev, c.digest = -1, ""
	}
	f.mu.Unlock()
	f.stir()
}

// leave gives a card up for now: it stays unfinished in the store, and mend finds it.
func (f *follower) leave(c *posted) {
	f.unlist(c)
	f.stir()
}
