package gate

import (
	"context"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/profiles"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Targets resolves the targets of a call, and its place.
type Targets interface {
	describe.Resolver
	// Directories resolves working directories. An unresolvable one is an error.
	Directories(ctx context.Context, dirs []string) ([]string, error)
	// Projects are the projects around the places a call may run in.
	Projects(ctx context.Context, places ...target.Around) ([]target.Project, error)
	// ClaudePlaces are the directories of a session of Claude Code besides its project.
	ClaudePlaces(ctx context.Context, session, home, cwd string, dirs []string) ([]string, error)
	// Identify returns the identities of the cwd and of each target.
	Identify(ctx context.Context, cwd string, targets []engine.Target) ([]target.Identity, error)
}

// Projects reads a project's own file; it may only tighten. A project without one has an empty
// File. An error means: there is a file, and it cannot be trusted or read.
type Projects interface {
	Load(ctx context.Context, root string) (project.File, error)
}

// Asks is the broker.
type Asks interface {
	Ask(ctx context.Context, a *ask.Ask) (ask.Outcome, error)
	Answer(ctx context.Context, id string, a ask.Answer) (ask.Ask, error)
	ResolveCovered(ctx context.Context, id string, a ask.Answer) (ask.Ask, error)
	Get(ctx context.Context, id string) (ask.Ask, error)
	Waiting(f ask.Filter) []ask.Ask
	SeenBy(approver, id string) bool
	// Elsewhere reports whether the call may wait at another daemon.
	Elsewhere(ctx context.Context, a ask.Ask) bool
	HasSurface() bool
	// Pause stops a session, Stopped says why it is stopped.
	Pause(ctx context.Context, session, why string) error
	Stopped(session string) string
	Follow(ctx context.Context, call ask.Key) <-chan ask.Event
}

// Store keeps rules, sessions and the audit.
type Store interface {
	AddRule(ctx context.Context, r engine.Rule) (engine.Rule, error)
	ChangeRules(ctx context.Context, c store.Change) ([]engine.Rule, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	RulesFor(ctx context.Context, agent, session, project string, about *engine.About) ([]engine.Rule, error)
	RuleCount() int
	TouchSession(ctx context.Context, s store.Session) (store.Session, error)
	Session(ctx context.Context, id string) (store.Session, error)
	NoteShell(ctx context.Context, id, tool, callID string, parts []string) error
	Append(ctx context.Context, row store.Row) (store.Row, error)
	AppendCall(ctx context.Context, row store.Row, c store.Call) (store.Row, error)
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
	PastCalls(ctx context.Context, since time.Time) iter.Seq2[store.PastCall, error]
	Call(ctx context.Context, key ask.Key) (store.Call, error)
	OpenCall(ctx context.Context, token, session, inputDigest string, since time.Time) (store.Call, error)
	MovingCalls(ctx context.Context, token, session string, since time.Time) ([]store.Call, error)
	FinishCall(ctx context.Context, key ask.Key, at time.Time, row *store.Row) error
	EndCalls(ctx context.Context, token, session, subAgent string, at time.Time) error
	// Epoch is the state of everything a decision depends on, CatchUp brings this daemon to the
	// present one; see store.ErrStale.
	Epoch() int64
	CatchUp(ctx context.Context) error
	// OwnChanges reports whether only this daemon changed something since an epoch, and only the
	// session or profiles; and the present epoch.
	OwnChanges(ctx context.Context, since int64, session string) (epoch int64, own bool, err error)
	TokenUsable(ctx context.Context, name string) (bool, error)
}

// Changes makes the changes of an approved call, each from the next call on: see package admin,
// and RATIONALE.md, "Why does the Gate not change rules, sessions or profiles?".
type Changes interface {
	SetMode(ctx context.Context, session string, mode *engine.Mode, by string) error
	SetForkMode(ctx context.Context, session string, mode *engine.Mode, by string) error
	GiveProfile(ctx context.Context, agent, name, by, approvedBy string) (wire.GivenProfile, error)
}

// Protection keeps calls away from the gate itself. It sees the call with its
// targets resolved and, among them, the module's marks; its answer is why the
// call is denied, or empty. See the package protect.
type Protection interface {
	Protect(call *engine.Call) string
}

// Config are the parts of a Gate. All members are required but Folders, Passkeys,
// Protect, Callback, Notify and InFlight.
type Config struct {
	// Catalog is the current catalogue: a call keeps it from beginning to end.
	Catalog func() describe.Snapshot
	// Settings is the operator's current configuration.
	Settings func() *config.Config
	Targets  Targets
	Projects Projects
	Asks     Asks
	Store    Store
	// Authority knows the rights of callers and people.
	Authority *authority.Authority
	// Profiles are those given to agents.
	Profiles *profiles.Given
	// Rules are the stored rules as modules read them.
	Rules *ruletest.Stored
	// Folders are those trusted by people; nil for none.
	Folders *folder.Book
	// Passkeys sign approvals; nil for none: then no signed answer counts.
	Passkeys Passkeys
	Changes  Changes
	// Protect is the protection of the gate itself; nil for none, as where
	// nothing is run.
	Protect Protection
	// Callback returns the callback for an agent's asks; nil, or nil from it, means people.
	Callback func(agent string) Callback
	// Notify hears of asks and denials; nil for none. It must not block.
	Notify func(wire.Notice)
	// InFlight is how long a call waits for unfinished others of its session that may move its
	// relative paths; 0 means 10 s.
	InFlight time.Duration
	// Now is the clock of the audit.
	Now func() time.Time
	// Log hears of alarms. No input is ever logged.
	Log *slog.Logger
}

// Gate decides calls. It is safe for concurrent use.
type Gate struct {
	c Config

	// consulting holds a place for each ask at a callback.
	consulting chan struct{}
	// rehearsing holds the place of the one simulation.
	rehearsing chan struct{}

	mu sync.Mutex
	// answering holds back the waiters of an ask until the rules of its answer are stored: one
	// channel for each answer under way.
	answering map[string][]chan struct{}
	// waiting are the calls behind waiting asks.
	waiting map[waiter]*call
	// moving are calls under decision that may change the current directory or links, by a
	// number of their own.
	moving map[int]mover
	// ended is closed, and replaced, when a call has ended or is no longer decided.
	ended   chan struct{}
	tickets int
}

// New returns a gate over its parts.
func New(c Config) *Gate {
	return &Gate{
		c: c, rehearsing: make(chan struct{}, 1), consulting: make(chan struct{}, maxConsulted), answering: map[string][]chan struct{}{}, waiting: map[waiter]*call{}, moving: map[int]mover{}, ended: make(chan struct{}),
	}
}
