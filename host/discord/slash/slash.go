// Package slash answers the slash commands of people in Discord: /permissions,
// /permission, /allow, /ask, /deny, /asks, /audit and /clear, with their completion,
// buttons, menus and forms. What they do is the gate's and package command's; here is
// only who may use them, what they are about, and how the answer looks.
//
// Every answer is seen by the one person alone and pings nobody. What agents or modules
// wrote stands in code. Sources: issue "Approvals in Discord", the Discord seed
// ("/permissions Slash Command"), the vibing seed ("Slash Commands", "Permission Builder
// UI"), design section 8.
package slash

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// Gate shows and changes what agents may do; of *gate.Gate. Each change is made in the
// name of a person whose roles have to grant what widens.
type Gate interface {
	Command(ctx context.Context, c gate.Change, where gate.Where, text string) (gate.Commanded, error)
	ChangeRules(ctx context.Context, c gate.Change, add []engine.Rule, remove []string, dryRun bool) (gate.Changed, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	TestRule(ctx context.Context, r engine.Rule, c *engine.Call) (bool, error)
	Profiles(ctx context.Context) (gate.Profiles, error)
	ChangeProfile(ctx context.Context, c gate.Change, agent, name string) (gate.GivenProfile, error)
	Session(ctx context.Context, id string) (store.Session, []store.Call, error)
	Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error)
	ChangeMode(ctx context.Context, c gate.Change, session string, mode *engine.Mode) error
	ChangeForkMode(ctx context.Context, c gate.Change, session string, mode *engine.Mode) error
	Clear(ctx context.Context, c gate.Change, session string) (gate.Cleared, error)
	ResumeSession(ctx context.Context, session, by string) error
	// Refused writes the row of somebody who may not what they wanted.
	Refused(ctx context.Context, p people.Person, why string) error
}

// Asks are the asks that wait; of *ask.Broker.
type Asks interface {
	Waiting(f ask.Filter) []ask.Ask
	Get(ctx context.Context, id string) (ask.Ask, error)
	Position(id string) int
}

// Audit is what was decided; of *store.Store.
type Audit interface {
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Settings is what the operator configured and a person accepted.
type Settings interface {
	AgentNames() []string
	// KnownRoles are those that may answer or grant something.
	KnownRoles() []string
	// Approvers are who may answer asks of an agent.
	Approvers(agent string, names ...string) people.Policy
}

// Places tells what channels are for.
type Places interface {
	// SessionOf is the session whose thread a channel is; empty for none.
	SessionOf(channel string) string
	// AgentsOf are the agents whose asks are shown in a channel.
	AgentsOf(channel string) []string
	// CardLink is the address of an ask's card; empty where none stands.
	CardLink(ask string) string
}

// Discord edits the answers that took longer; of *link.Client.
type Discord interface {
	EditOriginal(ctx context.Context, i *discordgo.Interaction, m message.Message) (*discordgo.Message, error)
}

// Config is what a Handler is made of. All members are required but Tools, Patience,
// Now and Log.
type Config struct {
	// Instance is the daemon's word in custom ids; those of others are not answered.
	Instance string
	Gate     Gate
	Asks     Asks
	Audit    Audit
	// Tools are those that rules may name; nil for none.
	Tools    func() []catalog.Info
	Settings func() Settings
	Places   Places
	Discord  Discord
	// Patience is how long an answer may take before Discord is told to wait; 0 means
	// 1.5 s of the 3 s that Discord gives.
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
		c.Tools = func() []catalog.Info { return nil }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{c: c, flows: flows{now: c.Now}, refused: throttle{now: c.Now}}
}
