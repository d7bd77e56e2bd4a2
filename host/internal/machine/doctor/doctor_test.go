package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/boundary"
	"github.com/callgate/callgate/host/internal/machine/checkup"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/machine/service"
	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/store"
)

// TestHealthy: a set-up without faults has no bad finding, and each warning a
// fix.
func TestHealthy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	found := w.run()
	for _, f := range found {
		if f.State == finding.Error || f.State == finding.Warning && (f.Fix == "" || f.Check != "canary.switched_off") {
			t.Errorf("got %+v", f)
		}
	}
	if got := finding.Worst(found); got != finding.Warning {
		t.Errorf("worst: got %s, want warn: a project may switch the hook off", got)
	}
}

// TestCheckup: what the page Health of the console says of a daemon, doctor says in the same words, of
// a sound daemon and of one with troubles.
func TestCheckup(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(*world){
		"sound": func(*world) {},
		"troubles": func(w *world) {
			w.daemon.health.RefusedRules, w.daemon.health.ModuleProblems, w.daemon.health.Surfaces = []string{"r1"}, []string{"x.wasm: broken"}, nil
			w.daemon.unready = &protocol.Error{Status: http.StatusServiceUnavailable, Message: "not ready: store: read-only"}
			w.daemon.pin = pin.Status{Set: true, Locked: true, Why: "five wrong tries"}
			w.daemon.state = wire.ConfigState{Pending: "abc", File: "callgate.yaml"}
			w.daemon.modules.Problem, w.daemon.forged = "line 1", errors.New("the list of folders was changed")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install("sound", nil)
			trouble(w)
			all := w.run()
			for _, f := range checkup.Run(t.Context(), checkup.Subject{Daemon: w.daemon, Health: w.daemon.health, Now: w.o.Now()}) {
				if !slices.Contains(all, f) {
					t.Errorf("doctor does not say %+v", f)
				}
			}
		})
	}
}

// TestAtHome: in the home directory the project's file is the account's, and the hook in it
// stands there once. It was reported twice, with a fix to remove it.
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

// TestSharedFault: a fault of every entry, as without a token, is told once.
func TestSharedFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	found := w.run()
	for _, f := range found {
		if f.Check == "hook.entry" && f.State == finding.Passed {
			continue
		}
		if f.Check == "hook.entry" {
			t.Fatalf("a sound one: got %+v", f)
		}
	}
	w.install("sound", func(text string) string { return strings.ReplaceAll(text, "default.token", "gone.token") })
	var told []finding.Finding
	for _, f := range w.run() {
		if f.Check == "hook.entry" {
			told = append(told, f)
		}
	}
	if len(told) != 1 || told[0].State != finding.Error || !strings.Contains(told[0].Text, "and 4 more of Callgate's entries") {
		t.Errorf("got %+v, want one error for all entries", told)
	}
}

// TestProbes: the daemon's own last probe of a hook that does not judge is an error.
func TestProbes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	if f := find(t, w.run(), "hooks.probe"); f.State != finding.Skipped || !strings.Contains(f.Fix, "hooks.probe_every") {
		t.Errorf("without probes: got %+v", f)
	}
	w.daemon.hooks = wire.HookProbes{Every: "30m0s", Probes: []wire.HookProbe{{Client: "codex", State: "off", Text: "features off"}}}
	if f := find(t, w.run(), "hooks.probe"); f.State != finding.Error || !strings.Contains(f.Text, "codex: off") {
		t.Errorf("a hook that is off: got %+v", f)
	}
}

// TestNotInstalled: without a hook nothing is judged: an error.
func TestNotInstalled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	found := w.run()
	if f := find(t, found, "hook.installed"); f.State != finding.Error || !strings.Contains(f.Fix, "--install") {
		t.Errorf("got %+v, want bad, cured by --install", f)
	}
	if f := find(t, found, "canary"); f.State != finding.Skipped {
		t.Errorf("canaries: got %+v, want skipped", f)
	}
}

