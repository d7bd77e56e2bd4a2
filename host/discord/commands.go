package discord

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/discord/slash"
	"github.com/callgate/callgate/host/gate"
)

var _ slash.Gate = (*gate.Gate)(nil)

// newCommands is what answers slash commands.
func (s *Surface) newCommands() *slash.Handler {
	return slash.New(slash.Config{
		Instance: s.instance, Gate: s.c.Gate, Asks: s.c.Asks, Audit: s.c.Store, Tools: s.c.Tools,
		Settings: func() slash.Settings { return s.c.Settings() }, Places: rooms{s}, Discord: s.client, Now: s.c.Now, Log: s.c.Log,
	})
}

// rooms tells slash commands what channels are for.
type rooms struct{ s *Surface }

// SessionOf implements slash.Places.
func (r rooms) SessionOf(channel string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	t, err := r.s.c.Store.ThreadByID(ctx, channel)
	if err != nil {
		return "" // it is no thread of ours
	}
	return t.Session
}

// AgentsOf implements slash.Places.
func (r rooms) AgentsOf(channel string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if t, err := r.s.c.Store.ThreadByID(ctx, channel); err == nil {
		return []string{t.Agent}
	}
	settings := r.s.c.Settings()
	var names []string
	for _, name := range settings.AgentNames() {
		if string(settings.Agent(name).Discord.Channel) == channel {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// CardLink implements slash.Places.
func (r rooms) CardLink(id string) string {
	f := r.s.follower(id)
	if f == nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.cards {
		if !c.gone && !c.direct() {
			return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", r.s.settings.Server, c.Channel, c.Message)
		}
	}
	return ""
}
