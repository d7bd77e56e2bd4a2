package discord

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/slash"
	"github.com/callgate/callgate/host/internal/store"
)

// newCommands returns the handler of slash commands.
func (s *Surface) newCommands() *slash.Handler {
	return slash.New(slash.Config{
		Instance: s.instance, Gate: s.c.Gate, Folders: s.c.Folders, Asks: s.c.Asks, Audit: s.c.Store, Tools: s.c.Tools,
		Settings: func() slash.Settings { return s.c.Settings() }, Places: rooms{s}, Discord: s.client, Now: s.c.Now, Log: s.c.Log,
	})
}

// rooms maps channels to agents and sessions for slash commands.
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
	for _, name := range r.known(ctx, settings) {
		if string(settings.Agent(name).Discord.Channel) == channel {
			names = append(names, name)
		}
	}
	return names
}

// known are the agents in the configuration, those with the latest sessions, and the one of
// calls without a name: the routes of defaults hold for all.
func (r rooms) known(ctx context.Context, settings Settings) []string {
	names := append(slices.Clone(settings.AgentNames()), config.DefaultAgent)
	sessions, err := r.s.c.Gate.Sessions(ctx, store.SessionFilter{Limit: 50})
	if err != nil {
		r.s.c.Log.Warn("the agents of a channel are not known", "error", err)
	}
	for _, session := range sessions {
		names = append(names, session.Agent)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CardLink implements slash.Places.
func (r rooms) CardLink(id string) string {
	d := r.s.display(id)
	if d == nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.cards {
		if c.stands() && !c.direct() {
			return fmt.Sprintf("https://discord.com/channels/%s/%s/%s", r.s.settings.Server, c.Channel, c.Message)
		}
	}
	return ""
}
