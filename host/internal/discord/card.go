package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// post posts a card once. The card is known before anybody's answer to it is looked at.
// Between two tries it stays expected: the first may have posted it, and only the answer
// was lost.
func (d *display) post(ctx context.Context, c *card) error {
	d.mu.Lock()
	rev, a, fresh := d.rev, d.ask, c.fresh
	d.mu.Unlock()
	channel, err := d.s.channelOf(ctx, c.to, a, fresh)
	if err != nil {
		return err
	}
	shown := d.compose(a, c.to, c.Attempt)
	if err := shown.Check(); err != nil {
		return unsound(err)
	}
	shown.Nonce, shown.EnforceNonce = d.nonce(c.to, c.Attempt), true
	c.held.in(&d.s.early, channel)
	m, err := d.s.client.Post(ctx, channel, shown.Message)
	if err == nil && !asSent(m, shown.Message) {
		m, err = d.asOurs(ctx, channel, m.ID, shown.Message)
	}
	if err != nil {
		return err
	}
	call := message.CallLine(d.s.c.Store.Veiled(a), len(shown.Files) > 0)
	d.mu.Lock()
	c.Message, c.Channel, c.PostedAt, c.Body = m.ID, channel, d.s.c.Now(), call
	c.rev, c.whole, c.digest = rev, shown.Whole, message.Digest(shown.Content)
	// Discord's form counts as well as the one sent.
	c.Digests = []string{c.digest, controlsDigest(m.Components), filesDigest(m)}
	if kept := message.Digest(m.Content); m.Content != "" && kept != c.digest {
		c.Digests = append(c.Digests, kept)
	}
	d.mu.Unlock()
	d.s.enlist(c)
	d.save(c)
	if c.to.person != "" {
		d.s.c.Asks.MarkSeen(d.id, c.to.person)
	}
	d.s.spawn("the reactions of a card", func() { d.react(ctx, c) })
	return nil
}

// unsound is the error of a card Discord would refuse.
func unsound(err error) error {
	return &link.Error{What: "lay the card out", Status: 400, Err: err, Message: err.Error()}
}

// asSent reports whether a message is as it was sent, and has not been edited since.
func asSent(m *discordgo.Message, sent message.Message) bool {
	return m.EditedTimestamp == nil && len(m.Attachments) == len(sent.Files) && !embedded(m) &&
		message.Digest(m.Content) == message.Digest(sent.Content) && controlsDigest(m.Components) == controlsDigest(sent.Components)
}

// asOurs restores the sent content of a message before it is known as a card: a repeated post
// returns the message of the first one, possibly changed meanwhile (threat T27). Remaining
// differences are Discord's own.
func (d *display) asOurs(ctx context.Context, channel, id string, sent message.Message) (*discordgo.Message, error) {
	d.s.c.Log.Warn("discord: a card did not stand as it was sent, and is set right", "ask", d.id, "message", id)
	return d.s.client.Edit(ctx, channel, id, sent.Instead(sent.Files))
}

// compose lays the ask out as it waits, for a place.
func (d *display) compose(a ask.Ask, p place, attempt int) message.Shown {
	v := message.View{Instance: d.s.instance, MentionRoles: p.roles, Done: d.doneLines()}
	v.Behind, v.Waiting = d.behind(a)
	v.Limits = d.s.c.Asks.Limits(d.id)
	if attempt > 0 {
		v.Note = "Posted again: the card before this one was deleted."
	} else if strings.HasPrefix(p.key, escalated) {
		v.Note = "Nobody has answered this yet."
	}
	return message.Card(a, v)
}

// nonce is the same for each post of a card in one attempt, so Discord posts it once.
func (d *display) nonce(p place, attempt int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", d.s.instance, d.id, p.key, attempt))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:message.MaxNonce]
}

