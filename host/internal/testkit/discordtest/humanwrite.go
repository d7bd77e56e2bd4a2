package discordtest

import "fmt"

// React puts an emoji at a message, such as ✅, or name:id for a guild's own.
func (h Human) React(messageID, emoji string) error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	m, c, err := h.sees(messageID)
	if err != nil {
		return err
	}
	switch {
	case m.For != "":
		return fmt.Errorf("%w: nobody reacts to an ephemeral message", ErrRefused)
	case m.reaction(emoji) < 0 && h.s.permissions(c, h.ID)&PermAddReactions == 0:
		return fmt.Errorf("%w: the person may not add reactions", ErrRefused)
	case m.reaction(emoji) < 0 && len(m.Reactions) >= 20:
		return fmt.Errorf("%w: the message has 20 reactions", ErrRefused)
	}
	h.s.react(m, h.ID, emoji)
	return nil
}

// Unreact takes the person's emoji back.
func (h Human) Unreact(messageID, emoji string) error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	m, _, err := h.sees(messageID)
	if err != nil {
		return err
	}
	if !h.s.unreact(m, h.ID, emoji) {
		return fmt.Errorf("%w: the person has no %s there", ErrRefused, emoji)
	}
	return nil
}

// Write posts a message, and returns its id.
func (h Human) Write(channelID, text string) (string, error) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return h.write(channelID, text, "", nil)
}

// Reply answers a message with another, and returns its id. The author of the first is
// mentioned unless quiet, so a bot may read a reply to its own.
func (h Human) Reply(messageID, text string) (string, error) { return h.reply(messageID, text, true) }

// ReplyQuiet answers without mentioning.
func (h Human) ReplyQuiet(messageID, text string) (string, error) {
	return h.reply(messageID, text, false)
}

func (h Human) reply(messageID, text string, mention bool) (string, error) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	m, c, err := h.sees(messageID)
	if err != nil {
		return "", err
	}
	if m.For != "" {
		return "", fmt.Errorf("%w: nobody replies to an ephemeral message", ErrRefused)
	}
	parse := []string{"users", "roles", "everyone"}
	return h.write(c.id, text, m.ID, &allowedMentions{Parse: &parse, Replied: mention})
}

func (h Human) write(channelID, text, replyTo string, allowed *allowedMentions) (string, error) {
	c, err := h.in(channelID, 0)
	if err == nil {
		_, err = h.in(channelID, sendPermission(c))
	}
	if err != nil {
		return "", err
	}
	if units(text) == 0 || units(text) > 2000 {
		return "", fmt.Errorf("%w: a text of %d characters", ErrRefused, units(text))
	}
	m := h.s.draft(channelID, h.ID)
	m.Content, m.ReplyTo, m.mentions = text, replyTo, readMentions(text)
	h.s.post(c, m, allowed)
	return m.ID, nil
}

// Edit changes a message of the person's own.
func (h Human) Edit(messageID, text string) error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	m, _, err := h.sees(messageID)
	if err != nil {
		return err
	}
	if m.Author.ID != h.ID {
		return fmt.Errorf("%w: message %s is another person's", ErrRefused, messageID)
	}
	m.Content, m.mentions = text, readMentions(text)
	h.s.edited(m)
	return nil
}

// Delete takes a message away: one of the person's own, an ephemeral one for them, or
// any where they may manage messages.
func (h Human) Delete(messageID string) error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	m, c, err := h.sees(messageID)
	if err != nil {
		return err
	}
	if m.Author.ID != h.ID && m.For != h.ID && h.s.permissions(c, h.ID)&PermManageMessages == 0 {
		return fmt.Errorf("%w: message %s is another person's", ErrRefused, messageID)
	}
	h.s.remove(m)
	return nil
}
