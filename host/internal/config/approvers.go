package config

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

// Approvers says who may answer asks. Left out, everybody with a token may. The most particular
// block replaces the others as a whole: defaults, then the agent, the tool, the tool in defaults,
// the tool in the agent's block; safety_checks is replaced only by another safety_checks.
type Approvers struct {
	// Users are people by name, as their approver tokens are called.
	Users []string `yaml:"users"`
	// Roles are roles; one of them is enough. With neither users nor roles everybody may answer.
	Roles []string `yaml:"roles"`
	// Quorum is how many different people have to approve; one denial ends the ask.
	// Built in: 1.
	Quorum int `yaml:"quorum"`
	// ExcludeRequester keeps the requester of a call from approving it; they may still deny it.
	// With an unknown requester the call cannot be approved. Built in: false.
	ExcludeRequester bool `yaml:"exclude_requester"`
	// Passkey demands that the approver's device signs each approval, in the web console. Built in:
	// false.
	Passkey bool `yaml:"passkey"`
	// PasskeyForRules demands it only of approvals that store a rule for longer than the session, or
	// trust a folder. Built in: false.
	PasskeyForRules bool `yaml:"passkey_for_rules"`
	// SafetyChecks further restricts who may answer the asks of safety checks. Built in: no further
	// restriction.
	SafetyChecks *SafetyChecks `yaml:"safety_checks"`
}

// SafetyChecks further restricts who may answer the asks of safety checks. {} removes the
// restriction of a less particular place.
type SafetyChecks struct {
	// Users are people by name.
	Users []string `yaml:"users"`
	// Roles are roles; one of them is enough. With neither users nor roles the approvers of other
	// asks may answer.
	Roles []string `yaml:"roles"`
	// Quorum is how many different people have to approve. Built in: as many as for
	// other asks.
	Quorum int `yaml:"quorum"`
	// Passkey demands that the approver's device signs the approval, in the web console. Built in:
	// as for other asks.
	Passkey bool `yaml:"passkey"`
}

// ordinary are the approvers of all asks; false when only safety checks are configured.
func (c *Config) ordinary(a *Approvers) (approvers.Approvers, bool) {
	if a == nil {
		return approvers.Approvers{}, false
	}
	only := a.SafetyChecks != nil && a.Users == nil && a.Roles == nil && a.Quorum == 0 && !a.ExcludeRequester && !a.Passkey && !a.PasskeyForRules
	return approvers.Approvers{
		Users: c.byName(a.Users), Roles: a.Roles, Quorum: a.Quorum, ExcludeRequester: a.ExcludeRequester,
		Passkey: a.Passkey, PasskeyForRules: a.PasskeyForRules,
	}, !only
}

// safety are the further approvers of safety checks. RATIONALE.md, "Does a tool's ask_approvers
// drop safety_checks of defaults?".
func (c *Config) safety(a *Approvers) (approvers.Approvers, bool) {
	if a == nil || a.SafetyChecks == nil {
		return approvers.Approvers{}, false
	}
	s := a.SafetyChecks
	return approvers.Approvers{Users: c.byName(s.Users), Roles: s.Roles, Quorum: s.Quorum, Passkey: s.Passkey}, true
}

// byName are people by their names, also where the file has their accounts.
func (c *Config) byName(users []string) []string {
	out := slices.Clone(users)
	for i := range out {
		out[i] = c.nameOf(out[i])
	}
	return out
}

// Approvers returns who may answer asks about an agent's calls of a tool. names are the tool's
// canonical name and its aliases; all those in one place of the file count.
func (c *Config) Approvers(agent string, names ...string) approvers.Policy {
	if t := c.tightened; t != nil {
		return t.accepted.Approvers(agent, names...).With(t.file.Approvers(agent, names...)...)
	}
	return c.nearest(agent, names, c.ordinary).Restricting()
}

// SafetyApprovers returns who may answer where a safety check asks: those whom
// Approvers lets, as far as safety_checks lets them.
func (c *Config) SafetyApprovers(agent string, names ...string) approvers.Policy {
	if t := c.tightened; t != nil {
		return t.accepted.SafetyApprovers(agent, names...).With(t.file.SafetyApprovers(agent, names...)...)
	}
	return c.Approvers(agent, names...).With(c.nearest(agent, names, c.safety)...)
}

// nearest is the most particular non-empty place.
func (c *Config) nearest(agent string, names []string, says func(*Approvers) (approvers.Approvers, bool)) approvers.Policy {
	block := c.Agents[agent]
	for _, tools := range []map[string]Tool{block.Tools, c.Defaults.Tools, c.Tools} {
		var found approvers.Policy
		for _, name := range sortedKeys(tools) {
			// In any case: a slip must not open a tool.
			is := func(called string) bool { return strings.EqualFold(called, name) }
			if a, ok := says(tools[name].Approvers); ok && slices.ContainsFunc(names, is) {
				found = append(found, a)
			}
		}
		if found != nil {
			return found
		}
	}
	for _, a := range []*Approvers{block.Approvers, c.Defaults.Approvers} {
		if said, ok := says(a); ok {
			return approvers.Policy{said}
		}
	}
	return nil
}

// ToolsWithApprovers are the names of the tools with approvers of their own for an agent, sorted.
func (c *Config) ToolsWithApprovers(agent string) []string {
	var names []string
	if t := c.tightened; t != nil {
		names = slices.Concat(t.accepted.ToolsWithApprovers(agent), t.file.ToolsWithApprovers(agent))
	}
	for _, tools := range []map[string]Tool{c.Agents[agent].Tools, c.Defaults.Tools, c.Tools} {
		for name, tool := range tools {
			if tool.Approvers != nil {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
