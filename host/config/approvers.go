package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/people"
)

// Approvers says who may answer asks. Left out, everybody may who has a token for it.
// One that is set replaces those of less particular places as a whole: those of
// defaults, of the agent, of the tool, of the tool in defaults, of the tool in the
// agent's block, in this order.
type Approvers struct {
	// Users are people by name, as their approver tokens are called.
	Users []string `yaml:"users"`
	// Roles are roles of which one is enough. With neither users nor roles everybody
	// may answer.
	Roles []string `yaml:"roles"`
	// Quorum is how many different people have to approve; one denial ends the ask.
	// Built in: 1.
	Quorum int `yaml:"quorum"`
	// ExcludeRequester keeps whoever triggered the call from approving it; they may
	// still deny it. Where it is not known who that is, nobody may approve. Built in:
	// false.
	ExcludeRequester bool `yaml:"exclude_requester"`
}

func (a *Approvers) people() people.Approvers {
	if a == nil {
		return people.Approvers{}
	}
	return people.Approvers{Users: a.Users, Roles: a.Roles, Quorum: a.Quorum, ExcludeRequester: a.ExcludeRequester}
}

// Approvers returns who may answer asks about an agent's calls of a tool. names are
// the tool's canonical name and its aliases; of several that the file has in one
// place all count.
func (c *Config) Approvers(agent string, names ...string) people.Policy {
	block := c.Agents[agent]
	for _, tools := range []map[string]Tool{block.Tools, c.Defaults.Tools, c.Tools} {
		var found people.Policy
		for _, name := range sortedKeys(tools) {
			// In any case: a slip must not open what it names.
			is := func(called string) bool { return strings.EqualFold(called, name) }
			if a := tools[name].Approvers; a != nil && slices.ContainsFunc(names, is) {
				found = append(found, a.people())
			}
		}
		if found != nil {
			return found.Restricting()
		}
	}
	if block.Approvers != nil {
		return people.Policy{block.Approvers.people()}.Restricting()
	}
	return people.Policy{c.Defaults.Approvers.people()}.Restricting()
}

// ToolsWithApprovers are the names of the tools that have approvers of their own for
// an agent, sorted.
func (c *Config) ToolsWithApprovers(agent string) []string {
	var names []string
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

// ToolsWithApprovers are those of both configurations.
func (c *Combination) ToolsWithApprovers(agent string) []string {
	names := slices.Concat(c.accepted.ToolsWithApprovers(agent), c.next.ToolsWithApprovers(agent))
	slices.Sort(names)
	return slices.Compact(names)
}

// Approvers returns what both configurations say, each of which has to agree.
func (c *Combination) Approvers(agent string, names ...string) people.Policy {
	return c.accepted.Approvers(agent, names...).With(c.next.Approvers(agent, names...)...)
}

// approvers lists for which agents and tools next lets others answer, or fewer.
func (d *differences) approvers() {
	for _, agent := range d.c.names() {
		for _, tool := range d.c.tools(agent) {
			was, will := d.c.accepted.Approvers(agent, tool), d.c.next.Approvers(agent, tool)
			if len(will.With(was...)) > len(will) {
				d.add(d.approversAt(agent, tool), was.String(), will.String())
			}
		}
	}
}

// tools are the tools that either configuration names, after "", which stands for
// all others.
func (c *Combination) tools(agent string) []string {
	names := []string{""}
	for _, cfg := range []*Config{c.accepted, c.next} {
		for _, tools := range []map[string]Tool{cfg.Tools, cfg.Defaults.Tools, cfg.Agents[agent].Tools} {
			names = slices.AppendSeq(names, maps.Keys(tools))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// approversAt is where next says who answers or, when that is gone, where it was said
// before.
func (d *differences) approversAt(agent, tool string) string {
	const key = ".ask_approvers"
	candidates := []string{
		"agents." + agent + ".tools." + tool + key, "defaults.tools." + tool + key, "tools." + tool + key,
		"agents." + agent + key, "defaults" + key,
	}
	for _, c := range []*Config{d.c.next, d.c.accepted} {
		for _, where := range candidates {
			if _, there := c.places[where]; there {
				return where
			}
		}
	}
	return candidates[len(candidates)-1]
}

// maxQuorum bounds how many may have to approve: each vote is kept with the ask.
const maxQuorum = 50

// approvers checks who may answer. requester is the user of the agent that it is
// about; empty when that is not one.
func (ck *checker) approvers(a *Approvers, field, requester string) {
	if a == nil {
		return
	}
	ck.personNames(a.Users, field+".users")
	ck.personNames(a.Roles, field+".roles")
	if _, given := ck.places[field+".quorum"]; given && (a.Quorum < 1 || a.Quorum > maxQuorum) {
		ck.add(field+".quorum", "%d: want 1 to %d", a.Quorum, maxQuorum)
		return
	}
	if len(a.Roles) > 0 || len(a.Users) == 0 {
		return // nobody knows how many they are
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
		ck.add(at, "%d have to approve, and users has only %d%s: no call could ever be approved; add users or roles, or lower it", need, could, but)
	}
}

// allApprovers checks who may answer, wherever the file says it.
func (ck *checker) allApprovers(c *Config) {
	ck.approvers(c.Defaults.Approvers, "defaults.ask_approvers", c.Defaults.User)
	tools := func(tools map[string]Tool, field, requester string) {
		for _, name := range sortedKeys(tools) {
			ck.approvers(tools[name].Approvers, field+"."+name+".ask_approvers", requester)
		}
	}
	tools(c.Tools, "tools", "")
	tools(c.Defaults.Tools, "defaults.tools", c.Defaults.User)
	for _, name := range sortedKeys(c.Agents) {
		block, field := c.Agents[name], "agents."+name
		requester := firstText(block.User, c.Defaults.User)
		ck.approvers(block.Approvers, field+".ask_approvers", requester)
		tools(block.Tools, field+".tools", requester)
	}
}
