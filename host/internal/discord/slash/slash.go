// Package slash answers the slash commands of people in Discord: /permissions, /permission,
// /allow, /ask, /deny, /asks, /audit, /folders and /clear, with their completion, buttons,
// menus and forms. The gate and package command carry them out; here is only the access to
// them, their subject, and the layout of the answer.
//
// Every answer is visible to the one person alone and pings no one. Text from agents or modules
// stands in code. Sources: docs/seeds.md, "Slash Commands" and "Permission Builder UI".
package slash

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Gate shows and changes agents' permissions; implemented by assembly.Gate. Each change is made
// in the name of a person, whose roles have to grant a widening one.
type Gate interface {
	Command(ctx context.Context, c admin.Change, where admin.Where, text string) (wire.CommandResult, error)
	ChangeRules(ctx context.Context, c admin.Change, add []engine.Rule, remove []string, dryRun bool) (wire.RuleChangeResult, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	TestRule(ctx context.Context, r engine.Rule, c *engine.Call) (bool, error)
	Profiles(ctx context.Context) (wire.Profiles, error)
	ChangeProfile(ctx context.Context, c admin.Change, agent, name string) (wire.GivenProfile, error)
	Session(ctx context.Context, id string) (store.Session, []store.Call, error)
	Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error)
	// ProjectOf is the project whose stored rules hold below a session's root.
	ProjectOf(ctx context.Context, root string) (string, error)
	ChangeMode(ctx context.Context, c admin.Change, session string, mode *engine.Mode) error
	ChangeForkMode(ctx context.Context, c admin.Change, session string, mode *engine.Mode) error
	Clear(ctx context.Context, c admin.Change, session string) (wire.ClearResult, error)
	ResumeSession(ctx context.Context, session, by string) error
	// Refused writes the row of a refused person.
	Refused(ctx context.Context, p approvers.Person, why string) error
}

// Asks are the waiting asks; implemented by *ask.Broker.
type Asks interface {
	Waiting(f ask.Filter) []ask.Ask
	Get(ctx context.Context, id string) (ask.Ask, error)
	Position(id string) int
}

// Audit are the decisions; implemented by *store.Store.
type Audit interface {
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Settings are the operator's settings, accepted by a person.
type Settings interface {
	AgentNames() []string
	// KnownRoles are those for answering or granting.
	KnownRoles() []string
	// Approvers are who may answer asks of an agent.
	Approvers(agent string, names ...string) approvers.Policy
}

// Places maps channels to agents and sessions.
type Places interface {
	// SessionOf is the session of a thread; empty for none.
	SessionOf(channel string) string
	// AgentsOf are the agents with asks in a channel.
	AgentsOf(channel string) []string
	// CardLink is the address of an ask's card; empty where none stands.
	CardLink(ask string) string
}

// Discord edits late answers; implemented by *link.Client.
type Discord interface {
	EditOriginal(ctx context.Context, i *discordgo.Interaction, m message.Message) (*discordgo.Message, error)
}

// Config are the parts of a Handler. All members are required but Folders, Tools, Patience, Now
// and Log.
type Config struct {
	// Instance is the daemon's word in custom ids; those of others are not answered.
	Instance string
	Gate     Gate
	Asks     Asks
	Audit    Audit
	// Folders are those trusted by people; nil for none.
	Folders Folders
	// Tools are those for rules; nil for none.
	Tools    func() []wire.Tool
	Settings func() Settings
	Places   Places
	Discord  Discord
	// Patience is how long an answer may take before it is deferred; 0 means 1.5 s of Discord's
	// 3 s.
	Patience time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Log hears of failures; nil means silence. No input is logged.
	Log *slog.Logger
}

// DefaultPatience is Config.Patience where it is not set.
const DefaultPatience = 1500 * time.Millisecond

// Handler answers commands. Its methods are safe for concurrent use.
type Handler struct {
	c       Config
	flows   flows
	refused throttle
}

// New returns a handler.
func New(c Config) *Handler {
	if c.Patience <= 0 {
		c.Patience = DefaultPatience
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tools == nil {
		c.Tools = func() []wire.Tool { return nil }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{c: c, flows: flows{now: c.Now}, refused: throttle{now: c.Now}}
}
