package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/inventory"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/machine/socket"
	"github.com/callgate/callgate/host/wire"
)

// The states of a probe beside those of canary.
const (
	stateOff     = "off"
	stateGone    = "gone"
	stateChanged = "changed"
	stateSilent  = "silent"
)

// anyClient stands for the client when no canary ever came.
const anyClient = "any"

// probeTick is how often the prober looks whether it is time.
const probeTick = time.Minute

// mostCanaries may wait to be noted.
const mostCanaries = 16

// probePatience is how long one canary may take.
const probePatience = 30 * time.Second

// prober watches whether calls of the clients reach the gate: it sends a call that is always denied
// through each installed hook, or waits for canaries of another account. RATIONALE.md, "When does
// the daemon start a hook?".
type prober struct {
	// every is the time between two rounds; 0 for none.
	every func() time.Duration
	// expected: agents have an account of their own. Then no line of their files is started, and
	// canaries count from these accounts, by UID.
	expected bool
	accounts []int
	// came are the canaries that run has not noted yet.
	came     chan wire.HookProbe
	places   inventory.Places
	stateDir string // the daemon's own
	// programs are those that a hook may start.
	programs []string
	env      []string
	find     canary.Decision
	store    probeStore
	// alarm tells people of a change for the worse, and of its end.
	alarm func(context.Context, wire.HookProbe)
	log   *slog.Logger
	now   func() time.Time
	// since is when the prober began to wait for canaries.
	since time.Time

	mu   sync.Mutex
	last map[string]wire.HookProbe // by client
}

// run probes at once and then at each interval, and notes canaries, until ctx ends. It begins where
// recall left off.
func (p *prober) run(ctx context.Context) {
	tick := time.NewTicker(probeTick)
	defer tick.Stop()
	var next time.Time
	for {
		if every := p.every(); every > 0 && !p.now().Before(next) {
			next = p.now().Add(every - probeTick/2)
			p.round(ctx, every)
		}
		select {
		case <-ctx.Done():
			return
		case probe := <-p.came:
			p.noteCanary(ctx, probe)
		case <-tick.C:
		}
	}
}

// round looks at each client once.
func (p *prober) round(ctx context.Context, every time.Duration) {
	if p.expected {
		p.await(ctx, every)
		return
	}
	for _, s := range inventory.Look(p.places) {
		if found, ok := p.look(ctx, s); ok && ctx.Err() == nil {
			p.note(ctx, found)
		}
	}
}

// await looks for clients whose canaries stopped.
func (p *prober) await(ctx context.Context, every time.Duration) {
	p.mu.Lock()
	known := maps.Clone(p.last)
	p.mu.Unlock()
	if len(known) == 0 {
		known = map[string]wire.HookProbe{anyClient: {Client: anyClient, At: p.since}}
	}
	for _, client := range slices.Sorted(maps.Keys(known)) {
		was := known[client]
		came := was.At
		if came.Before(p.since) {
			came = p.since
		}
		if was.State != stateSilent && p.now().Sub(came) > 2*every {
			was.State, was.At, was.Session = stateSilent, p.now().UTC(), ""
			was.Text = fmt.Sprintf("no canary came since %s. Run callgate agents --probe in the agents' account every %s, and see why it stopped", came.UTC().Format(time.RFC3339), every)
			p.note(ctx, was)
		}
	}
}

// saw passes a denied call of a canary's session to run, and never waits: it is part of the call's
// answer. A canary counts from an agent's account on this machine, where the hook is: a session's
// name alone may come from any client. With many at once some are dropped; one is enough.
func (p *prober) saw(peer socket.Peer, client, agent, session string) {
	if !p.expected || p.every() == 0 || !peer.Known || !slices.Contains(p.accounts, peer.UID) {
		return
	}
	probe := wire.HookProbe{Client: client, Agent: agent, State: string(canary.Judged), Text: "a canary came and was denied", At: p.now().UTC(), Session: session}
	select {
	case p.came <- probe:
	default:
	}
}

// noteCanary notes a canary that came.
func (p *prober) noteCanary(ctx context.Context, probe wire.HookProbe) {
	p.mu.Lock()
	_, waited := p.last[anyClient]
	delete(p.last, anyClient)
	p.mu.Unlock()
	if waited {
		p.log.Info("the first canary came", "client", probe.Client)
	}
	p.note(ctx, probe)
}

// look probes one client; ok is false for one that never had a hook.
func (p *prober) look(ctx context.Context, s inventory.State) (out wire.HookProbe, ok bool) {
	client, known := canary.Find(settings.Client(s.Client))
	p.mu.Lock()
	was, before := p.last[s.Client]
	p.mu.Unlock()
	out = wire.HookProbe{Client: s.Client, File: s.File, Agent: was.Agent, At: p.now().UTC()}
	install := "callgate hook " + s.Client + " --install"
	switch {
	case !known || s.Place == inventory.None && !before:
		return out, false
	case s.Place == inventory.None:
		out.State, out.Text = stateGone, "the hook is no longer installed, so calls run unchecked. Install it again: "+install
		return out, true
	case s.Off:
		out.State, out.Text = stateOff, strings.Join(s.Problems, "; ")
		return out, true
	}
	if err := p.unsound(client, s.Hook); err != nil {
		out.State, out.Text = stateChanged, fmt.Sprintf("the hook was not started: %v. Install it again: %s", err, install)
		return out, true
	}
	if file, given := s.Hook.Flag("token-file"); given {
		out.Agent = strings.TrimSuffix(filepath.Base(file), ".token")
	}
	client.Env = p.env
	r := client.ProbeDenied(ctx, s.Hook, p.places.Home, p.stateDir, probePatience, p.find)
	out.State, out.Text, out.Session = string(r.State), r.Text, r.Session
	return out, true
}

// unsound says why a hook is not started: the daemon starts its own program alone, as Callgate
// installs it, from files that no other account can change.
func (p *prober) unsound(client canary.Client, h settings.Hook) error {
	words := h.Program()
	if len(words) == 0 || !h.Exact(client.Word) {
		return fmt.Errorf("its line in %s is not as Callgate writes it", h.File)
	}
	if !slices.ContainsFunc(p.programs, func(own string) bool { return sameFile(own, words[0]) }) {
		return fmt.Errorf("it starts %s, which is not the daemon's own program", words[0])
	}
	for _, file := range []string{h.File, words[0]} {
		if err := securedir.Guarded(file); err != nil {
			return err
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// hookPrograms are the daemon's program and those beside it.
func hookPrograms(own string) []string {
	dir, end := filepath.Dir(own), filepath.Ext(own)
	if end != ".exe" {
		end = ""
	}
	return []string{own, filepath.Join(dir, "callgate"+end), filepath.Join(dir, settings.HookProgram+end)}
}

// hookVariables are those of the daemon's environment that a hook gets: none holds a secret.
var hookVariables = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
	"CLAUDE_CONFIG_DIR", "CODEX_HOME", "SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "TEMP",
}

func hookEnv(lookup func(string) (string, bool)) []string {
	env := []string{}
	for _, name := range hookVariables {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
