package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/boundary"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/doctor"
	"github.com/callgate/callgate/host/finding"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/service"
	"github.com/callgate/callgate/host/store"
)

// TestHealthy: a set-up without faults has no bad finding, and each warning a
// cure.
func TestHealthy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	found := w.run()
	for _, f := range found {
		if f.State == finding.Bad || f.State == finding.Warn && (f.Cure == "" || f.Check != "canary.switched_off") {
			t.Errorf("got %+v", f)
		}
	}
	if got := finding.Worst(found); got != finding.Warn {
		t.Errorf("worst: got %s, want warn: a project may switch the hook off", got)
	}
}

// TestAtHome: in the home directory the project's file is the account's, and the hook in
// it stands there once. It was told to be there twice, with a cure that removes it.
func TestAtHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.places.Project = w.places.Home
	w.install("sound", nil)
	for _, f := range w.run() {
		if f.Check == "hook.installed" {
			t.Errorf("got %+v, want nothing to complain of", f)
		}
	}
}

// TestNotInstalled: without a hook nothing is judged, and that is bad.
func TestNotInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	found := w.run()
	if f := find(t, found, "hook.installed"); f.State != finding.Bad || !strings.Contains(f.Cure, "--install") {
		t.Errorf("got %+v, want bad, cured by --install", f)
	}
	if f := find(t, found, "canary"); f.State != finding.Skipped {
		t.Errorf("canaries: got %+v, want skipped", f)
	}
}

