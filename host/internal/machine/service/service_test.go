package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/boundary"
	"github.com/callgate/callgate/host/internal/machine/service"
	"github.com/callgate/callgate/host/internal/testkit/golden"
)

const managed = "/etc/claude-code/managed-settings.json"

func install(t *testing.T, o service.Options) service.Result {
	t.Helper()
	r, err := service.Install(t.Context(), o)
	if err != nil {
		t.Fatalf("install: %v\n%+v", err, r.Boundary)
	}
	return r
}

func TestInstallAtLevelB(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := install(t, w.options())
	if !r.Changed || r.Boundary.Level != boundary.B {
		t.Errorf("got changed %t, level %s", r.Changed, r.Boundary.Level)
	}
	want := []string{
		"useradd --system --user-group --home-dir /var/lib/callgate --no-create-home --shell /usr/sbin/nologin callgate",
		"systemctl daemon-reload", "systemctl enable --now callgate.service",
	}
	if !slices.Equal(w.ran, want) {
		t.Errorf("commands: got %q, want %q", w.ran, want)
	}
	for path, want := range map[string]string{
		"/usr/local/bin/callgate":              "the program",
		"/etc/callgate/callgate.yaml":          "agent_accounts:\n    - 1001 # alice\n  approver_accounts:\n    - 1002 # bob\n",
		"/etc/systemd/system/callgate.service": "User=callgate\n",
		"/etc/callgate/agents/alice.token":     strings.TrimSpace(token),
		managed:                                `"--daemon-uid",` + "\n              \"990\"",
		"/etc/callgate/service.json":           `"level": "B"`,
	} {
		if got := w.read(t, path); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %q in it", path, got, want)
		}
	}
	for path, want := range map[string]os.FileMode{
		"/etc/callgate/agents/alice.token": 0o400, "/var/lib/callgate": 0o700, "/etc/callgate/agents": 0o755, managed: 0o644,
		"/usr/local/bin/callgate": 0o755, "/etc/callgate/service.json": 0o600,
	} {
		if info, err := os.Stat(w.root + path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v; want mode %o", path, info, err, want)
		}
	}
	if got := w.owners[w.root+"/var/lib/callgate"]; got != 990 {
		t.Errorf("owner of the state: got %d, want 990", got)
	}

	// Again: nothing is changed, nothing run.
	before, ran := w.tree(t), len(w.ran)
	w.owners[w.root+"/etc/callgate/agents/alice.token"] = 1001 // as the file was given before it was moved there
	if again := install(t, w.options()); again.Changed {
		t.Errorf("again: got %+v", again.Actions)
	}
	sameTree(t, w.tree(t), before)
	if len(w.ran) != ran {
		t.Errorf("again: ran %q", w.ran[ran:])
	}

	// A new program restarts it.
	w.write(t, "/home/alice/callgate", "a newer program")
	install(t, w.options())
	if got := w.ran[len(w.ran)-1]; got != "systemctl restart callgate.service" {
		t.Errorf("newer program: got %q last", got)
	}
	s, err := service.Inspect(t.Context(), w.options())
	if err != nil || !s.Sound() {
		t.Errorf("status: got %+v, %v; want sound", s, err)
	}
}

// TestHookProgramAtLevelB: the managed hook starts the program for the hook alone, from where the
// agent cannot change it, and callgate itself once there is none.
func TestHookProgramAtLevelB(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "/home/alice/callgate-hook", "the hook")
	o := w.options()
	o.HookProgram = w.root + "/home/alice/callgate-hook"
	install(t, o)
	w.owners[w.root+"/etc/callgate/agents/alice.token"] = 1001 // as the file was given before it was moved there
	const copied = "/usr/local/bin/callgate-hook"
	if got := w.read(t, copied); got != "the hook" {
		t.Errorf("%s: got %q", copied, got)
	}
	if got := w.read(t, managed); !strings.Contains(got, `"`+copied+`"`) || strings.Contains(got, `bin/callgate"`) {
		t.Errorf("managed settings: got %s, want %s alone", got, copied)
	}
	if again := install(t, o); again.Changed {
		t.Errorf("again: got %+v", again.Actions)
	}
	s, err := service.Inspect(t.Context(), w.options())
	if err != nil || !s.Sound() {
		t.Errorf("status: got %+v, %v; want sound", s, err)
	}
	w.write(t, copied, "another hook")
	if s, err := service.Inspect(t.Context(), w.options()); err != nil || s.Sound() {
		t.Errorf("status of a changed program: got %+v, %v; want drift", s, err)
	}
	install(t, w.options())
	if got := w.read(t, managed); strings.Contains(got, copied) || !strings.Contains(got, `bin/callgate"`) {
		t.Errorf("without a hook program: got %s, want callgate", got)
	}
	if _, err := service.Uninstall(t.Context(), w.options()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.root + "/usr/local/bin/callgate"); !os.IsNotExist(err) {
		t.Errorf("callgate after an uninstall: %v", err)
	}
}

