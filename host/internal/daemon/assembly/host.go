package assembly

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/approval/webhook"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/protect"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Options configure a Host. Config is required.
type Options struct {
	// Config is the operator's configuration; see config.Open and config.Default.
	Config *config.Config
	// CacheDir keeps compiled modules between runs; empty keeps nothing.
	CacheDir string
	// Version is the program's, for the list of daemons.
	Version string
	// Modules are the first-party modules; nil for none.
	Modules fs.FS
	// Compiler is the command for compiling modules; see sandbox.Config.
	Compiler []string
	// Compiling receives each module to compile first; nil drops it. The log has it, too.
	Compiling func(file string)
	// Behind makes Open go on without the operator's modules still to compile and test:
	// WatchModules puts each in force when it is ready. Until then calls of its names fail.
	Behind bool
	// Callback answers an agent's asks in place of people, before the configuration's callback;
	// nil, or a nil result, leaves them to it.
	Callback func(agent string) gate.Callback
	// Log receives events without a caller to return them to; nil means silence. It never gets
	// inputs or environments.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Ready, when set, checks whether the accepted configuration can be served, before a first
	// start stores it: an unusable one must not become the base for comparing a corrected file. Its
	// error ends Open.
	Ready func(accepted *config.Config) error
}

// Host is a running gate and the parts it is made of. Its parts are safe for
// concurrent use; Close ends them all.
type Host struct {
	Gate    Gate
	Asks    *ask.Broker
	Store   *store.Store
	Catalog *modules.Catalog
	// Passkeys are people's; their signatures count while a console answers, see ConsoleAt.
	Passkeys *passkey.Keeper

	console       atomic.Pointer[func() string]
	hub           *webhook.Hub
	configuration atomic.Pointer[configuration]
	changing      sync.Mutex // held while the configuration changes
	open          atomic.Bool
	tokens        atomic.Pointer[func(context.Context) error]
	settings      []func(name string) bool // guarded by changing
	watching      atomic.Pointer[watching]
	runtime       *sandbox.Runtime
	guard         *protect.Guard
	tried         *ruletest.Cache
	swaps         atomic.Pointer[SwapListener]
	log           *slog.Logger
}

// Answers sets the gate's address, when it is not the configuration's: calls leading there are
// denied.
func (h *Host) Answers(network, address string) { h.guard.Answers(network, address) }

// AnswersBeside adds one further address for answers; calls leading there are denied as well.
func (h *Host) AnswersBeside(network, address string) { h.guard.AnswersBeside(network, address) }

// ConsoleAt says where the web console answers: origin returns its origin, empty while it does not.
func (h *Host) ConsoleAt(origin func() string) { h.console.Store(&origin) }

// consoleOrigin is the console's origin as it is now.
func (h *Host) consoleOrigin() string {
	if origin := h.console.Load(); origin != nil {
		return (*origin)()
	}
	return ""
}

// Sandbox returns the system's features for the sandbox of the tool modules, and its counts.
func (h *Host) Sandbox() wire.Sandbox {
	f := h.runtime.Features()
	s := wire.Sandbox{
		Tracking: f.Tracking, Kept: f.Kept, CacheMiB: f.CacheMiB, CacheUsedMiB: f.CacheUsedMiB, Apart: f.Apart,
		MemoryMiB: f.MemoryMiB, UsedMiB: f.UsedMiB,
	}
	s.AnswersRun, s.AnswersRemembered = h.Catalog.Answers()
	return s
}

// facts are the places out of bounds for calls: those of the configuration, and this process.
func (h *Host) facts(o Options) protect.Facts {
	f, dirs := protect.Own(), o.Config.Dirs()
	f.Home, f.Config, f.State, f.Cache = dirs.Home, dirs.Config, dirs.State, cmp.Or(o.CacheDir, dirs.Cache)
	f.Modules, f.ConfigFile, f.Store = o.Config.Modules.Dir, o.Config.File, o.Config.StoreFile()
	for _, c := range []*config.Config{o.Config, h.Accepted()} { // either may be used
		f.Secrets = append(f.Secrets, c.SecretFiles()...)
	}
	return f
}

// laws say which folders people may trust: none containing a home, or files of ours.
func (h *Host) laws(f protect.Facts) folder.Laws {
	homes := []string{f.Home}
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, home)
	}
	settings := h.configuration.Load().inForce
	for _, name := range append(settings.AgentNames(), config.DefaultAgent) {
		homes = append(homes, settings.Agent(name).Home)
	}
	own := append([]string{f.Config, f.State, f.Cache, f.Modules, f.ConfigFile, cmp.Or(f.Store, f.State), f.Binary}, f.Secrets...)
	return folder.NewLaws(homes, own)
}

