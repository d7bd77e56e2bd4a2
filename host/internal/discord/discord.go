// Package discord shows asks as cards in Discord and takes answers there. It is one more
// surface of an ask.Broker: the gate decides, first in the store, and Discord is updated
// afterwards. Nothing of an ask waits for Discord: when it does not answer, the ask is answered
// elsewhere or ends as denied at its deadline.
//
// Sources: threats T27 and T28; docs/seeds.md, "Reaction handler" and "Channel sync".
//
// It may import the gate, admin, the asks, authority, the store and the configuration; package
// daemon calls it.
package discord

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/slash"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Gate decides; of assembly.Gate.
type Gate interface {
	slash.Gate
	Answer(ctx context.Context, id string, a ask.Answer) (ask.AnswerResult, error)
	RefuseAnswer(ctx context.Context, id string, a ask.Answer, reason string) error
	UndoAnswer(ctx context.Context, id string, p approvers.Person) ([]engine.Rule, error)
	RulesOf(ctx context.Context, id string) ([]engine.Rule, error)
	CardChanged(ctx context.Context, id, detail string) error
}

// Asks is the broker; of *ask.Broker.
type Asks interface {
	Subscribe(ctx context.Context) <-chan ask.Event
	Waiting(f ask.Filter) []ask.Ask
	Get(ctx context.Context, id string) (ask.Ask, error)
	Position(id string) int
	Limits(id string) []string
	Attach(s ask.Surface) (detach func())
	MarkSeen(id, approver string)
	Undelivered(ctx context.Context, id, surface string) error
	Delivered(ctx context.Context, id, surface string) error
}

// Store keeps the cards, and knows the parts of an ask a card may keep; implemented by
// *store.Store.
type Store interface {
	SaveCard(ctx context.Context, c store.Card) error
	FinishCard(ctx context.Context, message string, at time.Time) error
	Card(ctx context.Context, message string) (store.Card, error)
	CardsOf(ctx context.Context, ask string) ([]store.Card, error)
	UnfinishedCards(ctx context.Context) ([]store.Card, error)
	ForgetCards(ctx context.Context, before time.Time) error
	SaveThread(ctx context.Context, t store.Thread) error
	ThreadOf(ctx context.Context, channel, agent, session string) (store.Thread, error)
	ThreadByID(ctx context.Context, id string) (store.Thread, error)
	Instance(ctx context.Context) (string, error)
	KeepInteraction(ctx context.Context, key string, id uint64) error
	LastInteraction(ctx context.Context, key string) (uint64, error)
	Veiled(a ask.Ask) ask.Ask
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Settings are the operator's settings, accepted by a person; implemented by *config.Config.
type Settings interface {
	member.Settings
	slash.Settings
	DiscordSettings() config.Discord
	DiscordAccount(person string) string
	Agent(name string) config.Agent
}

// Config are the parts of a Surface. All members are required but Tools, Log and Now.
type Config struct {
	Gate  Gate
	Asks  Asks
	Store Store
	// Settings returns the current settings. Changes of the server, the token's file, the
	// address of the API or the source of events need a new Surface.
	Settings func() Settings
	// Folders are those trusted by people; nil for none.
	Folders slash.Folders
	// Tools are those completed by slash commands; nil for none.
	Tools func() []wire.Tool
	// Token is the bot's token from the environment, which is cleared of it before anything is
	// started; it counts while the configuration names no file.
	Token string
	// StateDir is where the lock of the token is kept.
	StateDir string
	// Log hears of failures; nil means silence. No token and no input is ever logged.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	pace link.Pace // tests hurry
}

func (c Config) withDefaults() (Config, error) {
	if c.Gate == nil || c.Asks == nil || c.Store == nil || c.Settings == nil || c.StateDir == "" {
		return c, errors.New("discord: a part is missing")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tools == nil {
		c.Tools = func() []wire.Tool { return nil }
	}
	return c, nil
}

// Name is the surface's name, in answers and to the broker.
const Name = "discord"

// ErrOff means: the configuration shows no asks in Discord.
var ErrOff = errors.New("discord: the configuration names no server")

// State is how the surface stands, for people and for the doctor.
type State struct {
	// Connected means: cards can be shown and answers come in; Since is the time of the last
	// change.
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since,omitzero"`
	// Problem describes an error; Fatal means: only a person can fix it, with a restart.
	Problem string `json:"problem,omitempty"`
	Fatal   bool   `json:"fatal,omitempty"`
	// Bot is the bot's account, as NAME (ID); empty while it is not known.
	Bot string `json:"bot,omitempty"`
	// Asks is how many are shown, Cards how many messages are open for them. LastError is the
	// latest error, at LastErrorAt.
	Asks        int       `json:"asks"`
	Cards       int       `json:"cards"`
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
}

var (
	_ authority.Members = (*Surface)(nil)
	_ Asks              = (*ask.Broker)(nil)
	_ Store             = (*store.Store)(nil)
	_ Settings          = (*config.Config)(nil)
)
