package config

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

// maxQuorum bounds how many may have to approve: each vote is kept with the ask.
const maxQuorum = 50

// allApprovers checks who may answer, wherever the file says it.
func (ck *checker) allApprovers(c *Config) {
	ck.approvers(c, c.Defaults.Approvers, "defaults.ask_approvers", c.Defaults.User)
	tools := func(tools map[string]Tool, field, requester string) {
		for _, name := range sortedKeys(tools) {
			ck.approvers(c, tools[name].Approvers, field+"."+name+".ask_approvers", requester)
		}
	}
	tools(c.Tools, "tools", "")
	tools(c.Defaults.Tools, "defaults.tools", c.Defaults.User)
	for _, name := range sortedKeys(c.Agents) {
		block, field := c.Agents[name], "agents."+name
		requester := firstText(block.User, c.Defaults.User)
		ck.approvers(c, block.Approvers, field+".ask_approvers", requester)
		tools(block.Tools, field+".tools", requester)
	}
}

// approvers checks who may answer. requester is the user of the agent in question; empty when it is
// not a single one.
func (ck *checker) approvers(c *Config, a *Approvers, field, requester string) {
	if said, ok := c.ordinary(a); ok {
		ck.whom(said, field, c.nameOf(requester))
	}
	if said, ok := c.safety(a); ok {
		said.ExcludeRequester = a.ExcludeRequester
		ck.whom(said, field+".safety_checks", c.nameOf(requester))
	}
}

// whom checks one list of those who may answer, by their names.
func (ck *checker) whom(a approvers.Approvers, field, requester string) {
	ck.personNames(a.Users, field+".users")
	ck.personNames(a.Roles, field+".roles")
	if _, given := ck.places[field+".quorum"]; given && (a.Quorum < 1 || a.Quorum > maxQuorum) {
		ck.add(field+".quorum", "%d: want 1 to %d", a.Quorum, maxQuorum)
		return
	}
	if len(a.Roles) > 0 || len(a.Users) == 0 {
		return // their number is unknown
	}
	could, but := len(a.Users), ""
	if a.ExcludeRequester && slices.Contains(a.Users, requester) {
		could, but = could-1, fmt.Sprintf(" besides %s, who triggers the agent's calls", requester)
	}
	if need := max(a.Quorum, 1); need > could {
		at := field + ".quorum"
		if _, given := ck.places[at]; !given {
			at = field
		}
		ck.add(at, "%d approvals are required, but users has only %d%s, so no call could ever be approved; add users or roles, or lower the number", need, could, but)
	}
}
