package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/inventory"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/socket"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// agentAccount is the account of the agents.
const agentAccount = 4001

// probed is an account with a program and hooks, and a prober before it.
type probed struct {
	*prober
	t       *testing.T
	store   *store.Store
	program string
	at      time.Time
	// denied says whether the gate sees and denies canaries; alarms are the told states.
	denied bool
	alarms []string
}

func newProbed(t *testing.T, expected bool) *probed {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script of a POSIX shell")
	}
	p := &probed{t: t, denied: true, at: time.Unix(1_800_000_000, 0)}
	root := t.TempDir()
	p.store = storetest.Open(t, filepath.Join(root, "callgate.db"), store.Options{})
	p.program = filepath.Join(root, "callgate")
	p.script("echo no >&2; exit 2")
	p.prober = &prober{
		every: func() time.Duration { return time.Hour }, expected: expected,
		places: inventory.Places{Home: root}, programs: []string{p.program}, env: []string{"PATH=" + os.Getenv("PATH")},
		find: func(context.Context, string) (wire.Outcome, bool) { return wire.Denied, p.denied }, store: p.store,
		alarm: func(_ context.Context, h wire.HookProbe) { p.alarms = append(p.alarms, h.Client+" "+h.State) },
		log:   slog.New(slog.DiscardHandler), now: func() time.Time { return p.at }, since: p.at,
		accounts: []int{agentAccount}, came: make(chan wire.HookProbe, mostCanaries),
	}
	p.recall(t.Context())
	return p
}

func (p *probed) script(text string) {
	p.t.Helper()
	p.file(p.program, "#!/bin/sh\n"+text+"\n", 0o755)
}

func (p *probed) file(path, text string, mode os.FileMode) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p *probed) settings() string { return filepath.Join(p.places.Home, ".gemini", "settings.json") }

// install installs the hook of Gemini CLI.
func (p *probed) install() {
	p.t.Helper()
	p.file(p.settings(), "{}\n", 0o600)
	e := settings.Entry{Client: settings.GeminiCLI, Binary: p.program, Endpoint: "unix:/x", TokenFile: "/t", Timeout: time.Minute}
	if _, err := settings.InstallFile(p.settings(), settings.User, e, false); err != nil {
		p.t.Fatal(err)
	}
}

// state probes, and is the state of Gemini CLI.
func (p *probed) state() string {
	p.t.Helper()
	p.round(p.t.Context(), time.Hour)
	for _, one := range p.probes().Probes {
		if one.Client == "gemini-cli" {
			return one.State
		}
	}
	return ""
}

func (p *probed) events() (list []string) {
	p.t.Helper()
	for row, err := range p.store.Audit(p.t.Context(), store.Filter{}) {
		if err != nil {
			p.t.Fatal(err)
		}
		list = append([]string{string(row.Event)}, list...)
	}
	return list
}

