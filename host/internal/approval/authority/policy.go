package authority

import (
	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/gate/describe"
)

// approvers are those for asks about an agent's calls of a tool, by the operator's
// configuration.
func (au *Authority) approvers(agent, tool string) approvers.Policy {
	return au.c.Settings().Approvers(agent, describe.Named(au.c.Catalog, tool).Names(tool)...)
}

// ApproversOf are the approvers of asks with decision d: for safety checks, fewer.
func (au *Authority) ApproversOf(agent, tool string, d engine.Decision) approvers.Policy {
	if !d.Safety() {
		return au.approvers(agent, tool)
	}
	return au.c.Settings().SafetyApprovers(agent, describe.Named(au.c.Catalog, tool).Names(tool)...)
}