// save stores a card; the next run of the daemon loads it.
func (d *display) save(c *card) {
	d.mu.Lock()
	row, over := c.Card, c.over
	row.Digests = slices.Clone(c.Digests)
	d.mu.Unlock()
	if over {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d.s.note("remember a card", d.s.c.Store.SaveCard(ctx, row))
}

// The answering reactions.
const (
	emojiApprove = "✅"
	emojiDeny    = "❌"
	emojiSession = "🔓"
)

// react puts the three reactions under a card, if the configuration wants them and they can
// answer it.
func (d *display) react(ctx context.Context, c *card) {
	a := d.now()
	if !d.s.settings.Reactions || d.s.gateway == nil || a.NeedsConfirmation() || !c.whole {
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
		if !d.waiting() {
			return
		}
		if err := d.s.client.React(ctx, c.Channel, c.Message, emoji); err != nil {
			d.s.note("add the reactions to a card", err)
			return
		}
	}
}

// read compares Discord's copy of a card with ours: whether it exists, whether its text is
// ours, and who has reacted meanwhile.
func (d *display) read(ctx context.Context, c *card) error {
	select {
	case d.s.reading <- struct{}{}:
		defer func() { <-d.s.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	d.mu.Lock()
	c.unread = false
	d.mu.Unlock()
	m, err := d.s.client.Message(ctx, c.Channel, c.Message)
	if err != nil {
		return err
	}
	if d.waiting() && d.unchanged(ctx, c, m) {
		d.s.spawn("the reactions of before", func() { d.catchUp(ctx, c, m) })
	}
	return nil
}

// catchUp treats reactions with missed events as answers. Denials come first.
func (d *display) catchUp(ctx context.Context, c *card, m *discordgo.Message) {
	guild := m.GuildID
	if guild == "" && !c.direct() {
		guild = string(d.s.settings.Server) // a fetched message lacks it
	}
	for _, emoji := range []string{emojiDeny, emojiApprove, emojiSession} {
		if !reacted(m, emoji) {
			continue
		}
		users, err := d.s.client.Reactions(ctx, c.Channel, c.Message, emoji)
		d.s.note("read the reactions of a card", err)
		verb, _ := message.ReadEmoji(discordgo.Emoji{Name: emoji})
		for _, u := range users {
			if !d.waiting() {
				return
			}
			if !u.Bot && !d.s.own(u.ID) {
				d.s.reacted(ctx, c, verb, link.Reaction{UserID: u.ID, ChannelID: c.Channel, MessageID: c.Message, GuildID: guild, Emoji: discordgo.Emoji{Name: emoji}})
			}
		}
	}
}

// reacted reports whether anybody but the bot reacted with an emoji.
func reacted(m *discordgo.Message, emoji string) bool {
	for _, r := range m.Reactions {
		if r == nil || r.Emoji == nil || r.Emoji.ID != "" || r.Emoji.Name != emoji {
			continue
		}
		own := 0
		if r.Me {
			own = 1
		}
		return r.Count > own
	}
	return false
}

// edit makes a card say how the ask is now, once.
func (d *display) edit(ctx context.Context, c *card) error {
	d.mu.Lock()
	rev, a, asked, digest, fails := d.rev, d.ask, d.asked, c.digest, c.fails
	d.mu.Unlock()
	waiting := a.State.Waiting()
	m := d.content(ctx, c, a)
	if !waiting && !c.whole {
		m = m.Instead(d.maskedFiles(asked))
		if len(m.Files) == 0 && message.Attaches(c.Body) { // the input to mask may be gone with the end of the ask
			m = d.bare(ctx, c, a)
		}
	}
	wanted := message.Digest(m.Content)
	if waiting && wanted == digest {
		d.says(c, rev, digest)
		return nil
	}
	d.admitMessage(c, m, waiting)
	kept, err := d.put(ctx, c, m)
	if err != nil && lasting(err) && len(m.Files) > 0 && !errors.Is(err, link.ErrGone) {
		d.s.note(fmt.Sprintf("attach the masked call to the card of ask %s", d.id), err)
		kept, err = d.put(ctx, c, d.bare(ctx, c, a))
	}
	switch {
	case err == nil:
		digest = wanted
		d.admitKept(c, kept, waiting)
	case errors.Is(err, link.ErrGone) || !lasting(err) && (waiting || fails < maxEdits || d.s.c.Now().Sub(c.PostedAt) < finalFor):
		return err
	default: // it stays as it is, and can be answered
		d.s.note(fmt.Sprintf("edit the card of ask %s", d.id), err)
	}
	d.says(c, rev, digest)
	if !waiting {
		d.finish(c)
	}
	return nil
}

// put makes m of a card.
func (d *display) put(ctx context.Context, c *card, m message.Message) (*discordgo.Message, error) {
	if err := m.Check(); err != nil {
		return nil, unsound(err)
	}
	return d.s.client.Edit(ctx, c.Channel, c.Message, m)
}

// says notes the current text of a card.
func (d *display) says(c *card, rev int, digest string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.rev, c.digest = rev, digest
}

// filesGone replaces the files removed from a card. RATIONALE.md, "What becomes of the files of
// an ended card?".
const filesGone = "The attached file was taken away: it may have held secrets."

// maskedFiles are the files of the card as they may stay when the ask has ended.
func (d *display) maskedFiles(asked ask.Ask) []message.File {
	return message.Card(d.s.c.Store.Veiled(asked), message.View{Instance: d.s.instance}).Files
}

// wasWhole reports whether a card of an earlier run shows everything.
func (d *display) wasWhole(row store.Card) bool {
	if a := d.now(); a.State.Waiting() {
		return d.compose(a, placeOf(d.route(), row.Place), row.Attempt).Whole
	}
	return !message.Attaches(row.Body)
}

// content is the text of a card: the ask as it waits, or its end.
func (d *display) content(ctx context.Context, c *card, a ask.Ask) message.Message {
	if a.State.Waiting() {
		m := d.compose(a, placeOf(d.route(), c.Place), c.Attempt).Message
		m.Files = nil // those of the post stay
		return m
	}
	return d.final(ctx, c, a)
}

// final is the final text of a card; more are sentences of ours.
func (d *display) final(ctx context.Context, c *card, a ask.Ask, more ...string) message.Message {
	return d.over(ctx, c.Body, a, more...)
}

// bare is the final text of a card that loses its files.
func (d *display) bare(ctx context.Context, c *card, a ask.Ask) message.Message {
	return d.over(ctx, message.Detached(c.Body), a, filesGone).Instead(nil)
}

// over is the end of an ask with a row about its call.
func (d *display) over(ctx context.Context, call string, a ask.Ask, more ...string) message.Message {
	rules, notes := d.result(ctx, a)
	return message.Ended(a, message.End{Call: call, Rules: rules, Notes: append(more, notes...), Done: d.doneLines()})
}

// result is the rules stored by an answer, here or elsewhere, and the notes about it.
func (d *display) result(ctx context.Context, a ask.Ask) ([]engine.Rule, []string) {
	d.mu.Lock()
	rules, known, notes := d.rules, d.known, slices.Clone(d.notes)
	d.mu.Unlock()
	if known || a.State != ask.Approved {
		return rules, notes
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rules, err := d.s.c.Gate.RulesOf(ctx, a.ID)
	if err != nil {
		d.s.note("look up the rules of an answer", err)
		return nil, append(notes, "Which rules were stored could not be read.")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rules, d.known = rules, true
	return rules, notes
}

// maxDigests is how many texts of a card, and how many sets of its buttons, are remembered: an event about an older one may
// still be on its way.
const maxDigests = 32

// admitMessage admits a message of ours, with its buttons: the list may have changed them.
func (d *display) admitMessage(c *card, m message.Message, keep bool) {
	d.admit(c, message.Digest(m.Content), keep)
	d.admit(c, controlsDigest(m.Components), keep)
}

// admitKept admits Discord's form of a card as one of its texts, with its permitted buttons.
func (d *display) admitKept(c *card, kept *discordgo.Message, waiting bool) {
	if kept == nil || kept.Content == "" {
		return
	}
	d.admit(c, message.Digest(kept.Content), waiting)
	d.admit(c, controlsDigest(kept.Components), waiting)
}

// admit records a permitted text of a card, before the card gets it. keep stores it; the text
// of an ended ask is not checked after a restart.
func (d *display) admit(c *card, digest string, keep bool) {
	d.mu.Lock()
	fresh := !slices.Contains(c.Digests, digest)
	if fresh {
		alike := func(other string) bool { return ofText(other) == ofText(digest) && !isFiles(other) }
		if n := len(slices.DeleteFunc(slices.Clone(c.Digests), func(other string) bool { return !alike(other) })); n >= maxDigests {
			oldest := slices.IndexFunc(c.Digests, alike)
			c.Digests = slices.Delete(c.Digests, oldest, oldest+1)
		}
		c.Digests = append(c.Digests, digest)
	}
	d.mu.Unlock()
	if fresh && keep {
		d.save(c)
	}
}

// admits reports whether a card's text is one of ours, and its buttons and files are ours.
func (d *display) admits(c *card, m *discordgo.Message) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, digest := range []string{message.Digest(m.Content), controlsDigest(m.Components), filesDigest(m)} {
		if !slices.Contains(c.Digests, digest) {
			return false
		}
	}
	return !embedded(m)
}

// unchanged reports whether a card is as we wrote it; a changed one sets off the alarm.
func (d *display) unchanged(ctx context.Context, c *card, m *discordgo.Message) bool {
	if d.admits(c, m) {
		return true
	}
	d.mu.Lock()
	was := d.alarmed || !d.ask.State.Waiting()
	d.alarmed = true
	d.mu.Unlock()
	if !was {
		detail := fmt.Sprintf("message %s in channel %s: its text has the SHA-256 %s, which is none that Callgate wrote there, or its buttons or files are others",
			c.Message, c.Channel, message.Digest(m.Content))
		d.s.note("cancel an ask whose card was changed", d.s.c.Gate.CardChanged(context.WithoutCancel(ctx), d.id, detail))
	}
	return false
}

func (d *display) digestOf(c *card) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return c.digest
}

// direct reports whether the card is a direct message.
func (c *card) direct() bool {
	return strings.HasPrefix(strings.TrimPrefix(c.Place, escalated), "dm:")
}