// TestProbe: a hook goes through its states, and each change between judged and another one is
// audited and told once.
func TestProbe(t *testing.T) {
	t.Parallel()
	p := newProbed(t, false)
	if got := p.state(); got != "" {
		t.Errorf("no hook: got %q", got)
	}
	p.install()
	text, err := os.ReadFile(p.settings())
	if err != nil {
		t.Fatal(err)
	}
	evil := filepath.Join(p.places.Home, "ran")
	for _, step := range []struct {
		name, want string
		do         func()
	}{
		{"installed", "judged", func() {}},
		{"again", "judged", func() {}},
		{"the program lets every call run", "unjudged", func() { p.script(`printf %s '{"decision":"allow"}'`) }},
		{"the gate does not see it", "unseen", func() { p.denied = false; p.script("exit 1") }},
		{"mended", "judged", func() { p.denied = true }},
		{"switched off", "off", func() { p.file(p.settings(), `{"hooksConfig":{"enabled":false},`+string(text)[1:], 0o600) }},
		{"another line", "changed", func() {
			p.file(p.settings(), strings.Replace(string(text), "exit 2", "touch "+evil+"; exit 2", 1), 0o600)
		}},
		{"another program", "changed", func() {
			other := filepath.Join(p.places.Home, "other", "callgate")
			p.file(other, "#!/bin/sh\ntouch "+evil+"\n", 0o755)
			p.file(p.settings(), strings.ReplaceAll(string(text), p.program, other), 0o600)
		}},
		{"a file that everybody can write", "changed", func() { p.file(p.settings(), string(text), 0o666) }},
		{"gone", "gone", func() { p.file(p.settings(), "{}", 0o600) }},
		{"installed again", "judged", func() { p.file(p.settings(), string(text), 0o600) }},
	} {
		step.do()
		if got := p.state(); got != step.want {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
	if _, err := os.Stat(evil); err == nil {
		t.Error("a line or a program was started that Callgate did not write")
	}
	want := "gemini-cli unjudged, gemini-cli judged, gemini-cli off, gemini-cli judged"
	if got := strings.Join(p.alarms, ", "); got != want {
		t.Errorf("told: got %s, want %s", got, want)
	}
	want = "hook_judged hook_unjudged hook_judged hook_unjudged hook_judged"
	if got := strings.Join(p.events(), " "); got != want {
		t.Errorf("audit: got %s, want %s", got, want)
	}
}

// TestProbe_restart: a hook that vanished while no daemon ran is missed; after another start a
// person has been told.
func TestProbe_restart(t *testing.T) {
	t.Parallel()
	p := newProbed(t, false)
	p.install()
	p.state()
	p.file(p.settings(), "{}", 0o600)
	p.recall(t.Context())
	if got := p.state(); got != "gone" {
		t.Errorf("after a restart: got %q, want gone", got)
	}
	p.recall(t.Context())
	if got := p.state(); got != "" {
		t.Errorf("after another one: got %q, want nothing", got)
	}
}

// TestProbe_noToken: a hook without a token file names no agent, and its canary writes to the state
// directory.
func TestProbe_noToken(t *testing.T) {
	t.Parallel()
	p := newProbed(t, false)
	p.stateDir = filepath.Join(p.places.Home, "state")
	wrote := filepath.Join(p.places.Home, "wrote")
	p.script("cat >" + wrote + "; echo no >&2; exit 2")
	client, _ := canary.Find(settings.GeminiCLI)
	p.file(p.settings(), "{}\n", 0o600)
	h := settings.Hook{Event: "BeforeTool", Type: "command", Exec: true, Command: p.program, Args: []string{"hook", "gemini-cli"}, File: p.settings()}
	got, ok := p.look(t.Context(), inventory.State{Client: string(client.Word), Place: "user", File: h.File, Hook: h})
	if !ok || got.State != "judged" || got.Agent != "" {
		t.Errorf("got %+v, %t", got, ok)
	}
	if text, err := os.ReadFile(wrote); err != nil || !strings.Contains(string(text), p.stateDir) {
		t.Errorf("the canary: got %q, %v", text, err)
	}
}

// TestProbe_environment: a hook gets none of the daemon's secrets.
func TestProbe_environment(t *testing.T) {
	t.Parallel()
	p := newProbed(t, false)
	p.env = hookEnv(func(name string) (string, bool) { return "v", name == "HOME" || name == "OTEL_EXPORTER_OTLP_HEADERS" })
	if len(p.env) != 1 || p.env[0] != "HOME=v" {
		t.Errorf("got %q", p.env)
	}
}

// TestProbe_otherAccount: where agents have an account of their own, no line of their files is
// started; the daemon waits for canaries, and tells when they stop.
func TestProbe_otherAccount(t *testing.T) {
	t.Parallel()
	p := newProbed(t, true)
	ran := filepath.Join(p.places.Home, "ran")
	p.script("touch " + ran + "; echo no >&2; exit 2")
	p.install()
	step := func(after time.Duration, want string) {
		t.Helper()
		p.at = p.at.Add(after)
		p.round(t.Context(), time.Hour)
		var got []string
		for _, one := range p.probes().Probes {
			got = append(got, one.Client+" "+one.State)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("after %s: got %q, want %q", after, text, want)
		}
	}
	client, _ := canary.Find(settings.GeminiCLI)
	saw := func() {
		session := client.Session()
		c, ok := canary.ClientOf(session)
		if !ok {
			t.Fatal(session)
		}
		for range mostCanaries + 1 { // it does not wait for a place
			p.saw(socket.Peer{Known: true, UID: agentAccount}, string(c.Word), "default", session)
		}
		for range mostCanaries {
			p.noteCanary(t.Context(), <-p.came)
		}
	}
	step(2*time.Hour, "")
	step(time.Second, "any silent")
	saw()
	step(2*time.Hour, "gemini-cli judged")
	step(time.Second, "gemini-cli silent")
	step(9*time.Hour, "gemini-cli silent")
	for _, other := range []socket.Peer{{}, {UID: agentAccount}, {Known: true, UID: agentAccount + 1}, {Known: true}} {
		p.saw(other, "gemini-cli", "default", client.Session())
	}
	if len(p.came) > 0 {
		t.Error("a canary counted that came from elsewhere than an agent's account")
	}
	saw()
	step(time.Hour, "gemini-cli judged")
	if want, got := "any silent, gemini-cli silent, gemini-cli judged", strings.Join(p.alarms, ", "); got != want {
		t.Errorf("told: got %s, want %s", got, want)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the hook of another account was started")
	}
}
