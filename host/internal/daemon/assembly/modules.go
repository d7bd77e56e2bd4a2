package assembly

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// Messages of the log that a terminal shows in another form.
const (
	LogCompiling = "compiling a tool module (first run only)"
	LogReady     = "all tool modules are ready"
)

// logModule is the message of a changed module file; its outcome says what became of it.
const logModule = "change of a tool module"

// Tools say where tool modules come from, and how they are compiled.
type Tools struct {
	// Embedded, CacheDir and Compiler are Modules, CacheDir and Compiler of Options.
	Embedded fs.FS
	CacheDir string
	Compiler []string
	// State is the daemon's state directory with the lock of permissions for the operator's
	// modules. Without one they all load, by modules.grants alone.
	State string
	// Compiling receives each module to compile first, Report problems with the cache. Nil drops
	// it.
	Compiling func(file string)
	Report    func(error)
	// Log gets the modules' own warnings and errors. Nil drops them.
	Log *slog.Logger
}

func (h *Host) tools(o Options) Tools {
	return Tools{
		Embedded: o.Modules, CacheDir: o.CacheDir, Compiler: o.Compiler, State: o.Config.Dirs().State, Log: o.Log,
		Compiling: func(file string) {
			h.compiling(file)
			if o.Compiling != nil {
				o.Compiling(file)
			}
		},
		Report: func(err error) { o.Log.Warn("in the tool modules", "error", err) },
	}
}

// OpenCatalog loads the tool modules alone: those of the binary and those of
// the operator's directory. The runtime is closed after the catalogue is no longer
// used.
func OpenCatalog(ctx context.Context, t Tools, m config.Modules) (*sandbox.Runtime, *modules.Catalog, error) {
	return openCatalog(ctx, t, m, modules.Options{})
}

// openCatalog is OpenCatalog with a daemon's additions.
func openCatalog(ctx context.Context, t Tools, m config.Modules, o modules.Options) (*sandbox.Runtime, *modules.Catalog, error) {
	// Each module has limits of its own; these are the highest possible.
	most := sandbox.Limits{MemoryPages: sandbox.MaxMemoryPages}
	runtime, err := sandbox.New(ctx, sandbox.Config{
		CacheDir: t.CacheDir, Compiler: t.Compiler, Memory: m.MemoryMiB << 20, Limits: most, Logger: t.Log, Report: t.Report,
	})
	if err != nil {
		return nil, nil, err
	}
	o.Runtime, o.Embedded, o.Dir, o.State, o.CacheDir = runtime, t.Embedded, m.Dir, t.State, t.CacheDir
	o.Settings, o.Compiling, o.Report = moduleSettings(m), t.Compiling, t.Report
	c, err := modules.Open(ctx, o)
	if err != nil {
		_ = runtime.Close(ctx) // the catalogue's error is the one to tell
		return nil, nil, err
	}
	return runtime, c, nil
}

// moduleSettings are a configuration's settings of modules. Their limits are complete but for the
// fuel: without a setting, the catalogue knows how much.
func moduleSettings(m config.Modules) modules.Settings {
	s := modules.Settings{Grants: make(map[string]modules.Rights, len(m.Grants)), Limits: m.LimitsOf(config.Grant{}), Signatures: m.Signatures(), Unpinned: m.Unpinned()}
	s.Limits.Fuel = m.LimitsSet(config.Grant{}).Fuel
	for name, g := range m.Grants {
		s.Grants[name] = modules.Rights{
			Names: g.Names, MayAllow: g.MayAllow, MayReadOnly: g.MayReadOnly, Config: g.Config, Limits: config.Modules{}.LimitsSet(g),
		}
	}
	return s
}

// GrantAdvice lists entries in modules.grants without effect on pinned modules: their permissions
// were set when they were added.
func GrantAdvice(c *config.Config) (out []string) {
	loaded, err := (modules.Place{Modules: c.Modules.Dir, State: c.Dirs().State}).Load()
	if err != nil {
		return []string{err.Error()}
	}
	idle := map[string]string{}
	for _, e := range loaded.Entries {
		key, g, _ := modules.GrantOf(c.Modules.Grants, e.File, e.Name)
		if g.Names != nil || g.MayAllow || g.MayReadOnly {
			idle[key] = e.File
		}
	}
	for _, key := range slices.Sorted(maps.Keys(idle)) {
		out = append(out, fmt.Sprintf("modules.grants.%s: names, may_allow and may_read_only are ignored: %s is pinned, so the grant from callgate tool add applies; remove them (config and limits apply)", key, idle[key]))
	}
	return out
}

// swapping tests the stored rules on a module before its swap.
func (h *Host) swapping(ctx context.Context, next *modules.Snapshot, files []string) []string {
	if h.Gate.Gate == nil { // nothing is decided yet
		return nil
	}
	if next.TestOnly() {
		return h.Gate.TryStored(ctx, next, files)
	}
	return h.Gate.Swapping(ctx, next, files)
}

// SwapListener receives changes of tool modules. It must not block.
type SwapListener interface {
	// Compiling receives a file before its compilation, because it takes seconds.
	Compiling(file string)
	// Swapped receives each outcome with swaps.
	Swapped(o modules.Outcome)
}

// Swaps sets one listener for changes of tool modules.
func (h *Host) Swaps(l SwapListener) { h.swaps.Store(&l) }

func (h *Host) compiling(file string) {
	h.log.Info(LogCompiling, "module", file)
	if l := h.swaps.Load(); l != nil {
		(*l).Compiling(file)
	}
}

// WatchModules swaps tool modules as their files change, until ctx ends.
func (h *Host) WatchModules(ctx context.Context) error {
	trying := 0
	for _, m := range h.Catalog.Modules() {
		if m.State == wire.ModuleTrying {
			trying++
			h.log.Info("tool module is being compiled and tested; calls of its tools fail until then", "module", m.File)
		}
	}
	h.allTried(trying)
	return h.Catalog.Watch(ctx, func(o modules.Outcome) {
		h.swapped(o)
		if trying > 0 {
			trying = o.Trying
			h.allTried(trying)
		}
	})
}

// allTried logs that all modules of the start have been tested.
func (h *Host) allTried(trying int) {
	if trying == 0 {
		h.log.Info(LogReady)
	}
}

// swapped logs the outcome for the modules, one line for each, and passes it on.
func (h *Host) swapped(o modules.Outcome) {
	if len(o.Swaps) == 0 {
		return
	}
	for _, s := range o.Swaps {
		level := slog.LevelInfo
		switch {
		case s.What == wire.SwapRefused || s.What == wire.SwapKept:
			level = slog.LevelError
		case len(s.Suspended) > 0 || s.Why != "":
			level = slog.LevelWarn
		}
		h.log.Log(context.Background(), level, logModule,
			"outcome", string(s.What), "module", s.File, "name", strings.TrimSpace(s.Module+" "+s.Version), "was", short(s.Was), "is", short(s.Is),
			"compiled", s.Compiled.Round(time.Millisecond), "tried", s.Tried.Round(time.Millisecond),
			"suspended_rules", s.Suspended, "found", short(s.Found), "error", s.Why)
	}
	if l := h.swaps.Load(); l != nil {
		(*l).Swapped(o)
	}
}

// short is the begin of a digest, enough to tell modules apart.
func short(digest string) string { return digest[:min(12, len(digest))] }
