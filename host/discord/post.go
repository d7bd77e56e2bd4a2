package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/store"
)

// maxAttempts is how often a card is posted in one place: again when it was deleted.
const maxAttempts = 3

// post begins to post the ask's card in each place that was not begun yet.
func (f *follower) post(ctx context.Context, list []place) {
	for _, p := range list {
		f.mu.Lock()
		begun := f.places[p.key]
		f.places[p.key] = true
		f.mu.Unlock()
		if !begun {
			f.begin(ctx, p, 0)
		}
	}
	f.undelivered(ctx)
}

// begin posts a card beside, in its attempt.
func (f *follower) begin(ctx context.Context, p place, attempt int) {
	f.mu.Lock()
	f.posting++
	f.mu.Unlock()
	f.s.spawn("posting a card", func() {
		posted, err := f.persist(ctx, p, attempt)
		f.mu.Lock()
		f.posting--
		f.failed = f.failed || err != nil && lasting(err)
		f.mu.Unlock()
		f.stir()
		if err != nil {
			f.undelivered(ctx)
			return
		}
		f.react(ctx, posted)
	})
}

// The pauses between two tries to post.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 5 * time.Second
)

// failedTries is after how many tries the broker is told that a card does not get there.
// It goes on being tried.
const failedTries = 3

// persist tries to post until it works, the ask has ended, or trying is of no use.
func (f *follower) persist(ctx context.Context, p place, attempt int) (*posted, error) {
	pause, fresh, told := firstPause, false, false
	var held expected
	defer held.arrived()
	for tries := 1; ; tries++ {
		c, err := f.try(ctx, p, attempt, fresh, &held)
		if err == nil && told {
			f.s.note("tell that an ask is shown", f.s.c.Asks.Delivered(ctx, f.id, Name))
		}
		if err == nil {
			return c, nil
		}
		f.s.note(fmt.Sprintf("post the card of ask %s", f.id), err)
		// A thread that was deleted is made anew, once.
		if again := p.threads && !fresh && errors.Is(err, link.ErrGone); !again && lasting(err) {
			return nil, err
		}
		fresh = fresh || errors.Is(err, link.ErrGone)
		if tries == failedTries && !f.stood() {
			told = true
			f.s.note("tell that an ask is not shown", f.s.c.Asks.Undelivered(ctx, f.id, Name))
		}
		if tries >= failedTries {
			held.arrived()
		}
		if !f.waiting() || !sleep(ctx, pause+rand.N(pause)) {
			return nil, err
		}
		pause = min(2*pause, lastPause)
	}
}

// try posts once. The card is known before anybody's answer to it is looked at. Between
// two tries it stays expected: the first may have posted it, and only its answer was lost.
func (f *follower) try(ctx context.Context, p place, attempt int, fresh bool, held *expected) (*posted, error) {
	a := f.now()
	channel, err := f.s.channelOf(ctx, p, a, fresh)
	if err != nil {
		return nil, err
	}
	shown := f.compose(a, p, attempt)
	if err := shown.Check(); err != nil {
		return nil, &link.Error{What: "lay the card out", Status: 400, Err: err, Message: err.Error()}
	}
	shown.Nonce, shown.EnforceNonce = f.nonce(p, attempt), true
	held.in(&f.s.early, channel)
	m, err := f.s.client.Post(ctx, channel, shown.Message)
	if err == nil && !asSent(m, shown.Message) {
		m, err = f.asOurs(ctx, channel, m.ID, shown.Message)
	}
	if err != nil {
		return nil, err
	}
	c := &posted{of: f, whole: shown.Whole, digest: message.Digest(shown.Content), Card: store.Card{
		Message: m.ID, Channel: channel, Ask: f.id, Place: p.key, Attempt: attempt, PostedAt: f.s.c.Now(),
		Body: message.Card(f.s.c.Store.Veiled(a), message.View{Instance: f.s.instance}).Body,
	}}
	// What Discord made of it stands there as well as what was sent.
	c.Digests = []string{c.digest, controlsDigest(m.Components), filesDigest(m)}
	if kept := message.Digest(m.Content); m.Content != "" && kept != c.digest {
		c.Digests = append(c.Digests, kept)
	}
	f.register(c)
	f.save(c)
	if p.person != "" {
		f.s.c.Asks.MarkSeen(f.id, p.person)
	}
	return c, nil
}

