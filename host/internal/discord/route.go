package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// place is where a card of an ask is to stand: a channel, with a thread for each session
// or without, or the direct messages of a person.
type place struct {
	// key is its name among the places of the ask, as the store keeps it.
	key     string
	channel string
	threads bool
	person  string
	// roles are pinged.
	roles []string
}

// escalated begins the keys of places used only after a while without an answer.
const escalated = "up:"

// places are where an ask is shown at once.
func places(r config.DiscordRoute) []place {
	return placesOf("", string(r.Channel), r.Threads == config.ThreadsSession, r.DirectMessages, r.MentionRoles)
}

// furtherPlaces are the places after a while without an answer: without a channel of its own,
// the ping goes to the card's channel.
func furtherPlaces(r config.DiscordRoute) []place {
	e := r.Escalate
	if e == nil {
		return nil
	}
	channel, threads := string(e.Channel), false
	if channel == "" && len(e.MentionRoles) > 0 {
		channel, threads = string(r.Channel), r.Threads == config.ThreadsSession
	}
	return placesOf(escalated, channel, threads, e.DirectMessages, e.MentionRoles)
}

func placesOf(prefix, channel string, threads bool, people []string, roles []config.Snowflake) []place {
	var list []place
	if channel != "" {
		p := place{key: prefix + "channel", channel: channel, threads: threads}
		for _, role := range roles {
			p.roles = append(p.roles, string(role))
		}
		list = append(list, p)
	}
	for _, name := range people {
		list = append(list, place{key: prefix + "dm:" + name, person: name})
	}
	return list
}

// placeOf finds a place of an ask by its key; the zero place when the configuration
// no longer names it: then its card stays as it is and is not posted again.
func placeOf(r config.DiscordRoute, key string) place {
	list := places(r)
	if strings.HasPrefix(key, escalated) {
		list = furtherPlaces(r)
	}
	for _, p := range list {
		if p.key == key {
			return p
		}
	}
	return place{}
}

// errNoAccount is a person without an account in Discord.
var errNoAccount = errors.New("the configuration gives this person no Discord account")

// channelOf is the id of the place's channel, thread or direct messages. fresh makes a new
// thread in place of a remembered one now gone.
func (s *Surface) channelOf(ctx context.Context, p place, a ask.Ask, fresh bool) (string, error) {
	switch {
	case p.person != "":
		account := s.c.Settings().DiscordAccount(p.person)
		if account == "" {
			return "", fmt.Errorf("direct messages of %s: %w", p.person, errNoAccount)
		}
		return s.directMessages(ctx, account)
	case p.threads:
		return s.threadOf(ctx, p.channel, a, fresh)
	}
	return p.channel, nil
}

// directMessages is the channel of an account; it is remembered.
func (s *Surface) directMessages(ctx context.Context, account string) (string, error) {
	s.mu.Lock()
	channel := s.dms[account]
	s.mu.Unlock()
	if channel != "" {
		return channel, nil
	}
	channel, err := s.client.OpenDM(ctx, account)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.dms) >= maxRemembered {
		clear(s.dms)
	}
	s.dms[account] = channel
	return channel, nil
}

// threadOf is the thread of an ask's session in a channel; the first ask makes it. Where
// Discord refuses one, because of its name, chosen by an agent, or because there are too many,
// the card goes into the channel itself.
func (s *Surface) threadOf(ctx context.Context, channel string, a ask.Ask, fresh bool) (string, error) {
	key := channel + " " + a.Agent + " " + a.Session
	unlock, err := s.threads.lock(ctx, key)
	if err != nil {
		return "", err
	}
	defer unlock()
	known, err := s.c.Store.ThreadOf(ctx, channel, a.Agent, a.Session)
	switch {
	case err == nil && (!fresh || known.UsedAt.After(a.ShownAt)):
		if now := s.c.Now(); now.Sub(known.UsedAt) > stillUsed {
			known.UsedAt = now
			s.note("remember a thread", s.c.Store.SaveThread(context.WithoutCancel(ctx), known))
		}
		return known.ID, nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return "", err
	}
	id, err := s.client.StartThread(ctx, channel, message.ThreadName(a.Agent, a.Session))
	if err != nil && lasting(err) {
		s.note("start a thread, so the card stands in its channel", err)
		return channel, nil
	}
	if err != nil {
		return "", err
	}
	t := store.Thread{Channel: channel, Agent: a.Agent, Session: a.Session, ID: id, UsedAt: s.c.Now()}
	s.note("remember a thread", s.c.Store.SaveThread(context.WithoutCancel(ctx), t))
	return id, nil
}

// stillUsed is after how long the use of a thread is noted again.
const stillUsed = 24 * time.Hour

// lasting reports whether an error of Discord remains when the call is repeated. One without
// Discord's own words is a proxy's.
func lasting(err error) bool {
	var e *link.Error
	switch {
	case errors.Is(err, errNoAccount):
		return true
	case !errors.As(err, &e) || e.Code == codeSlowMode || e.Code == codeOldEdits || e.Message == "" && e.Status != 401:
		return false
	}
	return e.Status >= 400 && e.Status < 500 && e.Status != 408 && e.Status != 429
}

// Codes of Discord for temporary errors: a channel's slow mode, and too many edits of messages
// older than an hour.
const (
	codeSlowMode = 20016
	codeOldEdits = 30046
)
