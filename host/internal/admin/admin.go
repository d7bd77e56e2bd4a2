package admin

import (
	"context"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/profiles"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
)

// Targets finds the directories for lists.
type Targets interface {
	// Directories resolves directories. An unresolvable one is an error.
	Directories(ctx context.Context, dirs []string) ([]string, error)
	// Project is the project of a directory.
	Project(ctx context.Context, cwd string, workingDirectories []string) (target.Project, error)
}

// Asks is the broker. Each returns how many asks it has cancelled.
type Asks interface {
	Interrupt(ctx context.Context, session string) (int, error)
	ExitFork(ctx context.Context, session string) (int, error)
	Clear(ctx context.Context, session string) (int, error)
	Resume(ctx context.Context, session, by string) error
}

// Store keeps rules and sessions, and the audit's rows of each change.
type Store interface {
	AddRule(ctx context.Context, r engine.Rule) (engine.Rule, error)
	RemoveRule(ctx context.Context, id, by string) error
	ChangeRules(ctx context.Context, c store.Change) ([]engine.Rule, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	RuleUses(ctx context.Context) (map[string]store.RuleUse, error)
	RulesFor(ctx context.Context, agent, session, project string, about *engine.About) ([]engine.Rule, error)
	Session(ctx context.Context, id string) (store.Session, error)
	Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error)
	Calls(ctx context.Context, session string) ([]store.Call, error)
	SetMode(ctx context.Context, id string, mode *engine.Mode, by string) error
	SetForkMode(ctx context.Context, id string, mode *engine.Mode, by string) error
	EndForks(ctx context.Context, id, by, detail string) error
	ClearSession(ctx context.Context, id, by string) (int, error)
	NoteSession(ctx context.Context, id string, event store.Event, by, detail string) error
}

// Config is the input of an Admin; all members are required.
type Config struct {
	Authority *authority.Authority
	// Rules tests rules on the modules of their tools.
	Rules *ruletest.Stored
	// Profiles are the profiles given to agents.
	Profiles *profiles.Given
	// Settings is the operator's present configuration.
	Settings func() *config.Config
	Targets  Targets
	Asks     Asks
	Store    Store
	Now      func() time.Time
}

// Admin lists and changes rules, sessions and given profiles. A widening change needs the consent
// of an entitled person (Change). It is safe for concurrent use.
type Admin struct {
	*profiles.Given
	c Config
}

// New returns an admin over its parts.
func New(c Config) *Admin { return &Admin{c.Profiles, c} }
