package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// anySubAgent is the name in sub_agents that stands for each sub-agent without an
// entry of its own.
const anySubAgent = "*"

// SubAgent is what a sub-agent of the client gets at most. It only narrows what the
// agent itself has: the stricter mode, what both allow, what either denies.
type SubAgent struct {
	// Mode is the sub-agent's mode where it is stricter than the agent's. Built in:
	// the agent's.
	Mode *engine.Mode `yaml:"mode"`
	// AllowedTools restricts the sub-agent to these tools; an empty list allows none.
	// Built in: no restriction.
	AllowedTools []string `yaml:"allowed_tools"`
	// DisallowedTools are denied in every mode.
	DisallowedTools []string `yaml:"disallowed_tools"`
	// WorkingDirectories are those of the agent's that the sub-agent works in, or
	// directories in them; absolute or ~/.... Built in: all.
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

// SubAgent is what holds for a sub-agent by its name, in any case where no entry has
// it as it is written; false when nothing does.
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

// stricterSubAgents narrows each sub-agent by both configurations. One that has an
// entry in one of them alone is, in the other, what any sub-agent is.
func stricterSubAgents(was, will map[string]SubAgent) map[string]SubAgent {
	names := either(was, will)
	if len(names) == 0 {
		return nil
	}
	out := make(map[string]SubAgent, len(names))
	for _, name := range names {
		a, _ := Agent{SubAgents: was}.SubAgent(name)
		b, _ := Agent{SubAgents: will}.SubAgent(name)
		out[name] = stricterSubAgent(a, b)
	}
	return out
}

func stricterSubAgent(was, will SubAgent) SubAgent {
	out := SubAgent{
		Mode: was.Mode, AllowedTools: allowedByBoth(was.AllowedTools, will.AllowedTools),
		DisallowedTools: united(was.DisallowedTools, will.DisallowedTools), WorkingDirectories: was.WorkingDirectories,
	}
	switch {
	case was.Mode == nil:
		out.Mode = will.Mode
	case will.Mode != nil:
		mode := engine.Stricter(*was.Mode, *will.Mode)
		out.Mode = &mode
	}
	switch {
	case was.WorkingDirectories == nil:
		out.WorkingDirectories = will.WorkingDirectories
	case will.WorkingDirectories != nil:
		out.WorkingDirectories = slices.DeleteFunc(slices.Clone(was.WorkingDirectories), func(d string) bool { return !slices.Contains(will.WorkingDirectories, d) })
	}
	return out
}

// stricterSkills are the tools that both configurations let a skill use.
func stricterSkills(was, will map[string][]string) map[string][]string {
	names := either(was, will)
	if len(names) == 0 {
		return nil
	}
	out := make(map[string][]string, len(names))
	for _, name := range names {
		out[name] = allowedByBoth(was[name], will[name])
	}
	return out
}

// String tells what the sub-agent gets, for the list of what waits to be accepted.
func (s SubAgent) String() string {
	var parts []string
	if s.Mode != nil {
		parts = append(parts, "mode "+s.Mode.String())
	}
	for _, l := range []struct {
		name string
		list []string
	}{{"allowed_tools", s.AllowedTools}, {"disallowed_tools", s.DisallowedTools}, {"working_directories", s.WorkingDirectories}} {
		if l.list != nil {
			parts = append(parts, l.name+" "+shown(l.list))
		}
	}
	return strings.Join(parts, ", ")
}

// same reports whether two entries give a sub-agent the same.
func (s SubAgent) same(o SubAgent) bool {
	modes := s.Mode == o.Mode || s.Mode != nil && o.Mode != nil && *s.Mode == *o.Mode
	dirs := (s.WorkingDirectories == nil) == (o.WorkingDirectories == nil) && allCovered(s.WorkingDirectories, o.WorkingDirectories) && allCovered(o.WorkingDirectories, s.WorkingDirectories)
	return modes && dirs && sameAllowed(s.AllowedTools, o.AllowedTools) && allCovered(o.DisallowedTools, s.DisallowedTools)
}

// narrowed lists where the next file gives sub-agents and skills more than holds.
func (d *differences) narrowed(was, force, will Agent, at func(string) string) {
	for _, name := range either(force.SubAgents, will.SubAgents) {
		f, _ := force.SubAgent(name)
		w, _ := will.SubAgent(name)
		before, _ := was.SubAgent(name)
		d.unless(f.same(w), at("sub_agents")+"."+name, before, w)
	}
	for _, name := range either(force.Skills, will.Skills) {
		d.unless(sameAllowed(force.Skills[name], will.Skills[name]), at("skills")+"."+name, was.Skills[name], will.Skills[name])
	}
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
		return fmt.Errorf("%.60q is no name: want 1 to %d bytes without blanks around them", name, maxNarrowedName)
	}
	return nil
}
