package doctor

import (
	"context"

	"github.com/callgate/callgate/host/boundary"
)

// service tells how the daemon is installed, and which level of the boundary
// holds. Source: design section 8.
func (d *examination) service(ctx context.Context) {
	if d.Service == nil {
		d.skip("boundary.level", "it was not asked for", "")
		return
	}
	s, err := d.Service(ctx)
	if err != nil {
		d.bad("boundary.level", "what stands between the agent and the daemon could not be told: "+err.Error(), "run it as the account the agent runs as, or as root")
		return
	}
	switch {
	case !s.Installed:
		d.skip("service", "no service is installed: the gate is there as long as somebody runs callgate serve", "callgate service install")
	case s.Running != "active" || !s.Enabled:
		d.bad("service", "the service of level "+string(s.Level)+" is "+s.Running+enabledText(s.Enabled)+": without a daemon every call is denied", "callgate service status")
	default:
		d.ok("service", "level "+string(s.Level)+" is installed, "+s.Unit+" is active")
	}
	for _, drift := range s.Drift {
		d.bad("service.drift", drift, "callgate service install")
	}
	if s.Installed && s.Holds.Level != s.Level {
		d.bad("boundary.level", "level "+string(s.Level)+" is installed and does not hold: level "+string(s.Holds.Level)+" does", "see the reasons below")
	}
	d.level(s.Holds)
}

func enabledText(on bool) string {
	if on {
		return ""
	}
	return ", and does not start by itself"
}

func (d *examination) level(r boundary.Report) {
	switch r.Level {
	case boundary.B:
		d.ok("boundary.level", "level B: nothing that the agent's account can do reaches the daemon, as far as it was looked at")
		return
	case boundary.A:
		d.warn("boundary.level", "level A: every tool call that the client shows is judged, but a program that an allowed call runs has the daemon's own power: it can stop it, read its tokens and change its files", "sudo callgate service install --level b --agent-account ACCOUNT")
	default:
		d.bad("boundary.level", "no level holds", "see the reasons below")
	}
	for _, reason := range r.Reasons {
		d.warn("boundary."+reason.Code, reason.What, reason.Cure)
	}
}
