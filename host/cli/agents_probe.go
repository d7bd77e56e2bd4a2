package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/inventory"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// probePatience is how long one canary may take.
const probePatience = 15 * time.Second

// probe sends the canaries through each installed hook, and reports whether one alarms.
func (c *cli) probe(ctx context.Context, states []agentState, project string) (alarm bool, err error) {
	dir, err := filepath.Abs(project)
	if err != nil {
		return false, err
	}
	dirs, err := config.UserDirs()
	if err != nil {
		return false, err
	}
	find := c.decisions()
	for i := range states {
		s := &states[i]
		client, known := canary.Find(settings.Client(s.Client))
		if !known || s.Place == inventory.None {
			continue
		}
		s.Probe = client.Probe(ctx, s.Hook, dir, dirs.State, probePatience, find)
		for _, r := range s.Probe {
			alarm = alarm || r.State.Alarming()
		}
	}
	return alarm, nil
}

// decisions reads the audit; nil for an account that may not, as an agent's with the daemon at
// another account.
func (c *cli) decisions() canary.Decision {
	daemon, err := c.client("")
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil
	case err != nil:
		return func(context.Context, string) (wire.Outcome, bool) { return "", false } // there is none to see a call
	}
	return func(ctx context.Context, session string) (wire.Outcome, bool) {
		page, err := daemon.Audit(ctx, store.Filter{Session: session, Limit: 1})
		if err != nil || len(page.Rows) == 0 {
			return "", false
		}
		return page.Rows[0].Decision, true
	}
}

// lastProbes adds the daemon's own last probes. A daemon that is down, or that this account may not
// ask, has none.
func (c *cli) lastProbes(ctx context.Context, states []agentState) {
	daemon, err := c.client("")
	if err != nil {
		return
	}
	last, err := daemon.Hooks(ctx)
	if err != nil {
		return
	}
	for _, p := range last.Probes {
		for i := range states {
			if states[i].Client == p.Client {
				states[i].Last = &p
			}
		}
	}
}

// doctorClients are the clients besides Claude Code, for the doctor.
func doctorClients(states []agentState) (others []doctor.Client, claude bool) {
	for _, s := range states {
		client, known := canary.Find(settings.Client(s.Client))
		switch {
		case !known:
		case client.Word == settings.ClaudeCode:
			claude = s.Program != ""
		default:
			others = append(others, doctor.Client{Client: client, Program: s.Program, Installed: s.Place != inventory.None, Hook: s.Hook, Problems: s.Problems, Off: s.Off})
		}
	}
	return others, claude
}