// TestFaults: each fault is found, by its check and with a cure.
func TestFaults(t *testing.T) {
	t.Parallel()
	replace := func(from, to string) func(*world) {
		return func(w *world) {
			w.install("sound", func(text string) string { return strings.ReplaceAll(text, from, to) })
		}
	}
	mode := func(path string, mode os.FileMode) func(*world) {
		return func(w *world) {
			if err := os.Chmod(filepath.Join(w.root, path), mode); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	cases := map[string]struct {
		spoil func(*world)
		check string
		state finding.State
		want  string
	}{
		"one tool only":      {replace(`"matcher": "*"`, `"matcher": "Bash"`), "hook.entry", finding.Bad, `matcher "Bash"`},
		"once":               {replace(`"type": "command"`, `"type": "command", "once": true`), "hook.entry", finding.Bad, "once true"},
		"client gives up":    {replace(`"timeout": 3600`, `"timeout": 60`), "hook.entry", finding.Bad, "gives it up after 1m0s"},
		"client's default":   {replace(`"timeout": 3600,`, ``), "hook.entry", finding.Bad, "gives it up after 10m0s"},
		"another endpoint":   {replace("callgate.sock", "other.sock"), "hook.entry", finding.Warn, "the configuration says"},
		"no token":           {replace("default.token", "nobody.token"), "hook.entry", finding.Bad, "nobody.token: there is none"},
		"no PostToolUse":     {replace(`"PostToolUse"`, `"Stop"`), "hook.installed", finding.Warn, "compared"},
		"malformed settings": {replace(`"hooks"`, `// "hooks"`), "settings.readable", finding.Bad, "settings.json:2:3"},
		"binary gone":        {replace("bin/callgate", "gone/callgate"), "hook.entry", finding.Bad, "not there"},
		"another hook": {func(w *world) {
			w.write(settings.ProjectFile(w.places.Project), `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./rewrite.sh"}]}]}}`)
		}, "hook.others", finding.Warn, "./rewrite.sh"},
		"plugins": {func(w *world) {
			w.write(settings.ProjectFile(w.places.Project), `{"enabledPlugins": {"x@y": true}}`)
		}, "hook.plugins", finding.Warn, "x@y"},
		"no daemon":      {func(w *world) { w.daemon.err = api.ErrNoDaemon }, "daemon.reachable", finding.Bad, "no daemon is running"},
		"not our daemon": {func(w *world) { w.daemon.err = fmt.Errorf("x: %w", api.ErrNotOurs) }, "daemon.reachable", finding.Bad, "prove"},
		"older daemon":   {func(w *world) { w.daemon.health.Version = "v0" }, "daemon.version", finding.Warn, "v0"},
		"nobody watches": {func(w *world) { w.daemon.health.Surfaces = []string{"api"} }, "people.surfaces", finding.Warn, "nobody"},
		"audit changed": {func(w *world) {
			w.daemon.report = store.Report{Break: &store.Break{Seq: 3, What: "edited"}}
		}, "store.audit", finding.Bad, "row 3: edited"},
		"module": {func(w *world) {
			w.daemon.tools = append(w.daemon.tools, catalog.Info{Name: "X", File: "x.wasm", Error: "trap"})
		}, "modules.usable", finding.Bad, "x.wasm"},
		"clock behind audit": {func(w *world) { w.daemon.rows[0].Time = now.Add(time.Hour) }, "clock", finding.Bad, "newest audit row"},
		"clock behind build": {func(w *world) { w.o.Built = now.Add(time.Hour) }, "clock", finding.Bad, "before this program was made"},
		"configuration": {func(w *world) {
			w.o.CheckConfig = func(context.Context) ([]string, error) { return nil, errors.New("callgate.yaml:1:1: no") }
		}, "config.valid", finding.Bad, "callgate.yaml:1:1"},
		"open state":   {mode("state", 0o755), "files.private", finding.Bad, "0755"},
		"open token":   {mode("state/agents/default.token", 0o644), "files.private", finding.Bad, "0644"},
		"open modules": {mode("config", 0o777), "files.private", finding.Bad, "0777"},
		"level A": {func(w *world) {
			w.stand(service.Status{Holds: boundary.Report{Level: boundary.A, Reasons: []boundary.Finding{{Code: "same_account", What: "one account", Cure: "two"}}}})
		}, "boundary.same_account", finding.Warn, "one account"},
		"no level": {func(w *world) {
			w.o.Service = func(context.Context) (service.Status, error) { return service.Status{}, errors.New("who knows") }
		}, "boundary.level", finding.Bad, "who knows"},
		"lost level": {func(w *world) {
			w.stand(service.Status{Installed: true, Level: boundary.B, Running: "active", Enabled: true, Holds: boundary.Report{Level: boundary.A}})
		}, "boundary.level", finding.Bad, "does not hold"},
		"service stopped": {func(w *world) {
			w.stand(service.Status{Installed: true, Level: boundary.A, Running: "inactive", Holds: boundary.Report{Level: boundary.A}})
		}, "service", finding.Bad, "inactive"},
		"drift": {func(w *world) {
			w.stand(service.Status{Drift: []string{"/etc/x is gone"}, Holds: boundary.Report{Level: boundary.A}})
		}, "service.drift", finding.Bad, "/etc/x is gone"},
		"no PIN":         {func(w *world) { w.daemon.pin = presence.Status{} }, "people.pin", finding.Warn, "nobody can approve"},
		"PIN locked":     {func(w *world) { w.daemon.pin = presence.Status{Set: true, Locked: true} }, "people.pin", finding.Bad, "locked"},
		"rules changed":  {func(w *world) { w.daemon.health.RefusedRules = []string{"r7"} }, "store.rules", finding.Bad, "r7"},
		"module problem": {func(w *world) { w.daemon.health.ModuleProblems = []string{"y.wasm: no"} }, "modules.usable", finding.Bad, "y.wasm"},
		"lock":           {func(w *world) { w.daemon.modules.Problem = "it is no lock" }, "modules.lock", finding.Bad, "it is no lock"},
		"unpinned": {func(w *world) {
			w.daemon.modules.Modules = []modules.Module{{ModuleInfo: catalog.ModuleInfo{File: "x.wasm", State: catalog.Dev}}}
		}, "modules.dev", finding.Warn, "x.wasm is in use and nobody pinned it"},
		"pinned for development": {func(w *world) {
			w.daemon.modules.Modules = []modules.Module{{ModuleInfo: catalog.ModuleInfo{File: "x.wasm", State: catalog.Dev}, Granted: &pin.Granted{Grant: pin.Grant{Dev: true}}}}
		}, "modules.dev", finding.Warn, "--dev"},
		"no page tracking": {func(w *world) { w.daemon.health.Sandbox = &sandbox.Features{Kept: true, Apart: true} }, "sandbox.restore", finding.Warn, "slower"},
		"no compiled code": {func(w *world) { w.daemon.health.Sandbox = &sandbox.Features{Tracking: true, Apart: true} }, "sandbox.cache", finding.Warn, "each start compiles"},
		"compiled here":    {func(w *world) { w.daemon.health.Sandbox = &sandbox.Features{Tracking: true, Kept: true} }, "sandbox.compiler", finding.Warn, "the daemon's own process"},
		"no memory left":   {func(w *world) { w.daemon.health.Sandbox.UsedMiB = 1000 }, "sandbox.memory", finding.Warn, "1000 MiB of memory, of 1024"},
		"pending": {func(w *world) {
			w.daemon.state = config.State{File: "c.yaml", Pending: "d", Widenings: make([]config.Widening, 2)}
		}, "config.pending", finding.Warn, "2 changes of c.yaml"},
		"old configuration": {func(w *world) { w.daemon.state.Problem = "c.yaml:1:1: no" }, "config.pending", finding.Bad, "c.yaml:1:1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install("sound", nil)
			c.spoil(w)
			f := find(t, w.run(), c.check)
			if f.State != c.state || !strings.Contains(f.Text, c.want) || f.Cure == "" {
				t.Errorf("got %+v, want %s %s with %q and a cure", f, c.state, c.check, c.want)
			}
		})
	}
}

// TestPinned: one pinned module is told as one.
func TestPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	pinned := modules.Module{ModuleInfo: catalog.ModuleInfo{File: "x.wasm"}, Granted: &pin.Granted{}}
	w.daemon.modules = modules.List{Lock: "modules.lock"}
	for _, want := range []string{"no module is pinned in modules.lock", "1 module is pinned in modules.lock", "2 modules are pinned in modules.lock"} {
		if f := find(t, w.run(), "modules.lock"); f.State != finding.OK || f.Text != want {
			t.Errorf("got %+v, want %q", f, want)
		}
		w.daemon.modules.Modules = append(w.daemon.modules.Modules, pinned)
	}
}