// TestT06_RefusesLevelB: nothing is changed where the agent could get around it.
func TestT06_RefusesLevelB(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*world){
		"docker": func(w *world) { w.write(t, "/etc/group", "alice:x:1001:\ndocker:x:998:alice\n") },
		"sudo": func(w *world) {
			w.write(t, "/etc/sudoers", "@includedir sudoers.d\n")
			w.write(t, "/etc/sudoers.d/a", "%alice ALL=(ALL) NOPASSWD: ALL\n")
		},
		"directory of the program": func(w *world) { w.owners[w.root+"/usr/local"] = 1001 },
		"configuration":            func(w *world) { w.write(t, "/etc/callgate/callgate.yaml", ""); w.owners[w.root+"/etc/callgate"] = 1001 },
		"drop-in of the unit": func(w *world) {
			w.write(t, "/etc/systemd/system/callgate.service.d/x.conf", "")
			w.owners[w.root+"/etc/systemd/system/callgate.service.d/x.conf"] = 1001
		},
		"capabilities": func(w *world) { w.write(t, "/etc/security/capability.conf", "cap_sys_ptrace alice\n") },
		"process with capabilities": func(w *world) {
			w.write(t, "/proc/77/status", "Uid:\t1001\t1001\t1001\t1001\nCapPrm:\t0000000000080000\n")
		},
		"approver's profile":          func(w *world) { w.write(t, "/home/bob/.profile", ""); w.owners[w.root+"/home/bob/.profile"] = 1001 },
		"an include that has no name": func(w *world) { w.write(t, "/etc/sudoers", "@include /etc/sudoers.%h\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			change(w)
			before := w.tree(t)
			r, err := service.Install(t.Context(), w.options())
			if !errors.Is(err, service.ErrBoundary) || len(r.Boundary.Reasons) == 0 {
				t.Errorf("got %v, %+v; want ErrBoundary with reasons", err, r.Boundary)
			}
			sameTree(t, w.tree(t), before)
			if len(w.ran) > 0 {
				t.Errorf("ran %q", w.ran)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	user := 1000
	for name, test := range map[string]struct {
		change func(*world, *service.Options)
		want   string
	}{
		"not root":          {func(_ *world, o *service.Options) { o.UID = &user }, "sudo"},
		"no agent":          {func(_ *world, o *service.Options) { o.Agent = "" }, "--agent-account"},
		"unknown agent":     {func(_ *world, o *service.Options) { o.Agent = "carol" }, "no such account"},
		"agent approves":    {func(_ *world, o *service.Options) { o.Approvers = []string{"alice"} }, "level B would not be effective"},
		"strange name":      {func(_ *world, o *service.Options) { o.Agent = "../x" }, "account name"},
		"no level":          {func(_ *world, o *service.Options) { o.Level = "" }, "want a or b"},
		"windows":           {func(_ *world, o *service.Options) { o.OS = "windows" }, "no supported service manager"},
		"no systemd":        {func(w *world, _ *service.Options) { w.has = nil }, "ExecStart="},
		"systemd is away":   {func(w *world, _ *service.Options) { w.fails = "systemctl show" }, "ExecStart="},
		"useradd not found": {func(w *world, _ *service.Options) { w.has = []string{"systemctl"} }, "useradd not found"},
		"another program":   {func(w *world, _ *service.Options) { w.write(t, "/usr/local/bin/callgate", "other") }, "move it away"},
		"hooks are off":     {func(w *world, _ *service.Options) { w.write(t, managed, `{"disableAllHooks": true}`) }, "switches hooks off"},
		"broken settings":   {func(w *world, _ *service.Options) { w.write(t, managed, `{`) }, managed},
		"its own config":    {func(w *world, _ *service.Options) { w.write(t, "/etc/callgate/callgate.yaml", "defaults: {}\n") }, "add these lines"},
		"relative program":  {func(_ *world, o *service.Options) { o.Binary = "callgate" }, "absolute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			o := w.options()
			test.change(w, &o)
			before := w.tree(t)
			if _, err := service.Install(t.Context(), o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			sameTree(t, w.tree(t), before)
		})
	}
}

// TestUndo: each failing command leaves everything as it was.
func TestUndo(t *testing.T) {
	t.Parallel()
	for _, fails := range []string{"useradd", "systemctl daemon-reload", "systemctl enable"} {
		t.Run(fails, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(t, managed, "{}\n")
			before := w.tree(t)
			w.fails = fails
			if _, err := service.Install(t.Context(), w.options()); err == nil || !strings.Contains(err.Error(), fails) {
				t.Errorf("got %v, want the command that failed", err)
			}
			sameTree(t, w.tree(t), before)
		})
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	for _, level := range []boundary.Level{boundary.A, boundary.B} {
		w := newWorld(t)
		o := w.options()
		if level == boundary.A {
			o = w.optionsA()
		}
		before := w.tree(t)
		r, err := service.Install(t.Context(), dry(o))
		if err != nil || !r.Changed {
			t.Fatalf("got %v, changed %t", err, r.Changed)
		}
		sameTree(t, w.tree(t), before)
		if len(w.ran) > 0 {
			t.Errorf("ran %q", w.ran)
		}
		if !slices.ContainsFunc(r.Actions, func(a service.Action) bool { return strings.Contains(a.Content, "ExecStart=") }) {
			t.Errorf("got %+v, want the unit's text", r.Actions)
		}
	}
}

func TestUninstall(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"no settings": "", "settings": "{\n  // theirs\n}\n", "others' hooks": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]},"model":"y"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if before != "" {
				w.write(t, managed, strings.ReplaceAll(before, "  // theirs\n", ""))
			}
			was := w.tree(t)
			install(t, w.options())
			if _, err := service.Uninstall(t.Context(), purging(w.options())); err != nil {
				t.Fatal(err)
			}
			sameTree(t, w.tree(t), was)
			if _, err := service.Uninstall(t.Context(), purging(w.options())); !errors.Is(err, service.ErrNotInstalled) {
				t.Errorf("again: got %v, want ErrNotInstalled", err)
			}
		})
	}
}

func TestUninstallKeepsWhatPeopleMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	install(t, w.options())
	w.write(t, managed, strings.Replace(w.read(t, managed), "{\n", "{\n  \"model\": \"mine\",\n", 1))
	w.write(t, "/etc/systemd/system/callgate.service", "changed")
	w.write(t, "/etc/callgate/modules/own.wasm", "x")
	w.write(t, "/var/lib/callgate/callgate.db", "rules")
	r, err := service.Uninstall(t.Context(), service.Options{Root: w.root, OS: "linux", System: w, Commands: w, Chown: w.chown})
	if err != nil {
		t.Fatalf("%v %+v", err, r)
	}
	if got := w.read(t, managed); !strings.Contains(got, "mine") || strings.Contains(got, "claude-code") {
		t.Errorf("settings: got %s, want theirs without ours", got)
	}
	for _, path := range []string{"/etc/systemd/system/callgate.service", "/etc/callgate/modules/own.wasm", "/var/lib/callgate/callgate.db", "/etc/callgate/callgate.yaml"} {
		w.read(t, path)
	}
	for _, path := range []string{"/etc/callgate/agents/alice.token", "/usr/local/bin/callgate"} {
		if _, err := os.Lstat(w.root + path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if w.active || !strings.Contains(w.read(t, "/etc/passwd"), "callgate") {
		t.Error("want the service stopped and the account kept")
	}

	// Kept files are known: installed again, a purge removes them.
	o := w.options()
	if _, err := service.Uninstall(t.Context(), o); !errors.Is(err, service.ErrNotInstalled) {
		t.Errorf("again: got %v, want ErrNotInstalled", err)
	}
	if s, err := service.Inspect(t.Context(), o); err != nil || s.Installed {
		t.Errorf("status: got %+v, %v; want not installed", s, err)
	}
	_ = os.Remove(w.root + "/etc/systemd/system/callgate.service") // the changed one
	o.Approvers = nil
	install(t, o)
	if _, err := service.Uninstall(t.Context(), purging(o)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(w.root + "/var/lib/callgate"); err == nil || strings.Contains(w.read(t, "/etc/passwd"), "callgate") {
		t.Error("after the purge, state or account are still there")
	}
}

// TestT06_Drift: later changes are reported, and the remaining level.
func TestT06_Drift(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*world)
		want   string
	}{
		"token gone":     {func(w *world) { _ = os.Remove(w.root + "/etc/callgate/agents/alice.token") }, "is missing"},
		"mode":           {func(w *world) { _ = os.Chmod(w.root+"/var/lib/callgate", 0o755) }, "has mode 0755"},
		"owner":          {func(w *world) { w.owners[w.root+managed] = 1002 }, "no longer belongs to root"},
		"program":        {func(w *world) { w.write(t, "/usr/local/bin/callgate", "other") }, "was changed"},
		"hook taken out": {func(w *world) { w.write(t, managed, "{}") }, "no longer contains the Callgate hook"},
		"account": {func(w *world) {
			_ = w.edit("/etc/passwd", "callgate:x:990:990::/var/lib/callgate:/usr/sbin/nologin\n", false)
		}, "no such account"},
		"a link for a file": {func(w *world) {
			_ = os.Remove(w.root + "/etc/systemd/system/callgate.service")
			_ = os.Symlink("/dev/null", w.root+"/etc/systemd/system/callgate.service")
		}, "another type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			install(t, w.options())
			test.change(w)
			s, err := service.Inspect(t.Context(), w.options())
			if err != nil || s.Sound() || !strings.Contains(strings.Join(s.Drift, "\n"), test.want) {
				t.Errorf("got %+v, %v; want %q", s, err, test.want)
			}
		})
	}
	w := newWorld(t)
	install(t, w.options())
	w.write(t, "/etc/group", "alice:x:1001:\nsudo:x:27:alice\n")
	if s, err := service.Inspect(t.Context(), w.options()); err != nil || s.Holds.Level != boundary.A || s.Sound() {
		t.Errorf("with sudo: got %+v, %v; want level A", s, err)
	}
}

