package host

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/project"
	"github.com/callgate/callgate/host/protect"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/store"
	"github.com/callgate/callgate/host/target"
	"github.com/callgate/callgate/host/webhook"
)

// Options say what a Host is made of. Config is required.
type Options struct {
	// Config is the operator's configuration; see config.Open and config.Default.
	Config *config.Config
	// CacheDir keeps compiled modules between runs; empty keeps nothing.
	CacheDir string
	// Modules are the first-party modules; nil for none.
	Modules fs.FS
	// Compiler is the command that compiles modules; see sandbox.Config.
	Compiler []string
	// Callback gives what answers an agent's asks in place of people, before the
	// configuration's callback does; nil, or nil from it, leaves it to that.
	Callback func(agent string) gate.Callback
	// Log hears of what has no caller to go to; nil means silence. It never
	// gets inputs or environments.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Ready, when set, is asked whether the accepted configuration can be served,
	// before a first start keeps it: what cannot be must not be what a mended file
	// is compared with. Its error ends Open.
	Ready func(accepted *config.Config) error
}

// Host is a running gate and the parts it is made of. Its parts are safe for
// concurrent use; Close ends them all.
type Host struct {
	Gate    *gate.Gate
	Asks    *ask.Broker
	Store   *store.Store
	Catalog *catalog.Catalog

	hub           *webhook.Hub
	configuration atomic.Pointer[configuration]
	changing      sync.Mutex // held while the configuration changes
	watching      atomic.Pointer[watching]
	runtime       *sandbox.Runtime
	guard         *protect.Guard
	tried         *gate.Tried
	pins          *pins
	modules       *modules.Manager
	swaps         atomic.Pointer[SwapListener]
	log           *slog.Logger
}

// Answers tells at which address the gate can be reached, when that is not the
// configuration's: calls that lead there are denied.
func (h *Host) Answers(network, address string) { h.guard.Answers(network, address) }

// AnswersBeside tells of one further address where answers are taken; calls that lead
// there are denied as well.
func (h *Host) AnswersBeside(network, address string) { h.guard.AnswersBeside(network, address) }

// Sandbox tells what the system offers the sandbox of the tool modules.
func (h *Host) Sandbox() sandbox.Features { return h.runtime.Features() }

// facts are what calls are kept away from: the places of the configuration, and
// this process.
func (h *Host) facts(o Options) protect.Facts {
	f, dirs := protect.Own(), o.Config.Dirs()
	f.Home, f.Config, f.State, f.Cache = dirs.Home, dirs.Config, dirs.State, cmp.Or(o.CacheDir, dirs.Cache)
	f.Modules, f.ConfigFile, f.Store = o.Config.Modules.Dir, o.Config.File, o.Config.Store
	for _, c := range []*config.Config{o.Config, h.Accepted()} { // either may be used
		f.Secrets = append(f.Secrets, c.SecretFiles()...)
	}
	return f
}

// Open opens the store, loads the modules, takes up the asks that waited when
// the last process ended, and returns a gate that decides calls. The caller
// closes it.
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
			_ = h.Close() // the error that stopped us is the one to tell
		}
	}()
	if h.Store, err = store.Open(ctx, o.Config.Store, store.Options{Now: o.Now}); err != nil {
		return nil, err
	}
	first, err := h.recall(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	h.hub = webhook.NewHub(o.Log, webhook.Options{Now: o.Now})
	h.put(first)
	h.pins = newPins(o.Config.Dirs().State, first.modules())
	h.pins.owner = true
	if h.runtime, h.Catalog, err = openCatalog(ctx, h.tools(o), first.modules(), h.pins); err != nil {
		return nil, err
	}
	h.modules = h.manager(o)
	if h.tried, err = gate.OpenTried(o.CacheDir, func(err error) { o.Log.Warn("cache of tried rules", "problem", err) }); err != nil {
		return nil, err
	}
	h.Asks = newBroker(h.Store, first.asks(), o)
	waiting, err := h.Asks.Recover(ctx)
	if err != nil {
		return nil, err
	}
	if waiting > 0 {
		o.Log.Info("asks of the last run still wait", "asks", waiting)
	}
	h.guard = protect.New(h.facts(o))
	h.guard.Answers(o.Config.Endpoint())
	if h.Gate, err = h.newGate(o); err != nil {
		return nil, err
	}
	if err := h.Gate.RecallSuspended(ctx); err != nil {
		o.Log.Error("stored rules", "problem", err)
	}
	h.warn(o.Config)
	// Refusing to start would be a dead end: adding the module takes a running daemon.
	unread := func(err error) { h.log.Warn("in the configuration", "problem", err) }
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
	return h, nil
}

// newGate wires what is open into the gate.
func (h *Host) newGate(o Options) (*gate.Gate, error) {
	return gate.New(gate.Config{
		Protect:  h.guard,
		Catalog:  func() gate.Snapshot { return h.Catalog.Snapshot() },
		Settings: func() gate.Settings { return h.configuration.Load().settings() },
		Targets:  &target.Resolver{FS: target.OS()},
		Projects: &project.Loader{Report: h.ignored},
		Asks:     h.Asks,
		Store:    h.Store,
		Callback: h.callback(o),
		Notify:   h.hub.Notify,
		Now:      o.Now,
		Log:      o.Log,
	})
}