// TestFaults: each fault is found, by its check and with a fix.
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
		"one tool only":      {replace(`"matcher": "*"`, `"matcher": "Bash"`), "hook.entry", finding.Error, `matcher "Bash"`},
		"once":               {replace(`"type": "command"`, `"type": "command", "once": true`), "hook.entry", finding.Error, "once true"},
		"client gives up":    {replace(`"timeout": 3600`, `"timeout": 60`), "hook.entry", finding.Error, "stops it after 1m0s"},
		"client's default":   {replace(`"timeout": 3600,`, ``), "hook.entry", finding.Error, "stops it after 10m0s"},
		"another endpoint":   {replace("callgate.sock", "other.sock"), "hook.entry", finding.Warning, "the configuration says"},
		"no token":           {replace("default.token", "nobody.token"), "hook.entry", finding.Error, "nobody.token). Start it: callgate"},
		"no PostToolUse":     {replace(`"PostToolUse"`, `"Stop"`), "hook.installed", finding.Warning, "compared"},
		"malformed settings": {replace(`"hooks"`, `// "hooks"`), "settings.readable", finding.Error, "settings.json:2:3"},
		"binary gone":        {replace("bin/callgate", "gone/callgate"), "hook.entry", finding.Error, "cannot find the hook program"},
		"another hook": {func(w *world) {
			w.write(settings.ProjectFile(w.places.Project), `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./rewrite.sh"}]}]}}`)
		}, "hook.others", finding.Warning, "./rewrite.sh"},
		"plugins": {func(w *world) {
			w.write(settings.ProjectFile(w.places.Project), `{"enabledPlugins": {"x@y": true}}`)
		}, "hook.plugins", finding.Warning, "x@y"},
		"no daemon":      {func(w *world) { w.daemon.err = client.ErrNoDaemon }, "daemon.reachable", finding.Error, "the daemon is not running"},
		"not our daemon": {func(w *world) { w.daemon.err = fmt.Errorf("x: %w", client.ErrNotOurs) }, "daemon.reachable", finding.Error, "not the Callgate daemon"},
		"not ready": {func(w *world) {
			w.daemon.unready = &protocol.Error{Status: http.StatusServiceUnavailable, Message: "not ready: store: read-only"}
		}, "daemon.ready", finding.Error, "the daemon is not ready: store: read-only"},
		"older daemon":   {func(w *world) { w.daemon.health.Version = "v0" }, "daemon.version", finding.Warning, "v0"},
		"nobody watches": {func(w *world) { w.daemon.health.Surfaces = []string{"api"} }, "people.surfaces", finding.Warning, "No approver"},
		"audit changed": {func(w *world) {
			w.daemon.report = store.Report{Break: &store.Break{Seq: 3, What: "edited"}}
		}, "store.audit", finding.Error, "row 3: edited"},
		"another key": {func(w *world) {
			w.daemon.report = store.Report{Rows: 3, Tree: &store.TreeReport{Unsigned: "it is signed with another key"}}
		}, "store.audit", finding.Warning, "another key"},
		"module": {func(w *world) {
			w.daemon.tools = append(w.daemon.tools, wire.Tool{Name: "X", File: "x.wasm", Error: "trap"})
		}, "modules.usable", finding.Error, "x.wasm"},
		"clock behind audit": {func(w *world) { w.daemon.rows[0].Time = now.Add(time.Hour) }, "clock", finding.Error, "newest audit row"},
		"clock behind build": {func(w *world) { w.o.Built = now.Add(time.Hour) }, "clock", finding.Error, "before this program was built"},
		"configuration": {func(w *world) {
			w.o.CheckConfig = func(context.Context) ([]string, error) { return nil, errors.New("callgate.yaml:1:1: no") }
		}, "config.valid", finding.Error, "callgate.yaml:1:1"},
		"open state":   {mode("state", 0o755), "files.private", finding.Error, "0755"},
		"open token":   {mode("state/agents/default.token", 0o644), "files.private", finding.Error, "0644"},
		"open modules": {mode("config", 0o777), "files.private", finding.Error, "0777"},
		"level A": {func(w *world) {
			w.stand(service.Status{Holds: boundary.Report{Level: boundary.A, Reasons: []boundary.Finding{{Code: "same_account", What: "one account", Fix: "two"}}}})
		}, "boundary.same_account", finding.Warning, "one account"},
		"No level": {func(w *world) {
			w.o.Service = func(context.Context) (service.Status, error) { return service.Status{}, errors.New("who knows") }
		}, "boundary.level", finding.Error, "who knows"},
		"lost level": {func(w *world) {
			w.stand(service.Status{Installed: true, Level: boundary.B, Running: "active", Enabled: true, Holds: boundary.Report{Level: boundary.A}})
		}, "boundary.level", finding.Error, "is in effect"},
		"service stopped": {func(w *world) {
			w.stand(service.Status{Installed: true, Level: boundary.A, Running: "inactive", Holds: boundary.Report{Level: boundary.A}})
		}, "service", finding.Error, "inactive"},
		"drift": {func(w *world) {
			w.stand(service.Status{Drift: []string{"/etc/x is gone"}, Holds: boundary.Report{Level: boundary.A}})
		}, "service.drift", finding.Error, "/etc/x is gone"},
		"no PIN":         {func(w *world) { w.daemon.pin = pin.Status{} }, "people.pin", finding.Warning, "no approval is possible"},
		"PIN locked":     {func(w *world) { w.daemon.pin = pin.Status{Set: true, Locked: true} }, "people.pin", finding.Error, "locked"},
		"rules changed":  {func(w *world) { w.daemon.health.RefusedRules = []string{"r7"} }, "store.rules", finding.Error, "r7"},
		"module problem": {func(w *world) { w.daemon.health.ModuleProblems = []string{"y.wasm: no"} }, "modules.usable", finding.Error, "y.wasm"},
		"lock":           {func(w *world) { w.daemon.modules.Problem = "it is no lock" }, "modules.lock", finding.Error, "it is no lock"},
		"unpinned": {func(w *world) {
			w.daemon.modules.Modules = []wire.Module{{ModuleInfo: wire.ModuleInfo{File: "x.wasm", State: wire.ModuleDev}}}
		}, "modules.dev", finding.Warning, "x.wasm is in use but not pinned (modules"},
		"pinned for development": {func(w *world) {
			w.daemon.modules.Modules = []wire.Module{{ModuleInfo: wire.ModuleInfo{File: "x.wasm", State: wire.ModuleDev}, Granted: &wire.GrantedModule{Grant: wire.Grant{Dev: true}}}}
		}, "modules.dev", finding.Warning, "--dev"},
		"no page tracking": {func(w *world) { w.daemon.health.Sandbox = &wire.Sandbox{Kept: true, Apart: true} }, "sandbox.restore", finding.Warning, "slower"},
		"no compiled code": {func(w *world) { w.daemon.health.Sandbox = &wire.Sandbox{Tracking: true, Apart: true} }, "sandbox.cache", finding.Warning, "each start compiles"},
		"cache too small":  {func(w *world) { w.daemon.health.Sandbox.CacheMiB, w.daemon.health.Sandbox.CacheUsedMiB = 1024, 1100 }, "sandbox.cache", finding.Warning, "take 1100 MiB, but the cache keeps only 1024 MiB"},
		"compiled here":    {func(w *world) { w.daemon.health.Sandbox = &wire.Sandbox{Tracking: true, Kept: true} }, "sandbox.compiler", finding.Warning, "the daemon's own process"},
		"no memory left":   {func(w *world) { w.daemon.health.Sandbox.UsedMiB = 1000 }, "sandbox.memory", finding.Warning, "use 1000 of 1024 MiB"},
		"pending": {func(w *world) {
			w.daemon.state = wire.ConfigState{File: "c.yaml", Pending: "d", Widenings: make([]wire.PendingChange, 2)}
		}, "config.pending", finding.Warning, "2 changes in c.yaml"},
		"old configuration": {func(w *world) { w.daemon.state.Problem = "c.yaml:1:1: no" }, "config.pending", finding.Error, "c.yaml:1:1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install("sound", nil)
			c.spoil(w)
			f := find(t, w.run(), c.check)
			if f.State != c.state || !strings.Contains(f.Text, c.want) || f.Fix == "" {
				t.Errorf("got %+v, want %s %s with %q and a fix", f, c.state, c.check, c.want)
			}
		})
	}
}