func TestLevelA(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.tree(t)
	o := w.optionsA()
	install(t, o)
	if want := []string{"systemctl --user daemon-reload", "systemctl --user enable --now callgate.service"}; !slices.Equal(w.ran, want) {
		t.Errorf("got %q, want %q", w.ran, want)
	}
	unit := w.read(t, "/home/alice/.config/systemd/user/callgate.service")
	if !strings.Contains(unit, `ExecStart="/home/alice/callgate" serve --quiet`) || strings.Contains(unit, "MemoryDenyWriteExecute") {
		t.Errorf("unit: got %s", unit)
	}
	s, err := service.Inspect(t.Context(), o)
	if err != nil || !s.Installed || s.Level != boundary.A || s.Running != "active" || len(s.Drift) > 0 {
		t.Errorf("status: got %+v, %v", s, err)
	}
	if _, err := service.Uninstall(t.Context(), purging(o)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(w.root + "/home/alice/.config/systemd/user/callgate.service"); err == nil {
		t.Error("the unit is still there")
	}
	for path, text := range w.tree(t) {
		if before[path] != text && !strings.HasPrefix(text, "d") {
			t.Errorf("%s was left", path)
		}
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.image = true
	install(t, w.options())
	if last := w.ran[len(w.ran)-1]; last != "systemctl --root "+w.root+" enable callgate.service" {
		t.Errorf("got %q last", last)
	}
	if _, err := os.Lstat(filepath.Join(w.root, "etc/callgate/agents/alice.token")); err == nil {
		t.Error("got a token in an image, where no daemon has made one")
	}
}

func TestTokenOfAnotherKindIsNotGivenAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	install(t, w.options())
	secret := "cg_admin_0123456789012345678901234567890123456789012\n"
	if err := os.WriteFile(w.root+"/var/lib/callgate/agents/alice.token", []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Install(t.Context(), w.options()); err == nil || !strings.Contains(err.Error(), "no check token") {
		t.Errorf("got %v, want a refusal", err)
	}
	if got := w.read(t, "/etc/callgate/agents/alice.token"); got != token {
		t.Errorf("got %q", got)
	}
}

func TestLaunchd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.options()
	o.OS, o.Binary = "darwin", "/opt/a & b/callgate"
	text, err := service.Unit(o)
	if err != nil || !strings.Contains(text, "<string>_callgate</string>") || !strings.Contains(text, "<key>XDG_STATE_HOME</key><string>/var/db</string>") {
		t.Errorf("got %s, %v", text, err)
	}
	o = w.optionsA()
	o.OS, o.Binary = "darwin", "/opt/a & b/callgate"
	if text, err = service.Unit(o); err != nil || !strings.Contains(text, "<string>/opt/a &amp; b/callgate</string>") {
		t.Errorf("got %s, %v", text, err)
	}
}

// `make dist` puts this unit into the packages with their binary's place.
func TestPackageUnit(t *testing.T) {
	t.Parallel()
	o := newWorld(t).optionsA()
	o.Binary = "/usr/bin/callgate"
	unit, err := service.Unit(o)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "package-unit", unit)
}