// warn tells the log what is not usable, or not wise, of all that was opened.
func (h *Host) warn(c *config.Config) {
	for _, p := range h.Catalog.Problems() {
		h.log.Warn("tool module not usable", "file", p.File, "error", p.Err)
	}
	for _, p := range c.Problems() {
		h.log.Warn("in the configuration", "problem", p)
	}
	for _, text := range GrantAdvice(c) {
		h.log.Warn("in the configuration", "problem", text)
	}
	for _, r := range h.Store.RefusedRules() {
		h.log.Warn("stored allow rule not used: it was changed outside Callgate; remove it or add it again", "id", r.ID, "tool", r.Tool, "scope", r.Scope)
	}
}

func newBroker(s *store.Store, c config.Asks, o Options) *ask.Broker {
	return ask.New(ask.Config{
		Store: s, Now: o.Now, Log: o.Log, Ended: s.Masked, Timeout: time.Duration(c.Timeout), Memory: time.Duration(c.RepeatDenial),
		Validity: time.Duration(c.ApprovalLifetime), PerSession: c.PerSession, PerAgent: c.PerAgent, PauseAfter: c.PauseAfter,
	})
}

// Tools say where tool modules come from, and how they are compiled.
type Tools struct {
	// Embedded, CacheDir and Compiler are Modules, CacheDir and Compiler of Options.
	Embedded fs.FS
	CacheDir string
	Compiler []string
	// State is the state directory of the daemon whose lock says what the operator's
	// modules were granted. Without one they all load, by modules.grants alone.
	State string
	// Compiling hears of each module that has to be compiled first, Report of what is
	// wrong with the cache. Nil drops it.
	Compiling func(file string)
	Report    func(error)
	// Swapping is that of catalog.Options; nil for none.
	Swapping func(ctx context.Context, next *catalog.Snapshot, files []string) []string
	// Log gets the modules' own warnings and errors. Nil drops them.
	Log *slog.Logger
}

func (h *Host) tools(o Options) Tools {
	return Tools{
		Swapping: h.swapping,
		Embedded: o.Modules, CacheDir: o.CacheDir, Compiler: o.Compiler,
		Compiling: h.compiling,
		Report:    func(err error) { o.Log.Warn("tool modules", "problem", err) },
		Log:       o.Log,
	}
}

// OpenCatalog loads the tool modules alone: those of the binary and those of
// the operator's directory. The runtime is closed after the catalogue is no longer
// used.
func OpenCatalog(ctx context.Context, t Tools, m config.Modules) (*sandbox.Runtime, *catalog.Catalog, error) {
	if t.State == "" {
		return openCatalog(ctx, t, m, nil)
	}
	return openCatalog(ctx, t, m, newPins(t.State, m))
}

// openCatalog loads what the pins admit; nil admits every file.
func openCatalog(ctx context.Context, t Tools, m config.Modules, p *pins) (*sandbox.Runtime, *catalog.Catalog, error) {
	// Each module has limits of its own; these are the most that any may have.
	most := sandbox.Limits{MemoryPages: sandbox.MaxMemoryPages}
	runtime, err := sandbox.New(ctx, sandbox.Config{
		CacheDir: t.CacheDir, Compiler: t.Compiler, Memory: m.MemoryMiB << 20, Limits: most, Logger: t.Log, Report: t.Report,
	})
	if err != nil {
		return nil, nil, err
	}
	given, limits := permissions(m)
	options := catalog.Options{
		Runtime: runtime, Embedded: t.Embedded, Dir: m.Dir, CacheDir: t.CacheDir, Grants: given, Limits: limits, Compiling: t.Compiling, Report: t.Report, Swapping: t.Swapping,
	}
	if p != nil {
		options.Pins, options.Unpinned = p.all, p.unpinned
	}
	c, err := catalog.Open(ctx, options)
	if err != nil {
		_ = runtime.Close(ctx) // the catalogue's error is the one to tell
		return nil, nil, err
	}
	return runtime, c, nil
}

// permissions are what modules may do and use, by their grants, and what those
// without one may use.
func permissions(m config.Modules) (map[string]catalog.Grant, sandbox.Limits) {
	grants := make(map[string]catalog.Grant, len(m.Grants))
	for name, g := range m.Grants {
		grants[name] = catalog.Grant{
			Names: g.Names, MayAllow: g.MayAllow, MayReadOnly: g.MayReadOnly, Config: g.Config, Limits: limits(m, g),
		}
	}
	return grants, limits(m, config.Grant{})
}

// limits are what a module may use, complete but for the fuel: where nobody set
// it, the catalogue knows how much.
func limits(m config.Modules, g config.Grant) sandbox.Limits {
	l := m.LimitsOf(g)
	l.Fuel = m.LimitsSet(g).Fuel
	return l
}

// ignored logs what a project's file may not say.
func (h *Host) ignored(problems []project.Problem) {
	for _, p := range problems {
		h.log.Warn("in a project's file", "problem", p.String())
	}
}

// checkExamples tries the rules of a configuration. unread, if not nil, hears of
// those for tools that no loaded module has, which are refused otherwise.
func (h *Host) checkExamples(ctx context.Context, c *config.Config, unread func(error)) error {
	tools := h.Catalog.Snapshot()
	defer tools.Release()
	return gate.Trial{Catalog: tools, Targets: &target.Resolver{FS: target.OS()}, Tried: h.tried, Unread: unread}.CheckExamples(ctx, c)
}

// Close ends the parts. What waits stays in the store.
func (h *Host) Close() error {
	var errs []error
	if h.Asks != nil {
		h.Asks.Close()
	}
	if h.hub != nil {
		h.hub.Close()
	}
	if h.runtime != nil {
		errs = append(errs, h.runtime.Close(context.Background()))
	}
	if h.Store != nil {
		errs = append(errs, h.Store.Close())
	}
	return errors.Join(errs...)
}
