package daemon

import (
	"context"
	"errors"
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
	// open makes the surface, hold runs a task while this daemon has the connection.
	open    func(context.Context) (*discord.Surface, error)
	hold    func(ctx context.Context, task func(context.Context) error) error
	log     *slog.Logger
	started time.Time
	shared  bool // whether other daemons may have the connection

	mu      sync.Mutex
	surface *discord.Surface // nil while there is none
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
	c.shared = d.Host.Store.Node() != ""
	c.open = func(ctx context.Context) (*discord.Surface, error) {
		surface, err := discord.Open(ctx, discord.Config{
			Gate: d.Host.Gate, Folders: d.Host.Gate.Folders, Asks: d.Host.Asks, Store: d.Host.Store, Tools: d.Host.Catalog.Tools,
			Settings: func() discord.Settings { return settings() },
			Token:    o.DiscordToken, StateDir: o.State, Log: d.log, Now: o.Host.Now,
		})
		if err == nil {
			d.Host.Gate.UseMembers(surface)
		}
		return surface, err
	}
	c.hold = func(ctx context.Context, task func(context.Context) error) error {
		return d.Host.Store.Hold(ctx, leaseDiscord, task)
	}
	if !c.shared {
		c.take(ctx)
	}
	if at := c.settings.Interactions.Listen; at != "" {
		d.Host.AnswersBeside("tcp", at)
	}
	return c
}

// fail records and logs why Discord is not used, for a person to fix. fix says how.
func (c *chat) fail(err error, fix string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problem = err.Error()
	c.log.Error("Discord is not used; asks can be answered in a terminal and through the API", "error", err, "fix", fix)
}

// checkDiscord names what is wrong, and what to do.
const checkDiscord = "callgate discord setup"

// leaseDiscord is the lease of the daemon with the connection to Discord.
const leaseDiscord = "discord"

// errNoChat means that the surface could not be opened; fail has said why.
var errNoChat = errors.New("no surface")

// take opens the surface, unless it is open. Its failure is noted.
func (c *chat) take(ctx context.Context) *discord.Surface {
	if s := c.shown(); s != nil {
		return s
	}
	surface, err := c.open(ctx)
	if err != nil {
		c.fail(err, checkDiscord)
		return nil
	}
	c.set(surface)
	return surface
}

func (c *chat) set(s *discord.Surface) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.surface = s
}

// shown is the surface; nil while there is none.
func (c *chat) shown() *discord.Surface {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.surface
}

// run shows and answers asks until ctx ends, whenever this daemon has the connection.
func (c *chat) run(ctx context.Context) {
	if c.open == nil || !c.shared && c.shown() == nil {
		return
	}
	err := c.hold(ctx, func(ctx context.Context) error {
		surface := c.take(ctx)
		if surface == nil {
			return errNoChat // another daemon may have more luck
		}
		c.log.Info("showing asks in Discord", "server", string(c.settings.Server))
		err := surface.Run(ctx)
		if c.shared {
			c.set(nil) // a surface runs once
		}
		return err
	})
	if err != nil && !errors.Is(err, errNoChat) && ctx.Err() == nil {
		c.fail(err, checkDiscord+", then restart the daemon")
	}
}

// announce tells the people in Discord, where this daemon has the connection.
func (c *chat) announce(ctx context.Context, agent, text string) {
	if s := c.shown(); s != nil {
		s.Announce(ctx, agent, text)
	}
}

// close gives the lock of the token back. It may be called more than once.
func (c *chat) close() {
	surface := c.shown()
	if surface == nil {
		return
	}
	if err := surface.Close(); err != nil {
		c.log.Warn("Discord could not be closed", "error", err)
	}
}

// health tells how Discord stands.
func (c *chat) health() protocol.DiscordHealth {
	now := c.current()
	h := protocol.DiscordHealth{Configured: c.settings.Enabled() || now.Enabled(), Server: string(c.settings.Server)}
	surface := c.shown()
	if surface != nil {
		s := surface.State()
		h.Connected, h.Since, h.Problem, h.Fatal, h.Bot = s.Connected, s.Since, s.Problem, s.Fatal, s.Bot
		h.Cards, h.LastError, h.LastErrorAt = s.Cards, s.LastError, s.LastErrorAt
	}
	if !reflect.DeepEqual(now, c.settings) {
		h.Restart = true
		if surface == nil {
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
