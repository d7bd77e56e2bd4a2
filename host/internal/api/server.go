package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/internal/machine/ratelog"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// Gate decides calls, and changes rules and settings for decisions.
type Gate interface {
	Check(ctx context.Context, caller authority.Caller, r wire.Request, progress gate.Progress) (wire.Result, error)
	Evaluate(ctx context.Context, caller authority.Caller, r wire.Request) (wire.Result, error)
	VisibleTools(ctx context.Context, caller authority.Caller, r wire.VisibleToolsRequest) (wire.VisibleTools, error)
	Finish(ctx context.Context, caller authority.Caller, f wire.Finished) (wire.FinishResult, error)
	Answer(ctx context.Context, id string, a ask.Answer) (ask.AnswerResult, error)
	Challenge(ctx context.Context, id string, a ask.Answer) (passkey.Challenge, error)
	AddRule(ctx context.Context, by string, r engine.Rule) (engine.Rule, []string, error)
	RemoveRule(ctx context.Context, by, id string) error
	ChangeRules(ctx context.Context, c admin.Change, add []engine.Rule, remove []string, dryRun bool) (wire.RuleChangeResult, error)
	Command(ctx context.Context, c admin.Change, where admin.Where, text string) (wire.CommandResult, error)
	CommandOn(ctx context.Context, lists command.State, where admin.Where, text string) (wire.CommandResult, error)
	SetLists(ctx context.Context, c admin.Change, session string, lists command.State) (wire.ListResult, error)
	MayTrustFolder(caller authority.Caller, agent string) error
	Profiles(ctx context.Context) (wire.Profiles, error)
	ChangeProfile(ctx context.Context, c admin.Change, agent, name string) (wire.GivenProfile, error)
	ResetProfiles(ctx context.Context, by string) error
	Person(caller authority.Caller, name string, roles []string, administrator bool) approvers.Person
	MayChangeRules(ctx context.Context, caller authority.Caller, add, remove []engine.Rule) error
	MayRemoveRule(ctx context.Context, caller authority.Caller, id string) error
	Idle(ctx context.Context, rules []engine.Rule) (unused, shadowed map[string]string, err error)
	RuleUses(ctx context.Context) (map[string]store.RuleUse, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	TestRule(ctx context.Context, r engine.Rule, c *engine.Call) (bool, error)
	Simulate(ctx context.Context, s gate.Simulation, report func(history.Simulating)) (history.Simulated, error)
	Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error)
	Session(ctx context.Context, id string) (store.Session, []store.Call, error)
	ChangeMode(ctx context.Context, c admin.Change, session string, mode *engine.Mode) error
	ChangeForkMode(ctx context.Context, c admin.Change, session string, mode *engine.Mode) error
	Clear(ctx context.Context, c admin.Change, session string) (wire.ClearResult, error)
	InterruptSession(ctx context.Context, session, by string) (int, error)
	ExitFork(ctx context.Context, session, by string) (int, error)
	ResumeSession(ctx context.Context, session, by string) error
}

// Asks lists asks waiting for a human.
type Asks interface {
	Waiting(f ask.Filter) []ask.Ask
	Get(ctx context.Context, id string) (ask.Ask, error)
	Position(id string) int
	Limits(id string) []string
	Subscribe(ctx context.Context) <-chan ask.Event
	Attach(s ask.Surface) (detach func())
	Surfaces() []ask.Surface
	MarkSeen(id, approver string)
}

// Audit reads decisions, and takes early refusals.
type Audit interface {
	Append(ctx context.Context, row store.Row) (store.Row, error)
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
	AuditPage(ctx context.Context, f store.Filter) (rows []store.Row, next int64, err error)
	VerifyAudit(ctx context.Context) (store.Report, error)
	PastCalls(ctx context.Context, since time.Time) iter.Seq2[store.PastCall, error]
	Tally(ctx context.Context, since, until time.Time, step time.Duration) (store.Tally, error)
	Prunable(ctx context.Context, before time.Time) (store.Prunable, error)
	PruneAudit(ctx context.Context, before time.Time, by string) (store.Prunable, error)
}

// Configuration tells how the configuration file stands, and takes a person's word
// for it: as it was when LookAtConfig returned last, or later.
type Configuration interface {
	LookAtConfig(ctx context.Context) error
	ConfigState() wire.ConfigState
	AcceptConfig(ctx context.Context, digest, by string) (wire.ConfigState, error)
}

