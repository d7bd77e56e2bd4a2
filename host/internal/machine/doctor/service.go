package doctor

import (
	"context"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// service reports the daemon's installation, and the present level of the boundary.
func (d *examination) service(ctx context.Context) {
	if d.Service == nil {
		d.skip("boundary.level", "not checked", "")
		return
	}
	s, err := d.Service(ctx)
	if err != nil {
		d.bad("boundary.level", "Cannot check the boundary between agent and daemon: "+err.Error(), "run it as the agent's account or as root")
		return
	}
	switch {
	case !s.Installed:
		d.skip("service", "No service installed. Callgate only runs while \"callgate serve\" is open.", "callgate service install")
	case s.Running != "active" || !s.Enabled:
		d.bad("service", "The service of level "+string(s.Level)+" is "+s.Running+enabledText(s.Enabled)+". Without a daemon every call is denied.", "callgate service status")
	default:
		d.ok("service", "Level "+string(s.Level)+" is installed and "+s.Unit+" is active.")
	}
	for _, drift := range s.Drift {
		d.bad("service.drift", drift, "callgate service install")
	}
	if s.Installed && s.Holds.Level != s.Level {
		d.bad("boundary.level", "Level "+string(s.Level)+" is installed, but level "+string(s.Holds.Level)+" is in effect.", "read the reasons below")
	}
	d.level(s.Holds)
}

func enabledText(on bool) string {
	if on {
		return ""
	}
	return ", and does not start automatically"
}

func (d *examination) level(r boundary.Report) {
	switch r.Level {
	case boundary.B:
		d.ok("boundary.level", "Level B: the agent's account cannot reach the daemon, as far as could be checked.")
		return
	case boundary.A:
		d.warn("boundary.level", "Agent and daemon share an account (level A). Programs the agent runs can stop the daemon, read its tokens or change its files.", "sudo callgate service install --level b --agent-account ACCOUNT")
	default:
		d.bad("boundary.level", "No level is in effect.", "read the reasons below")
	}
	for _, reason := range r.Reasons {
		d.warn("boundary."+reason.Code, reason.What, reason.Fix)
	}
}