// compose lays the ask out as it waits, for a place.
func (f *follower) compose(a ask.Ask, p place, attempt int) message.Shown {
	v := message.View{
		Instance: f.s.instance, MentionRoles: p.roles,
		Waiting: len(f.s.c.Asks.Waiting(ask.Filter{Agent: a.Agent, Session: a.Session, State: ask.Queued})),
	}
	if attempt > 0 {
		v.Note = "Posted again: the card before this one was deleted."
	} else if strings.HasPrefix(p.key, escalated) {
		v.Note = "Nobody has answered this yet."
	}
	return message.Card(a, v)
}

// nonce is the same each time that a card is posted in one attempt, so that Discord
// posts it once.
func (f *follower) nonce(p place, attempt int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", f.s.instance, f.id, p.key, attempt))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:message.MaxNonce]
}

// save stores a card; the daemon's next run finds it.
func (f *follower) save(c *posted) {
	f.mu.Lock()
	row, gone := c.Card, c.gone
	row.Digests = append([]string(nil), c.Digests...)
	f.mu.Unlock()
	if gone {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	f.s.note("remember a card", f.s.c.Store.SaveCard(ctx, row))
}

// undelivered tells the broker when no card stands and none ever will.
func (f *follower) undelivered(ctx context.Context) {
	f.mu.Lock()
	none := f.posting == 0 && f.ask.State.Waiting() && (f.failed || len(f.places) == 0)
	f.mu.Unlock()
	if none && !f.stood() {
		f.s.note("tell that an ask is not shown", f.s.c.Asks.Undelivered(ctx, f.id, Name))
	}
}

// stood reports whether a card stands.
func (f *follower) stood() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.cards, func(c *posted) bool { return !c.gone })
}

// react puts the three reactions under a card, where the configuration wants that and
// they can answer it.
func (f *follower) react(ctx context.Context, c *posted) {
	a := f.now()
	if !f.s.settings.Reactions || f.s.gateway == nil || a.NeedsConfirmation() || !c.whole {
		return
	}
	emojis := []string{emojiApprove, emojiDeny}
	if a.Approvers.NobodyApproves(a.User) {
		emojis = emojis[1:]
	}
	if _, ok := message.SessionChoice(a); ok {
		emojis = append(emojis, emojiSession)
	}
	for _, emoji := range emojis {
		if !f.waiting() {
			return
		}
		if err := f.s.client.React(ctx, c.Channel, c.Message, emoji); err != nil {
			f.s.note("add the reactions to a card", err)
			return
		}
	}
}

// The reactions that answer.
const (
	emojiApprove = "✅"
	emojiDeny    = "❌"
	emojiSession = "🔓"
)

// deleted posts a card again that somebody deleted while its ask waits, not more than
// maxAttempts times in all.
func (f *follower) deleted(c *posted) {
	f.mu.Lock()
	was := c.gone
	c.gone = true
	f.mu.Unlock()
	if was {
		return
	}
	f.drop(c)
	f.s.c.Log.Warn("discord: a card was deleted", "ask", f.id, "channel", c.Channel, "posted", c.Attempt+1)
	ctx := f.s.living()
	p := placeOf(f.route(), c.Place)
	switch {
	case !f.waiting():
	case c.Attempt+1 < maxAttempts && p.key != "":
		f.begin(ctx, p, c.Attempt+1)
	default:
		f.mu.Lock()
		f.failed = true
		f.mu.Unlock()
		f.undelivered(ctx)
	}
}
