package config

import "strings"

// Choice is a text that changes when the file gives an agent another profile: the
// name of one, or the lists that stand in place of a name; empty for none. Other
// lists under the same name are the same choice.
func (p *AgentProfile) Choice() string {
	switch {
	case p == nil:
		return ""
	case p.other != nil:
		one := *p
		one.other = nil
		return one.Choice() + " and " + p.other.Choice()
	}
	text := p.name
	if strings.HasSuffix(text, ".profile") { // the place of lists, see compile
		text = p.text()
	}
	if p.limits {
		text = "limits of " + text
	}
	return text
}

// Lists are the profile's patterns; of two profiles those of the accepted one.
func (p *AgentProfile) Lists() Profile {
	if p == nil {
		return Profile{}
	}
	return Profile{Allow: p.lists.Allow, Ask: p.lists.Ask, Deny: p.lists.Deny}
}

// Tightens reports whether an agent that gets this profile in place of before may
// surely do no more than it could: by the patterns' texts, so that no may be a yes.
// Without a profile before, one that allows nothing by itself tightens.
func (p *AgentProfile) Tightens(before *AgentProfile) bool {
	switch {
	case p == nil:
		return before == nil
	case before == nil:
		return len(p.lists.Allow) == 0 && p.other == nil
	case p.other != nil || before.other != nil:
		return false
	}
	return p.within(before)
}

// AgentNames are the agents that the file names.
func (c *Config) AgentNames() []string { return sortedKeys(c.Agents) }

// AgentNames are the agents that either configuration names.
func (c *Combination) AgentNames() []string { return c.names()[1:] }

// ProfileChoices are which profile the configuration gives an agent, twice.
func (c *Config) ProfileChoices(agent string) (accepted, next string) {
	choice := c.Agent(agent).Profile.Choice()
	return choice, choice
}

// ProfileChoices are which profiles the two configurations give an agent.
func (c *Combination) ProfileChoices(agent string) (accepted, next string) {
	return c.accepted.Agent(agent).Profile.Choice(), c.next.Agent(agent).Profile.Choice()
}

// BothProfiles answers with the stricter of two profiles; nil is none.
func BothProfiles(a, b *AgentProfile) *AgentProfile { return stricterProfile(a, b) }