// Config configures a Server. Gate, Asks, Audit, Tools, Configuration, Folders, MCP, Modules, Tokens
// and Presence are required.
type Config struct {
	Gate  Gate
	Asks  Asks
	Audit Audit
	Tools func() []wire.Tool
	// RefusedRules and ModuleProblems are known problems of stored rules and of modules; nil for
	// nothing.
	RefusedRules   func() []engine.Rule
	ModuleProblems func() []modules.Problem
	// Sandbox returns the system's features for the modules' sandbox; nil for nothing.
	Sandbox func() wire.Sandbox
	// Discord returns the state of the connection to Discord; nil for a daemon without one.
	Discord func() protocol.DiscordHealth
	// Metrics serves the daemon's numbers; nil for a daemon without.
	Metrics http.Handler
	// Ready returns why the daemon cannot decide calls now; nil, or nothing, when it can.
	Ready func(ctx context.Context) []string
	// Console makes a one-time link to the web console for a person; nil for a daemon without one.
	// lend gives the console the rights of the caller's token, see Tokens.Lend.
	Console func(ctx context.Context, by string, lend func(hold time.Duration) (secret string, alive context.Context, end func(), err error)) (protocol.ConsoleLink, error)
	// Passkeys are those of people; nil for a daemon without any.
	Passkeys *passkey.Keeper
	// Push are the browsers that get messages about waiting asks; nil for none.
	Push *push.Keeper
	// Notary proves the rows of the audit; nil for a daemon without one.
	Notary Notary
	// Configuration is the gate's configuration.
	Configuration Configuration
	// Folders are those trusted by people.
	Folders Folders
	// MCP are the accepted definitions of MCP tools.
	MCP *mcptools.Book
	// Modules are the tool modules.
	Modules Modules
	Tokens  *Tokens
	// Presence knows whether a person is there, without whom nothing is widened.
	Presence Presence
	// Boundary says who may use a socket.
	Boundary Boundary
	// Hooks are the last probes of the clients' hooks; nil for a daemon without any.
	Hooks func() wire.HookProbes
	// Team are the daemons of the store; nil for one alone.
	Team Team
	// Version is the program's.
	Version string
	// MaxChecks is how many checks and evaluations may be under way at once,
	// half of them for one token; one more is answered 429. Default 512.
	MaxChecks int
	// Heartbeat is how often a waiting check's stream shows life. Default 10 s.
	Heartbeat time.Duration
	// Log hears of failures, never of inputs or tokens; nil means silence.
	Log *slog.Logger
	// Now is the clock of started_at and of expiry; nil means time.Now.
	Now func() time.Time
}

// The defaults of Config.
const (
	DefaultMaxChecks = 512
	DefaultHeartbeat = 10 * time.Second
)

// The time-outs of connections: for the header of a request, and for one write to a client without
// reading.
const (
	headerPatience = 10 * time.Second
	writePatience  = 15 * time.Second
)

// Server answers HTTP requests. Its methods are safe for concurrent use.
type Server struct {
	c       Config
	http    *http.Server
	started time.Time
	checks  *places       // of the checks and evaluations under way
	large   *places       // of large bodies
	crowd   *places       // of agents' connections
	diffing chan struct{} // holds the comparison of modules under way
	feed    feed
	// refusals and strangers bound a flood's traces in the audit and the log, foreigners those of
	// other accounts' connections.
	refusals              refusals
	strangers, foreigners *ratelog.Tally
	stop                  chan struct{} // closed when streams have to end
}

// New returns a server, not yet listening.
func New(c Config) (*Server, error) {
	if c.Gate == nil || c.Asks == nil || c.Audit == nil || c.Tools == nil || c.Configuration == nil || c.Folders == nil || c.Modules == nil || c.Tokens == nil || c.Presence == nil {
		return nil, errors.New("api: a part is missing")
	}
	if c.MaxChecks <= 0 {
		c.MaxChecks = DefaultMaxChecks
	}
	if c.Heartbeat <= 0 {
		c.Heartbeat = DefaultHeartbeat
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Server{c: c, started: c.Now(), checks: newPlaces(c.MaxChecks), large: newPlaces(largeBodies), crowd: newPlaces(crowdPlaces), diffing: make(chan struct{}, 1), stop: make(chan struct{})}
	s.strangers, s.foreigners = &ratelog.Tally{Now: c.Now}, &ratelog.Tally{Now: c.Now}
	s.http = &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerPatience,
		IdleTimeout:       protocol.IdlePatience,
		MaxHeaderBytes:    32 << 10,
		ConnContext:       noted,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
	}
	s.http.RegisterOnShutdown(sync.OnceFunc(func() { close(s.stop) }))
	return s, nil
}

// Serve answers on l until Shutdown; it then returns nil. It may be called for several listeners.
// On a socket of any mode, only peers admitted by Config.Boundary may connect.
func (s *Server) Serve(l net.Listener) error {
	guarded := admitting{Listener: l, boundary: s.c.Boundary, refused: s.foreigners, crowd: s.crowd, log: s.c.Log}
	if err := s.http.Serve(guarded); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown stops listening, ends the event streams and waits for the checks under way until ctx
// ends; then their connections are cut. Close the ask broker first: a check waiting for a human
// then returns, and its ask stays in the store; a cut connection would cancel it.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	for _, w := range s.refusals.rest() {
		s.append(ctx, w.caller, "refused", countText(w.more))
	}
	if err == nil {
		return nil
	}
	if n := s.checks.used(); n > 0 {
		return errors.Join(fmt.Errorf("%d running checks were cancelled: %w", n, err), s.http.Close())
	}
	return s.http.Close() // the remaining ones had nothing under way
}
