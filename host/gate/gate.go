package gate

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/project"
	"github.com/callgate/callgate/host/store"
	"github.com/callgate/callgate/host/target"
)

// Catalog answers for the tools. A name nobody claims gets an entry as well.
type Catalog interface {
	Lookup(name string) catalog.Entry
	Tools() []catalog.Info
}

// Snapshot is a Catalog that stays as it is until it is released. To release it
// again does nothing.
type Snapshot interface {
	Catalog
	Release()
}

// Settings answers what the operator configured.
type Settings interface {
	Agent(name string) config.Agent
	AllRules() []engine.Rule
	ToolConfig(agent, module string, names ...string) json.RawMessage
	// Profile is the profile of that name, ProfileNames are those there are.
	Profile(name string) *config.AgentProfile
	ProfileNames() []string
	// ProfileChoices are which profile the accepted and the next configuration give an
	// agent.
	ProfileChoices(agent string) (accepted, next string)
	// AgentNames are the agents that the configuration names.
	AgentNames() []string
	// Person is somebody as the configuration knows them, MayGrant its
	// permission_grants.
	Person(name string) people.Person
	// Approvers are who may answer asks about calls of a tool of these names.
	Approvers(agent string, names ...string) people.Policy
	// SafetyApprovers are who may answer asks of safety checks.
	SafetyApprovers(agent string, names ...string) people.Policy
	// ToolsWithApprovers are the tools that have approvers of their own for an agent.
	ToolsWithApprovers(agent string) []string
	MayGrant(p people.Person, what string) error
	// DiscordPerson is who has a Discord account; false when the configuration lists
	// nobody with it.
	DiscordPerson(account string) (people.Person, bool)
}

// Targets resolves what a call touches, and where it stands.
type Targets interface {
	Resolver
	// Directories resolves working directories. One that cannot be resolved is
	// an error.
	Directories(ctx context.Context, dirs []string) ([]string, error)
	// ProjectRoots are the root of the project a call runs in and, after it,
	// those around it; empty for none.
	ProjectRoots(ctx context.Context, cwd string, workingDirectories []string) ([]string, error)
	// Identify tells what stands at the cwd and at each target.
	Identify(ctx context.Context, cwd string, targets []engine.Target) ([]target.Identity, error)
}

// Projects reads a project's own file, which may only tighten; a project
// without one has an empty File. An error means that there is a file and that
// it cannot be trusted or read.
type Projects interface {
	Load(ctx context.Context, root string) (project.File, error)
}

// Asks is the broker.
type Asks interface {
	Ask(ctx context.Context, a ask.Ask) (ask.Outcome, error)
	Answer(ctx context.Context, id string, a ask.Answer) (ask.Ask, error)
	Settle(ctx context.Context, id string, a ask.Answer) (ask.Ask, error)
	Get(ctx context.Context, id string) (ask.Ask, error)
	Waiting(f ask.Filter) []ask.Ask
	SeenBy(approver, id string) bool
	HasSurface() bool
	Interrupt(ctx context.Context, session string) (int, error)
	ExitFork(ctx context.Context, session string) (int, error)
	Clear(ctx context.Context, session string) (int, error)
	// Withdraw cancels an ask whose answers can no longer be trusted, TurnAway tells
	// somebody that they may not answer.
	Withdraw(ctx context.Context, id string, cause ask.Cause) (ask.Ask, error)
	TurnAway(ctx context.Context, id, who, reason string) (ask.Ask, error)
	// Pause stops a session, Stopped says why it is stopped.
	Pause(ctx context.Context, session, why string) error
	Stopped(session string) string
	Resume(ctx context.Context, session, by string) error
	Subscribe(ctx context.Context) <-chan ask.Event
}

