// Package checkup examines a running daemon by what it tells of itself. `callgate doctor` and the page
// Health of the console show its findings, so both say the same of the same state. It changes nothing.
package checkup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Daemon is the part of the daemon's API that a check-up reads. *client.Client is one.
type Daemon interface {
	Health(ctx context.Context) (protocol.Health, error)
	Ready(ctx context.Context) error
	Tools(ctx context.Context) ([]wire.Tool, error)
	Audit(ctx context.Context, f store.Filter) (view.AuditPage, error)
	Presence(ctx context.Context) (view.Presence, error)
	ConfigState(ctx context.Context) (wire.ConfigState, error)
	Modules(ctx context.Context) (wire.ModuleList, error)
	Folders(ctx context.Context, agent string) ([]wire.Folder, error)
	Hooks(ctx context.Context) (wire.HookProbes, error)
}

// Subject is a daemon under examination.
type Subject struct {
	Daemon Daemon
	Health protocol.Health
	Now    time.Time
}

// Check is one check of a daemon. It returns at least one finding, or none where there is nothing to
// check.
type Check struct {
	// Name is the check's name in the findings. A check may add findings of other names.
	Name string
	Find func(ctx context.Context, s Subject) Findings
}

// Checks are all checks in the order of doctor.
var Checks = []Check{Reachable, Ready, Probes, Rules, Folders, Usable, Lock, Sandbox, Discord, PIN, Surfaces, Clock, Pending}

// Run makes all checks of a daemon that has told its health.
func Run(ctx context.Context, s Subject) (all Findings) {
	for _, c := range Checks {
		all = append(all, c.Find(ctx, s)...)
	}
	return all
}

// Findings gather what checks find.
type Findings []finding.Finding

// OK adds what is as it should be.
func (f *Findings) OK(check, text string) {
	*f = append(*f, finding.Finding{Check: check, State: finding.Passed, Text: text})
}

// Warning adds a limit or a risk.
func (f *Findings) Warning(check, text, fix string) {
	*f = append(*f, finding.Finding{Check: check, State: finding.Warning, Text: text, Fix: fix})
}

// Bad adds what makes Callgate fail, or leaves calls unchecked.
func (f *Findings) Bad(check, text, fix string) {
	*f = append(*f, finding.Finding{Check: check, State: finding.Error, Text: text, Fix: fix})
}

// Skip adds a check that is not possible.
func (f *Findings) Skip(check, text, fix string) {
	*f = append(*f, finding.Finding{Check: check, State: finding.Skipped, Text: text, Fix: fix})
}

// Reachable says who has told the health.
var Reachable = Check{"daemon.reachable", func(_ context.Context, s Subject) (out Findings) {
	out.OK("daemon.reachable", fmt.Sprintf("Daemon is running (%s, up since %s).", s.Health.Version, s.Health.StartedAt.Format(time.RFC3339)))
	return out
}}

// Ready tells whether the daemon can decide calls, as `callgate ready` does.
var Ready = Check{"daemon.ready", func(ctx context.Context, s Subject) (out Findings) {
	var refused *protocol.Error
	switch err := s.Daemon.Ready(ctx); {
	case err == nil:
		out.OK("daemon.ready", "Every call can be decided.")
	case errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable:
		out.Bad("daemon.ready", "Calls are denied, because the daemon is "+refused.Message, "the daemon's log says since when and why; ask again with: callgate ready")
	default:
		out.Skip("daemon.ready", "The daemon does not say whether it can decide calls: "+err.Error(), "restart the daemon with this program")
	}
	return out
}}

// Probes tells the daemon's own last probes of the hooks.
var Probes = Check{"hooks.probe", func(ctx context.Context, s Subject) (out Findings) {
	last, err := s.Daemon.Hooks(ctx)
	switch {
	case err != nil:
		out.Warning("hooks.probe", "The daemon does not say how its last probes of the hooks went: "+err.Error(), "restart the daemon with this program")
	case last.Every == "":
		out.Skip("hooks.probe", "The daemon does not probe the hooks by itself.", "set hooks.probe_every: 30m in callgate.yaml")
	case len(last.Probes) == 0:
		out.Skip("hooks.probe", "No hook was probed yet: the daemon looks every "+last.Every+".", "")
	default:
		for _, p := range last.Probes {
			text := fmt.Sprintf("%s: %s at %s, %s", p.Client, p.State, p.At.Format(time.RFC3339), p.Text)
			if p.Judged() {
				out.OK("hooks.probe", text)
			} else {
				out.Bad("hooks.probe", text, "callgate agents --probe")
			}
		}
	}
	return out
}}

// Rules tells whether stored rules were changed outside Callgate.
var Rules = Check{"store.rules", func(_ context.Context, s Subject) (out Findings) {
	if refused := s.Health.RefusedRules; len(refused) > 0 {
		out.Bad("store.rules", "Stored allow rules were changed outside Callgate and are disabled: "+strings.Join(refused, ", "), "callgate rules remove ID, then add the rules you want. Find out which program wrote to the store")
	} else {
		out.OK("store.rules", "Stored rules are intact.")
	}
	return out
}}