// TestT08_OtherHooks: another hook in force is a warning that names it and its
// file, wherever it is; and so is a plugin, which may bring one.
func TestT08_OtherHooks(t *testing.T) {
	t.Parallel()
	const other = `{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:1/rewrite"}]}]}}`
	for name, file := range map[string]func(settings.Places) string{
		"managed": func(p settings.Places) string { return p.Managed },
		"project": func(p settings.Places) string { return settings.ProjectFile(p.Project) },
		"local":   func(p settings.Places) string { return settings.LocalFile(p.Project) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install("sound", nil)
			path := file(w.places)
			w.write(path, other)
			f := find(t, w.run(), "hook.others")
			if f.State != finding.Warn || !strings.Contains(f.Text, path) || !strings.Contains(f.Text, "/rewrite") || f.Cure == "" {
				t.Errorf("got %+v, want a warning that names %s", f, path)
			}
		})
	}
}

// TestAgentsAccount: an account that has only the hook's token hears that the
// daemon answers, and what it is not told is skipped, not bad.
func TestAgentsAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	w.o.Connect = func() (doctor.Daemon, error) { return nil, errors.New("admin.token: there is none") }
	w.o.ConnectHook = func(h settings.Hook) (doctor.Daemon, error) {
		if endpoint, _ := h.Flag("endpoint"); endpoint != w.entry.Endpoint {
			t.Errorf("endpoint: got %s, want %s", endpoint, w.entry.Endpoint)
		}
		return w.daemon, nil
	}
	found := w.run()
	for check, want := range map[string]finding.State{"daemon.reachable": finding.OK, "store.audit": finding.Skipped, "config.pending": finding.Skipped, "people.surfaces": finding.Skipped} {
		if f := find(t, found, check); f.State != want {
			t.Errorf("%s: got %+v, want %s", check, f, want)
		}
	}
}