// Store keeps rules, sessions and the audit.
type Store interface {
	AddRule(ctx context.Context, r engine.Rule) (engine.Rule, error)
	RemoveRule(ctx context.Context, id, by string) error
	ChangeRules(ctx context.Context, c store.Change) ([]engine.Rule, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	RulesFor(ctx context.Context, agent, session, project string, about *engine.About) ([]engine.Rule, error)
	ClearSession(ctx context.Context, id, by string) (int, error)
	TouchSession(ctx context.Context, s store.Session) (store.Session, error)
	Session(ctx context.Context, id string) (store.Session, error)
	Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error)
	Calls(ctx context.Context, session string) ([]store.Call, error)
	SetMode(ctx context.Context, id string, mode *engine.Mode, by string) error
	SetForkMode(ctx context.Context, id string, mode *engine.Mode, by string) error
	EndForks(ctx context.Context, id, by, detail string) error
	NoteShell(ctx context.Context, id, tool, callID string, parts []string) error
	NoteSession(ctx context.Context, id string, event store.Event, by, detail string) error
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
	Append(ctx context.Context, row store.Row) (store.Row, error)
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
	AppendCall(ctx context.Context, row store.Row, c store.Call) (store.Row, error)
	Call(ctx context.Context, key ask.Key) (store.Call, error)
	OpenCall(ctx context.Context, token, session, inputDigest string, since time.Time) (store.Call, error)
	MovingCalls(ctx context.Context, token, session string, since time.Time) ([]store.Call, error)
	FinishCall(ctx context.Context, key ask.Key, at time.Time, row *store.Row) error
	EndCalls(ctx context.Context, token, session, subAgent string, at time.Time) error
}

// Protection keeps calls away from the gate itself. It sees the call with its
// targets resolved and, among them, the module's marks; its answer is why the
// call is denied, or empty. See the package protect.
type Protection interface {
	Protect(call *engine.Call) string
}

// Config is what a Gate is made of. All members are required but Now and Log.
type Config struct {
	// Catalog is the catalogue as it is now: what begins with one ends with it.
	Catalog  func() Snapshot
	Settings func() Settings
	Targets  Targets
	Projects Projects
	Asks     Asks
	Store    Store
	// Protect is the protection of the gate itself; nil for none, as where
	// nothing is run.
	Protect Protection
	// Callback gives what answers an agent's asks in place of people; nil, or nil from
	// it, means that people do.
	Callback func(agent string) Callback
	// Notify hears of asks and denials; nil means nobody does. It must not block.
	Notify func(Notice)
	// Now is the clock of the audit; nil means time.Now.
	Now func() time.Time
	// Log hears of alarms; nil means silence. No input is ever logged.
	Log *slog.Logger
}

// Gate decides calls. It is safe for concurrent use.
type Gate struct {
	c Config
	// given are the profiles that agents have in place of the configuration's.
	given givenProfiles

	// consulting holds a place for each ask that a callback has.
	consulting chan struct{}

	mu sync.Mutex
	// answering holds back the waiters of an ask until the rules that its
	// answer accepted are stored: one channel for each answer under way.
	answering map[string][]chan struct{}
	// waiting decides the call behind a waiting ask again.
	waiting map[waiter]func(context.Context) engine.Decision
	// moving are calls that may change the current directory or links and are
	// being decided, by a number of their own.
	moving  map[int]mover
	tickets int
	// tried tells of stored rules whether a module reads them as their examples say.
	tried map[trialOf]bool
	// suspensions are the rules that modules read more widely than those before them;
	// doubtful tells that they are not known.
	suspensions []suspension
	doubtful    bool
}

// New returns a gate over its parts.
func New(c Config) (*Gate, error) {
	if c.Catalog == nil || c.Settings == nil || c.Targets == nil || c.Projects == nil || c.Asks == nil || c.Store == nil {
		return nil, errors.New("gate: a part is missing")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Gate{
		c: c, consulting: make(chan struct{}, maxConsulted), answering: map[string][]chan struct{}{}, waiting: map[waiter]func(context.Context) engine.Decision{}, moving: map[int]mover{}, tried: map[trialOf]bool{},
	}, nil
}