// Folders shows the trusted folders, so people need not remember them.
var Folders = Check{"store.folders", func(ctx context.Context, s Subject) (out Findings) {
	list, err := s.Daemon.Folders(ctx, "")
	if err != nil {
		out.Bad("store.folders", "the trusted folders cannot be read, so none counts: "+err.Error(), "callgate folders forget --all, then trust them again")
		return out
	}
	var texts []string
	for _, f := range list {
		if f.Problem != "" {
			out.Warning("store.folders", fmt.Sprintf("%s is not trusted any more for %s: %s", f.Path, f.Agent, f.Problem), "callgate folders forget "+f.ID)
			continue
		}
		texts = append(texts, fmt.Sprintf("%s: %s may %s", f.Path, f.Agent, f.Access))
	}
	if len(texts) > 0 {
		out.OK("store.folders", "trusted project folders: "+strings.Join(texts, "; ")+" (callgate folders list)")
	}
	return out
}}

// Discord tells how the daemon's connection stands.
var Discord = Check{"people.discord", func(_ context.Context, s Subject) (out Findings) {
	const check = "people.discord"
	if s.Health.Discord == nil {
		out.Skip(check, "the daemon does not report its Discord status", "restart the daemon with this program")
		return out
	}
	switch h := *s.Health.Discord; {
	case !h.Configured:
		out.Skip(check, h.String()+"; asks can be answered in a terminal (callgate serve, callgate asks watch) and through the API", h.Fix())
	case h.Connected:
		out.OK(check, h.String())
	case h.Fatal:
		out.Bad(check, h.String(), h.Fix())
	default:
		out.Warning(check, h.String(), h.Fix())
	}
	return out
}}

// PIN tells whether anybody can approve on this machine.
var PIN = Check{"people.pin", func(ctx context.Context, s Subject) (out Findings) {
	switch p, err := s.Daemon.Presence(ctx); {
	case err != nil:
		out.Skip("people.pin", "cannot read the PIN status: "+err.Error(), "")
	case p.Locked:
		out.Bad("people.pin", "The approver PIN is locked; no approval is possible on this machine: "+p.Why, "callgate pin reset")
	case !p.Set:
		out.Warning("people.pin", "No approver PIN is set; no approval is possible on this machine.", "callgate pin set")
	default:
		out.OK("people.pin", "An approver PIN is set.")
	}
	return out
}}

// Surfaces tells where asks are shown. The API counts as a place at all times, but a person must
// watch it.
var Surfaces = Check{"people.surfaces", func(_ context.Context, s Subject) (out Findings) {
	places := slices.DeleteFunc(slices.Clone(s.Health.Surfaces), func(name string) bool { return name == "api" })
	if len(places) == 0 {
		out.Warning("people.surfaces", "No approver is connected. Asks will time out and be denied.", "callgate asks watch")
	} else {
		out.OK("people.surfaces", "Asks are shown at: "+strings.Join(places, ", "))
	}
	return out
}}

// Clock compares the clock with the newest audit row.
var Clock = Check{"clock", func(ctx context.Context, s Subject) (out Findings) {
	page, err := s.Daemon.Audit(ctx, store.Filter{Newest: true, Limit: 1})
	if err != nil {
		out.Skip("clock", "cannot read the newest audit row: "+err.Error(), "")
		return out
	}
	for _, row := range page.Rows {
		// A row may be written while we look.
		if s.Now.Add(time.Second).Before(row.Time) {
			out.Bad("clock", fmt.Sprintf("The clock says %s, but the newest audit row is from %s. Rules and approvals will expire too late.", s.Now.Format(time.RFC3339), row.Time.Format(time.RFC3339)), "set the system clock")
			return out
		}
	}
	out.OK("clock", "The clock is correct as far as known: "+s.Now.Format(time.RFC3339)+", after the newest audit row.")
	return out
}}

// Pending reports changes of the configuration waiting for a person.
var Pending = Check{"config.pending", func(ctx context.Context, s Subject) (out Findings) {
	c, err := s.Daemon.ConfigState(ctx)
	switch {
	case err != nil:
		out.Skip("config.pending", "cannot read the pending changes: "+err.Error(), "")
	case c.Problem != "":
		out.Bad("config.pending", "The daemon still uses the previous configuration: "+c.Problem, "fix the file, then check it: callgate config check")
	case c.Pending != "":
		out.Warning("config.pending", fmt.Sprintf("%d changes in %s are pending, because they allow agents more.", len(c.Widenings), c.File), "callgate config status, then callgate config accept")
	default:
		out.OK("config.pending", "No pending changes.")
	}
	return out
}}