// TestPinned: one pinned module is reported as one.
func TestPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	pinned := wire.Module{ModuleInfo: wire.ModuleInfo{File: "x.wasm"}, Granted: &wire.GrantedModule{}}
	w.daemon.modules = wire.ModuleList{Lock: "modules.lock"}
	for _, want := range []string{"no modules are pinned in modules.lock.", "1 module is pinned in modules.lock.", "2 modules are pinned in modules.lock."} {
		if f := find(t, w.run(), "modules.lock"); f.State != finding.Passed || f.Text != want {
			t.Errorf("got %+v, want %q", f, want)
		}
		w.daemon.modules.Modules = append(w.daemon.modules.Modules, pinned)
	}
}

// TestT08_OtherHooks: another hook in force is a warning naming it and its file, in any place;
// and so is a plugin, as it may bring one.
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
			if f.State != finding.Warning || !strings.Contains(f.Text, path) || !strings.Contains(f.Text, "/rewrite") || f.Fix == "" {
				t.Errorf("got %+v, want a warning that names %s", f, path)
			}
		})
	}
}

// TestAgentsAccount: an account with only the hook's token learns that the daemon answers, and
// the rest is skipped, not an error.
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
	for check, want := range map[string]finding.State{"daemon.reachable": finding.Passed, "store.audit": finding.Skipped, "config.pending": finding.Skipped, "people.surfaces": finding.Skipped} {
		if f := find(t, found, check); f.State != want {
			t.Errorf("%s: got %+v, want %s", check, f, want)
		}
	}
}
