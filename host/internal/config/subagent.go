package config

import (
	"fmt"
	"maps"
	"strings"

	"github.com/callgate/callgate/engine"
)

// anySubAgent is the entry in sub_agents for each sub-agent without one of its own.
const anySubAgent = "*"

// SubAgent limits a sub-agent of the client. It only narrows the agent's own settings: the stricter
// mode, the tools allowed by both, the tools denied by either.
type SubAgent struct {
	// Mode is the sub-agent's mode where it is stricter than the agent's. Built in:
	// the agent's.
	Mode *engine.Mode `yaml:"mode"`
	// AllowedTools restricts the sub-agent to these tools; an empty list allows none.
	// Built in: no restriction.
	AllowedTools []string `yaml:"allowed_tools"`
	// DisallowedTools are denied in every mode.
	DisallowedTools []string `yaml:"disallowed_tools"`
	// WorkingDirectories are the sub-agent's part of the agent's directories, or directories in
	// them; absolute or ~/.... Built in: all.
	WorkingDirectories []string `yaml:"working_directories"`
}

// subAgentsOf are an agent's sub-agents; its own entries replace those of defaults.
func (c *Config) subAgentsOf(own Settings) map[string]SubAgent {
	return over(c.Defaults.SubAgents, own.SubAgents)
}

// skillsOf are the tools of an agent's skills; its own entries replace those of
// defaults.
func (c *Config) skillsOf(own Settings) map[string][]string {
	return over(c.Defaults.Skills, own.Skills)
}

// over puts the entries of above over those of below; nil when there is none.
func over[V any](below, above map[string]V) map[string]V {
	if len(below)+len(above) == 0 {
		return nil
	}
	out := maps.Clone(below)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, above)
	return out
}

// SubAgent returns the entry of a sub-agent by its name, ignoring case where no entry has the exact
// name; false without one.
func (a Agent) SubAgent(name string) (SubAgent, bool) {
	if s, ok := a.SubAgents[name]; ok {
		return s, true
	}
	for _, known := range sortedKeys(a.SubAgents) {
		if strings.EqualFold(known, name) {
			return a.SubAgents[known], true
		}
	}
	s, ok := a.SubAgents[anySubAgent]
	return s, ok
}

func (ck *checker) subAgents(known map[string]SubAgent, field string) {
	for _, name := range sortedKeys(known) {
		at := field + "." + name
		if err := narrowedName(name); err != nil {
			ck.add(field, "%v", err)
		}
		s := known[name]
		ck.names(s.AllowedTools, at+".allowed_tools")
		ck.names(s.DisallowedTools, at+".disallowed_tools")
		for i := range s.WorkingDirectories {
			ck.path(&s.WorkingDirectories[i], fmt.Sprintf("%s.working_directories[%d]", at, i))
		}
	}
}

func (ck *checker) skills(known map[string][]string, field string) {
	for _, name := range sortedKeys(known) {
		if err := narrowedName(name); err != nil {
			ck.add(field, "%v", err)
		}
		ck.names(known[name], field+"."+name)
	}
}

// maxNarrowedName bounds the names of sub-agents and skills, in bytes.
const maxNarrowedName = 200

func narrowedName(name string) error {
	if strings.TrimSpace(name) != name || name == "" || len(name) > maxNarrowedName {
		return fmt.Errorf("%.60q is not a name; want 1 to %d bytes without leading or trailing blanks", name, maxNarrowedName)
	}
	return nil
}
