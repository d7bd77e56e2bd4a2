package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/people"
)

// Approvers says who may answer asks. Left out, everybody may who has a token for it.
// One that is set replaces those of less particular places as a whole: those of
// defaults, of the agent, of the tool, of the tool in defaults, of the tool in the
// agent's block, in this order; safety_checks, where it is set, does so by itself.
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
	// SafetyChecks says who may answer, on top of the above, where a safety check asks
	// that no rule and no mode answers. Built in: the above alone.
	SafetyChecks *SafetyChecks `yaml:"safety_checks"`
}

// SafetyChecks says who may answer asks of safety checks, on top of who may answer
// others. {} takes away what a less particular place says.
type SafetyChecks struct {
	// Users are people by name.
	Users []string `yaml:"users"`
	// Roles are roles of which one is enough. With neither users nor roles everybody
	// may who may answer other asks.
	Roles []string `yaml:"roles"`
	// Quorum is how many different people have to approve. Built in: as many as for
	// other asks.
	Quorum int `yaml:"quorum"`
}

// ordinary is what is said of all asks; false when only safety checks are spoken of.
func (c *Config) ordinary(a *Approvers) (people.Approvers, bool) {
	if a == nil {
		return people.Approvers{}, false
	}
	only := a.SafetyChecks != nil && a.Users == nil && a.Roles == nil && a.Quorum == 0 && !a.ExcludeRequester
	return people.Approvers{Users: c.byName(a.Users), Roles: a.Roles, Quorum: a.Quorum, ExcludeRequester: a.ExcludeRequester}, !only
}

// safety is what is said of safety checks besides.
func (c *Config) safety(a *Approvers) (people.Approvers, bool) {
	if a == nil || a.SafetyChecks == nil {
		return people.Approvers{}, false
	}
	s := a.SafetyChecks
	return people.Approvers{Users: c.byName(s.Users), Roles: s.Roles, Quorum: s.Quorum}, true
}

// byName are people by their names, also where the file has their accounts.
func (c *Config) byName(users []string) []string {
	out := slices.Clone(users)
	for i := range out {
		out[i] = c.nameOf(out[i])
	}
	return out
}

// Approvers returns who may answer asks about an agent's calls of a tool. names are
// the tool's canonical name and its aliases; of several that the file has in one
// place all count.
func (c *Config) Approvers(agent string, names ...string) people.Policy {
	return c.nearest(agent, names, c.ordinary).Restricting()
}

// SafetyApprovers returns who may answer where a safety check asks: those whom
// Approvers lets, as far as safety_checks lets them.
func (c *Config) SafetyApprovers(agent string, names ...string) people.Policy {
	return c.Approvers(agent, names...).With(c.nearest(agent, names, c.safety)...)
}

// nearest is what the most particular place says that says anything.
func (c *Config) nearest(agent string, names []string, says func(*Approvers) (people.Approvers, bool)) people.Policy {
	block := c.Agents[agent]
	for _, tools := range []map[string]Tool{block.Tools, c.Defaults.Tools, c.Tools} {
		var found people.Policy
		for _, name := range sortedKeys(tools) {
			// In any case: a slip must not open what it names.
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
			return people.Policy{said}
		}
	}
	return nil
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

// SafetyApprovers returns what both configurations say, each of which has to agree.
func (c *Combination) SafetyApprovers(agent string, names ...string) people.Policy {
	return c.accepted.SafetyApprovers(agent, names...).With(c.next.SafetyApprovers(agent, names...)...)
}

// approvers lists for which agents and tools next lets others answer, or fewer.
func (d *differences) approvers() {
	for _, agent := range d.c.names() {
		for _, tool := range d.c.tools(agent) {
			was, will := d.c.accepted.Approvers(agent, tool), d.c.next.Approvers(agent, tool)
			if looser := len(will.With(was...)) > len(will); looser {
				d.add(d.approversAt(agent, tool, ""), was.String(), will.String())
				continue // which safety checks follow
			}
			was, will = d.c.accepted.SafetyApprovers(agent, tool), d.c.next.SafetyApprovers(agent, tool)
			if len(will.With(was...)) > len(will) {
				d.add(d.approversAt(agent, tool, ".safety_checks"), was.String(), will.String())
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
// before; part is the key below that is asked for.
func (d *differences) approversAt(agent, tool, part string) string {
	key := ".ask_approvers" + part
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
