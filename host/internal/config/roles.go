package config

import (
	"maps"
	"slices"
)

// KnownRoles are the roles named by ask_approvers or permission_grants, sorted: their holders have
// a say in a chat.
func (c *Config) KnownRoles() []string {
	roles := slices.Collect(maps.Keys(c.PermissionGrants))
	add := func(a *Approvers) {
		if a == nil {
			return
		}
		roles = append(roles, a.Roles...)
		if a.SafetyChecks != nil {
			roles = append(roles, a.SafetyChecks.Roles...)
		}
	}
	tools := func(tools map[string]Tool) {
		for _, t := range tools {
			add(t.Approvers)
		}
	}
	add(c.Defaults.Approvers)
	tools(c.Tools)
	tools(c.Defaults.Tools)
	for _, block := range c.Agents {
		add(block.Approvers)
		tools(block.Tools)
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}
