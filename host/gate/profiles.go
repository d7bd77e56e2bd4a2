package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/callgate/callgate/engine/profile"
)

// ProfileInfo is a profile that agents may have.
type ProfileInfo struct {
	Name string `json:"name"`
	// Preset tells that it is built in.
	Preset bool     `json:"preset"`
	Allow  []string `json:"allow"`
	Ask    []string `json:"ask"`
	Deny   []string `json:"deny"`
}

// AgentProfile is the profile of one agent.
type AgentProfile struct {
	Agent string `json:"agent"`
	// Profile is the one in force, Configured the configuration's: a name, or lists
	// that stand in place of one; empty for none.
	Profile    string `json:"profile"`
	Configured string `json:"configured"`
	// Given tells who gave it; nil when it is the configuration's.
	Given *GivenProfile `json:"given,omitempty"`
}

// Profiles are those there are, and those of the agents that are named.
type Profiles struct {
	Profiles []ProfileInfo  `json:"profiles"`
	Agents   []AgentProfile `json:"agents"`
}

// Profiles lists the profiles and which agent has which: of the agents that the
// configuration names, and those that were given one.
func (g *Gate) Profiles(ctx context.Context) (Profiles, error) {
	s := g.c.Settings()
	out := Profiles{Profiles: []ProfileInfo{}, Agents: []AgentProfile{}}
	for _, name := range s.ProfileNames() {
		lists := s.Profile(name).Lists()
		out.Profiles = append(out.Profiles, ProfileInfo{
			Name: name, Preset: slices.Contains(profile.Presets(), name),
			Allow: listOf(lists.Allow), Ask: listOf(lists.Ask), Deny: listOf(lists.Deny),
		})
	}
	given, err := g.given.read(ctx, g.c.Store)
	if err != nil {
		return out, err
	}
	names := slices.AppendSeq(s.AgentNames(), maps.Keys(given))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		a := AgentProfile{Agent: name, Configured: g.choice(name)}
		a.Profile = a.Configured
		if p, has := given[name]; has && p.Replaces == a.Configured {
			a.Profile, a.Given = p.Profile, &p
		}
		out.Agents = append(out.Agents, a)
	}
	return out, nil
}

func listOf(patterns []string) []string { return append([]string{}, patterns...) }

// ProfileTightens reports whether giving an agent the profile of that name surely
// lets it do no more than now; an empty name is the configuration's profile.
func (g *Gate) ProfileTightens(ctx context.Context, agent, name string) (bool, error) {
	s := g.c.Settings()
	now, next := s.Agent(agent).Profile, s.Agent(agent).Profile
	if name != "" {
		if err := g.knownProfile(name); err != nil {
			return false, err
		}
		next = s.Profile(name)
	}
	given, ok, err := g.profileOverride(ctx, s, agent)
	if err != nil {
		return false, fmt.Errorf("whether that widens is not known: %w", err)
	}
	if ok {
		now = given
	}
	return next.Tightens(now), nil
}
