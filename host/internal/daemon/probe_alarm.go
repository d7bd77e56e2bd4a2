package daemon

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/hook/inventory"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/telemetry"
	"github.com/callgate/callgate/host/wire"
)

// probeStore keeps the last probes, so that a hook that vanishes while no daemon runs is missed too.
type probeStore interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
}

// probeSetting is the setting of this machine.
func probeSetting() string {
	host, _ := os.Hostname() // without a name all machines share one
	return "hook_probes " + host
}

// recall reads the probes of an earlier run. A hook that was gone already is forgotten.
func (p *prober) recall(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = map[string]wire.HookProbe{}
	if err := store.ReadSetting(ctx, p.store, probeSetting(), &p.last); err != nil && ctx.Err() == nil {
		p.log.Warn("the last probes of the hooks cannot be read", "error", err)
	}
	maps.DeleteFunc(p.last, func(client string, was wire.HookProbe) bool { return was.State == stateGone || client == anyClient })
}

// note records a probe. A change between judged and anything else is audited and told to people.
func (p *prober) note(ctx context.Context, now wire.HookProbe) {
	p.mu.Lock()
	was, known := p.last[now.Client]
	p.last[now.Client] = now
	all := maps.Clone(p.last)
	p.mu.Unlock()
	if !now.Judged() {
		p.log.Error("a hook does not check its client's calls", "client", now.Client, "state", now.State, "file", now.File, "error", now.Text)
	}
	if known && was.Judged() == now.Judged() {
		return
	}
	row := store.Row{Event: store.EventHookUnjudged, Agent: now.Agent, DecidedBy: "callgate", Detail: now.Client + ": " + now.Text}
	if now.Judged() {
		row.Event = store.EventHookJudged
	}
	if err := p.save(ctx, all, row); err != nil && ctx.Err() == nil {
		p.log.Error("the probe of a hook could not be stored", "error", err)
	}
	if !known && now.Judged() {
		p.log.Info("a hook was probed for the first time: it works", "client", now.Client, "file", now.File)
		return
	}
	p.alarm(ctx, now)
}

func (p *prober) save(ctx context.Context, all map[string]wire.HookProbe, row store.Row) error {
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return p.store.SaveSetting(ctx, probeSetting(), text, row)
}

// probes are the last ones, in the order of the clients.
func (p *prober) probes() wire.HookProbes {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := wire.HookProbes{Expected: p.expected, Probes: []wire.HookProbe{}}
	every := p.every()
	if every == 0 {
		return out // what was seen before is old
	}
	out.Every = every.String()
	for _, client := range slices.Sorted(maps.Keys(p.last)) {
		out.Probes = append(out.Probes, p.last[client])
	}
	return out
}

// metrics are the last probes as numbers.
func (p *prober) metrics() []telemetry.Hook {
	var out []telemetry.Hook
	for _, one := range p.probes().Probes {
		out = append(out, telemetry.Hook{Client: one.Client, Judged: one.Judged(), At: one.At})
	}
	return out
}

// openProber prepares the probes of the hooks of this account.
func (d *Daemon) openProber(program, stateDir string) *prober {
	home, _ := os.UserHomeDir() // without one there is no hook
	accounts := boundaryOf(d.Host.Accepted()).Agents
	return &prober{
		every:    func() time.Duration { return time.Duration(d.Host.Settings().Hooks.ProbeEvery) },
		expected: len(accounts) > 0, accounts: accounts, came: make(chan wire.HookProbe, mostCanaries),
		places: inventory.PlacesOf(home, ""), stateDir: stateDir, programs: hookPrograms(program), env: hookEnv(os.LookupEnv),
		find: d.decided, store: d.Host.Store, alarm: d.hookAlarm, log: d.log, now: d.now, since: d.now(), last: map[string]wire.HookProbe{},
	}
}

// decided is the decision of a canary's call.
func (d *Daemon) decided(ctx context.Context, session string) (wire.Outcome, bool) {
	for row, err := range d.Host.Store.Audit(ctx, store.Filter{Session: session, Limit: 1}) {
		return row.Decision, err == nil
	}
	return "", false
}

// hookAlarm tells webhooks, the readers of events, Discord and people's browsers.
func (d *Daemon) hookAlarm(ctx context.Context, p wire.HookProbe) {
	n := wire.Notice{Event: wire.HookAlarm, ID: rand.Text(), Time: p.At, Agent: p.Agent, Code: wire.HookUnjudged, Reason: fmt.Sprintf("The hook of %s does not check its calls: %s", p.Client, p.Text)}
	if p.Judged() {
		n.Code, n.Reason = wire.HookJudged, fmt.Sprintf("The hook of %s checks its calls again.", p.Client)
	}
	d.Host.Notify(n)
	d.chat.announce(ctx, p.Agent, n.Reason)
	if !p.Judged() {
		push.NewSender(d.push, d.isListed, nil, d.log).Alarm(ctx)
	}
}
