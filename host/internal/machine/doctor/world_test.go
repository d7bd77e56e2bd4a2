package doctor_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/boundary"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/machine/service"
	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/store"
)

// world is an account with a hook installed and an answering daemon.
type world struct {
	t      *testing.T
	root   string
	places settings.Places
	entry  settings.Entry
	daemon fakeDaemon
	o      doctor.Options
}

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake hook talks over a unix socket")
	}
	root, err := os.MkdirTemp("", "dr") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) }) // the temporary directory is swept anyhow
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	w := &world{t: t, root: root, places: settings.Places{
		Managed: at("etc", "managed-settings.json"), Home: at("home"), Project: at("home", "shop"),
	}}
	dirs := config.Dirs{Home: at("home"), Config: at("config"), State: at("state"), Cache: at("cache")}
	for _, dir := range []string{w.places.Project, at("bin"), dirs.Config, filepath.Join(dirs.State, "agents"), dirs.Cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, at("bin", "callgate")); err != nil {
		t.Fatal(err)
	}
	w.entry = settings.Entry{
		Binary: at("bin", "callgate"), Endpoint: "unix:" + at("state", "callgate.sock"),
		TokenFile: at("state", "agents", "default.token"), Timeout: time.Hour,
	}
	w.write(w.entry.TokenFile, "cg_check_"+strings.Repeat("A", 43)+"\n")
	w.serve(at("state", "callgate.sock"))
	w.daemon = fakeDaemon{
		health: protocol.Health{Status: "ok", Version: "v1", StartedAt: now, Surfaces: []string{"api", "terminal"}, Sandbox: &wire.Sandbox{Tracking: true, Kept: true, Apart: true, MemoryMiB: 1024, UsedMiB: 60}},
		tools:  []wire.Tool{{Name: "Bash"}},
		pin:    pin.Status{Set: true},
		rows:   []store.Row{{Time: now.Add(-time.Minute)}}, report: store.Report{Rows: 7},
	}
	w.o = doctor.Options{
		Binary: w.entry.Binary, Version: "v1", Built: now.Add(-time.Hour), Dirs: dirs, Config: config.Default(dirs),
		CheckConfig: func(context.Context) ([]string, error) { return nil, nil },
		Connect:     func() (doctor.Daemon, error) { return w.daemon, w.daemon.err },
		Service: func(context.Context) (service.Status, error) {
			return service.Status{Installed: true, Level: boundary.B, Holds: boundary.Report{Level: boundary.B}, Running: "active", Enabled: true}, nil
		},
		Now: func() time.Time { return now }, Slow: 2 * time.Second,
	}
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// serve is a daemon denying every call.
func (w *world) serve(path string) {
	w.t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = l.Close() }) // nothing was stored
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, err = conn.Write([]byte("denied\n"))
			_ = errors.Join(err, conn.Close()) // the hook may be gone
		}
	}()
}

// install installs the hook with a character, and lets change spoil the text.
func (w *world) install(kind string, change func(string) string) {
	w.t.Helper()
	c, err := settings.Install("settings.json", nil, w.entry)
	if err != nil {
		w.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(c.Text), `"claude-code",`, `"claude-code", "`+character+`", "`+kind+`",`)
	if change != nil {
		text = change(text)
	}
	w.write(w.places.UserFile(), text)
}

// run returns the findings of a run, without those about the test's own program: with cgo it
// has a dynamic linker.
func (w *world) run() []finding.Finding {
	w.t.Helper()
	w.o.Settings = settings.Read(w.places)
	return slices.DeleteFunc(doctor.Run(w.t.Context(), w.o), func(f finding.Finding) bool { return f.Check == "hook.preload" })
}

// stand sets the service's state.
func (w *world) stand(s service.Status) {
	w.o.Service = func(context.Context) (service.Status, error) { return s, nil }
}

// find returns the worst finding of a check.
func find(t *testing.T, found []finding.Finding, check string) finding.Finding {
	t.Helper()
	var worst *finding.Finding
	for i, f := range found {
		if f.Check == check && (worst == nil || rank(f.State) > rank(worst.State)) {
			worst = &found[i]
		}
	}
	if worst == nil {
		t.Fatalf("no finding %s in %+v", check, found)
	}
	return *worst
}

func rank(s finding.State) int {
	return slices.Index([]finding.State{finding.Passed, finding.Skipped, finding.Warning, finding.Error}, s)
}

// fakeDaemon returns its canned values.
type fakeDaemon struct {
	modules wire.ModuleList
	folders []wire.Folder
	forged  error
	health  protocol.Health
	tools   []wire.Tool
	rows    []store.Row
	report  store.Report
	pin     pin.Status
	state   wire.ConfigState
	hooks   wire.HookProbes
	idle    bool // has judged nothing
	err     error
	unready error
}

func (d fakeDaemon) Health(context.Context) (protocol.Health, error)   { return d.health, d.err }
func (d fakeDaemon) Ready(context.Context) error                       { return d.unready }
func (d fakeDaemon) Hooks(context.Context) (wire.HookProbes, error)    { return d.hooks, nil }
func (d fakeDaemon) Tools(context.Context) ([]wire.Tool, error)        { return d.tools, nil }
func (d fakeDaemon) VerifyAudit(context.Context) (store.Report, error) { return d.report, nil }
func (d fakeDaemon) Audit(_ context.Context, f store.Filter) (view.AuditPage, error) {
	if f.Session != "" && d.idle {
		return view.AuditPage{}, nil
	}
	return view.AuditPage{Rows: d.rows}, nil
}

func (d fakeDaemon) Presence(context.Context) (view.Presence, error) {
	return view.Presence{Status: d.pin}, nil
}

func (d fakeDaemon) Folders(context.Context, string) ([]wire.Folder, error) {
	return d.folders, d.forged
}
func (d fakeDaemon) Modules(context.Context) (wire.ModuleList, error)      { return d.modules, nil }
func (d fakeDaemon) ConfigState(context.Context) (wire.ConfigState, error) { return d.state, nil }