// Open opens the store, loads the modules, takes up the asks left waiting by the last process, and
// returns a working gate. The caller closes it.
func Open(ctx context.Context, o Options) (_ *Host, err error) {
	if o.Config == nil {
		return nil, errors.New("open host: no configuration")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{log: o.Log}
	defer func() {
		if err != nil {
			_ = h.Close() // the first error is the one to return
		}
	}()
	if h.Store, err = store.Open(ctx, o.Config.Store, store.Options{Now: o.Now, Daemon: &store.Daemon{Version: o.Version}, Failed: h.storeFailed}); err != nil {
		return nil, err
	}
	h.together()
	first, err := h.recall(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	h.hub = webhook.NewHub(o.Log, webhook.Options{Now: o.Now})
	h.put(first)
	if h.runtime, h.Catalog, err = openCatalog(ctx, h.tools(o), first.inForce.Modules, modules.Options{
		Audit: h.Store, Told: h.swapped, Swapping: h.swapping, Behind: o.Behind, Now: o.Now,
	}); err != nil {
		return nil, err
	}
	if h.tried, err = ruletest.OpenCache(o.CacheDir, func(err error) { o.Log.Warn("the cache of rule tests cannot be used", "error", err) }); err != nil {
		return nil, err
	}
	h.Asks = newBroker(h, first.inForce.Asks, o)
	waiting, err := h.Asks.Recover(ctx)
	if err != nil {
		return nil, err
	}
	if waiting > 0 {
		o.Log.Info("pending asks restored from the last run", "asks", waiting)
	}
	h.Passkeys = passkey.New(passkey.Config{Store: h.Store, Host: h.Accepted().Console.Host(), Origin: h.consoleOrigin, Now: o.Now})
	h.guard = protect.New(h.facts(o))
	h.guard.Answers(o.Config.Endpoint())
	if network, address := o.Config.StoreAddress(); network != "" {
		h.guard.AnswersBeside(network, address)
	}
	if h.Gate, err = h.newGate(o); err != nil {
		return nil, err
	}
	if err := h.Gate.Recall(ctx); err != nil {
		o.Log.Error("the stored rules could not be read", "error", err)
	}
	h.warn(o.Config)
	// Refusing to start would be a dead end: adding the module takes a running daemon.
	unread := func(err error) { h.log.Warn("in the configuration", "error", err) }
	if err := h.checkExamples(ctx, o.Config, unread); err != nil {
		return nil, err
	}
	if o.Ready != nil {
		if err := o.Ready(first.accepted); err != nil {
			return nil, err
		}
	}
	if err := h.settle(ctx, first); err != nil {
		return h, err
	}
	h.settleProfiles(ctx)
	h.open.Store(true)
	return h, h.caughtUp(ctx)
}

// newGate wires the open parts into the gate.
func (h *Host) newGate(o Options) (Gate, error) {
	resolver, now, facts := &target.Resolver{FS: target.OS()}, o.Now, h.facts(o)
	if now == nil {
		now = time.Now
	}
	return NewGate(Parts{
		Folders: folder.NewBook(folder.Config{
			Laws: func() folder.Laws { return h.laws(facts) }, Store: h.Store, Looker: resolver, Now: now, Log: o.Log,
		}),
		Passkeys: h.Passkeys,
		Protect:  h.guard,
		Catalog:  func() describe.Snapshot { return h.Catalog.Snapshot() },
		Settings: func() *config.Config { return h.configuration.Load().inForce },
		Targets:  resolver,
		Projects: &project.Loader{Report: h.ignored},
		Asks:     h.Asks,
		Store:    h.Store,
		Callback: h.callback(o),
		Notify:   h.hub.Notify,
		Now:      o.Now,
		Log:      o.Log,
	})
}

// warn logs unusable or unwise parts of everything opened.
func (h *Host) warn(c *config.Config) {
	for _, p := range h.Catalog.Problems() {
		if !errors.Is(p.Err, modules.ErrTrying) {
			h.log.Warn("tool module cannot be used", "module", p.File, "error", p.Err)
		}
	}
	for _, p := range c.Problems() {
		h.log.Warn("in the configuration", "error", p)
	}
	for _, text := range GrantAdvice(c) {
		h.log.Warn("in the configuration", "error", text)
	}
	for _, r := range h.Store.RefusedRules() {
		h.log.Warn("stored allow rule disabled: it was changed outside Callgate; remove it or add it again", "rule", r.ID, "tool", r.Tool, "scope", r.Scope)
	}
}

// storeFailed logs that the store takes no changes, so calls are denied, and that it does again.
func (h *Host) storeFailed(err error) {
	if err == nil {
		h.log.Info("the store can be written again: calls are decided")
		return
	}
	h.log.Error("the store cannot be written: every call is denied", "error", err)
}

// caughtUp takes over everything that other daemons changed while this one started.
func (h *Host) caughtUp(ctx context.Context) error {
	if h.Store.Node() == "" {
		return nil
	}
	h.Store.Again()
	return errors.Join(h.Store.CatchUp(ctx), h.Asks.RefreshAll(ctx))
}

func newBroker(h *Host, c config.Asks, o Options) *ask.Broker {
	s := h.Store
	return ask.New(ask.Config{
		Store: s, Node: s.Node(), Alive: s.Alive, Now: o.Now, Log: o.Log, Ended: s.Masked, Timeout: time.Duration(c.Timeout), Memory: time.Duration(c.RepeatDenial),
		Validity: time.Duration(c.ApprovalLifetime), PerSession: c.PerSession, PerAgent: c.PerAgent, PauseAfter: c.PauseAfter,
	})
}

// ignored logs the refused parts of a project's file.
func (h *Host) ignored(problems []project.Problem) {
	for _, p := range problems {
		h.log.Warn("in a project's file", "error", p.String())
	}
}

// checkExamples tests the rules of a configuration. unread, if not nil, receives those for tools
// without a loaded module; otherwise they are refused.
func (h *Host) checkExamples(ctx context.Context, c *config.Config, unread func(error)) error {
	tools := h.Catalog.Snapshot()
	defer tools.Release()
	return ruletest.Tester{Catalog: tools, Targets: &target.Resolver{FS: target.OS()}, Cache: h.tried, Unread: unread}.CheckExamples(ctx, c)
}

// Close ends the parts. Waiting asks stay in the store.
func (h *Host) Close() error {
	var errs []error
	if h.Asks != nil {
		h.Asks.Close()
	}
	if h.hub != nil {
		h.hub.Close()
	}
	if h.Catalog != nil {
		h.Catalog.Close()
	}
	if h.runtime != nil {
		errs = append(errs, h.runtime.Close(context.Background()))
	}
	if h.Store != nil {
		errs = append(errs, h.Store.Close())
	}
	return errors.Join(errs...)
}
