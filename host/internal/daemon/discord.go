package daemon

import (
	"context"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord"
)

// chat is the daemon's side of Discord: the surface, where there is one. Its failures never stop
// the daemon: asks are answered elsewhere then.
type chat struct {
	settings config.Discord
	// current are the settings in force; others wait for the next start.
	current func() config.Discord
	surface *discord.Surface
	log     *slog.Logger
	started time.Time

	mu sync.Mutex
	// problem is why there is no surface, or why it ended.
	problem string
}

// openChat makes Discord ready when the accepted configuration names a server. It asks
// Discord nothing.
func (d *Daemon) openChat(ctx context.Context, o Options) *chat {
	settings := d.Host.Settings
	current := func() config.Discord { return settings().DiscordSettings() }
	c := &chat{settings: current(), current: current, log: d.log, started: d.now()}
	if !c.settings.Enabled() {
		return c
	}
	surface, err := discord.Open(ctx, discord.Config{
		Gate: d.Host.Gate, Folders: d.Host.Gate.Folders, Asks: d.Host.Asks, Store: d.Host.Store, Tools: d.Host.Catalog.Tools,
		Settings: func() discord.Settings { return settings() },
		Token:    o.DiscordToken, StateDir: o.State, Log: d.log, Now: o.Host.Now,
	})
	if err != nil {
		c.fail("Discord is not used; asks can be answered in a terminal and through the API", err)
		return c
	}
	c.surface = surface
	d.Host.Gate.UseMembers(surface)
	if at := c.settings.Interactions.Listen; at != "" {
		d.Host.AnswersBeside("tcp", at)
	}
	return c
}

// fail records and logs a problem for a person to fix.
func (c *chat) fail(what string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problem = err.Error()
	c.log.Error(what, "error", err, "see", "callgate discord setup")
}

// run shows and answers asks until ctx ends.
func (c *chat) run(ctx context.Context) {
	if c.surface == nil {
		return
	}
	c.log.Info("showing asks in Discord", "server", string(c.settings.Server))
	if err := c.surface.Run(ctx); err != nil && ctx.Err() == nil {
		c.fail("Discord is no longer used; asks can be answered in a terminal and through the API. Fix the problem and restart", err)
	}
}

// close gives the lock of the token back. It may be called more than once.
func (c *chat) close() {
	if c.surface == nil {
		return
	}
	if err := c.surface.Close(); err != nil {
		c.log.Warn("Discord could not be closed", "error", err)
	}
}

// health tells how Discord stands.
func (c *chat) health() protocol.DiscordHealth {
	now := c.current()
	h := protocol.DiscordHealth{Configured: c.settings.Enabled() || now.Enabled(), Server: string(c.settings.Server)}
	if c.surface != nil {
		s := c.surface.State()
		h.Connected, h.Since, h.Problem, h.Fatal, h.Bot = s.Connected, s.Since, s.Problem, s.Fatal, s.Bot
		h.Cards, h.LastError, h.LastErrorAt = s.Cards, s.LastError, s.LastErrorAt
	}
	if !reflect.DeepEqual(now, c.settings) {
		h.Restart = true
		if c.surface == nil {
			h.Problem, h.Fatal = "the Discord settings changed; restart callgate serve to apply them", true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problem != "" {
		h.Connected, h.Problem, h.Fatal = false, c.problem, true
	}
	if h.Configured && h.Since.IsZero() {
		h.Since = c.started
	}
	return h
}
