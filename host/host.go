// Package host is Callgate inside another Go program: [Open] gives a [Host]. It decides tool
// calls like the daemon, with the same configuration file, rules, tool modules, store and
// audit.
//
// Package wire has the types of a call and its answer, package engine the decision and its
// rules; package cli is the program callgate. All else lies below internal, a room for each
// concern:
//
//	gate       decides a call: admit, recall, decide, answer, record
//	approval   asks: the broker, the card, callers and approvers, the PIN,
//	           terminal, webhook
//	admin      people's changes beside calls: rules, sessions, profiles, text commands
//	modules    tool modules: those in force, their grants; sandbox runs one
//	store      rules, sessions, asks and the audit, in one SQLite file
//	config     the operator's file, projects' files, recipes, import and export
//	api        the HTTP server
//	client     its client, and their common types
//	hook       the programs run by agents' clients before a call
//	discord    cards, buttons and slash commands in Discord
//	daemon     the whole process: assembly wires the parts, daemon serves them
//	machine    this computer: accounts, files and locks, the service, the doctor
//	text       strict JSON and YAML, quoting, spelling
//	toolkit    for authors of modules and policies: scaffold, tests, eval, replay, the demo
//	testkit    helpers of tests; no product package imports it
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/wire"
)

// Options configure a Host. Dir is required.
type Options struct {
	// Dir is an absolute directory for the store, the modules' grants, tokens and
	// compiled code. One Host or daemon uses it at a time.
	Dir string
	// ConfigFile is the operator's YAML file; empty for DIR/callgate.yaml, or the
	// defaults when there is none.
	ConfigFile string
	// CacheDir keeps compiled modules between runs; empty for DIR/cache.
	CacheDir string
	// Modules are the tool modules to begin with, as plugins.Modules returns them; nil
	// for none: no rule is then read, and every call asks.
	Modules fs.FS
	// Approve answers asks until ctx ends; nil denies them all. It is called by several goroutines
	// at once. An error, a panic and an answer other than allow and deny all deny.
	Approve func(ctx context.Context, ask wire.CallbackRequest) (engine.CallbackAnswer, error)
	// Log receives events without a caller to return them to, never inputs; nil means silence.
	Log *slog.Logger
}

// Host decides calls. It is safe for concurrent use.
type Host struct{ parts *assembly.Host }

// Open opens the store and loads the modules. The caller closes the Host.
func Open(ctx context.Context, o Options) (*Host, error) {
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("open host: Dir %q is not an absolute path", o.Dir)
	}
	home, err := config.UserDirs()
	if err != nil {
		return nil, err
	}
	dirs := config.Dirs{Home: home.Home, Config: o.Dir, State: o.Dir, Cache: cmp.Or(o.CacheDir, filepath.Join(o.Dir, "cache"))}
	c, err := config.Open(o.ConfigFile, dirs)
	if err != nil {
		return nil, err
	}
	parts, err := assembly.Open(ctx, assembly.Options{
		Config: c, CacheDir: dirs.Cache, Modules: o.Modules, Log: o.Log,
		Callback: func(string) gate.Callback {
			if o.Approve == nil {
				return nil
			}
			return approver(o.Approve)
		},
	})
	if err != nil {
		return nil, err
	}
	return &Host{parts}, nil
}

// self is the caller of every call of this program: it is believed, as an integrator.
var self = authority.Caller{Token: "host", Kind: authority.Integrator}

// Check decides one call, asks Options.Approve where a person must decide, and audits the answer
// before returning it. Run the call only when Decision.Behavior is engine.Allow. The error is
// non-nil only for a malformed request or a closed Host; the result then denies, as it does on
// every failure.
func (h *Host) Check(ctx context.Context, r wire.Request) (wire.Result, error) {
	return h.parts.Gate.Check(ctx, self, r, nil)
}

// Evaluate decides without asking, storing or auditing: a preview of Check.
func (h *Host) Evaluate(ctx context.Context, r wire.Request) (wire.Result, error) {
	return h.parts.Gate.Evaluate(ctx, self, r)
}

// Finish reports the end of a call with Reports set in its request: it compares the actual call
// with the decided one, and a difference stops the session.
func (h *Host) Finish(ctx context.Context, f wire.Finished) (wire.FinishResult, error) {
	return h.parts.Gate.Finish(ctx, self, f)
}

// VisibleTools are the tools with possibly allowed or asked calls, for an agent's model.
func (h *Host) VisibleTools(ctx context.Context, r wire.VisibleToolsRequest) (wire.VisibleTools, error) {
	return h.parts.Gate.VisibleTools(ctx, self, r)
}

// Close ends the Host. Waiting asks stay in the store.
func (h *Host) Close() error {
	if h.parts == nil {
		return errors.New("close host: it was never opened")
	}
	return h.parts.Close()
}

// approver is a program's function in the gate's form.
type approver func(ctx context.Context, ask wire.CallbackRequest) (engine.CallbackAnswer, error)

// Name implements gate.Callback.
func (approver) Name() string { return "the host program" }

// Decide implements gate.Callback.
func (a approver) Decide(ctx context.Context, r wire.CallbackRequest) (engine.CallbackAnswer, error) {
	return a(ctx, r)
}
