package profiles

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/wire"
)

// Profiles lists the profiles and their agents: those in the configuration, and those with a
// given profile.
func (g *Given) Profiles(ctx context.Context) (wire.Profiles, error) {
	s := g.c.Settings()
	out := wire.Profiles{Profiles: []wire.Profile{}, Agents: []wire.AgentProfile{}}
	for _, name := range s.ProfileNames() {
		lists := s.Profile(name).Lists()
		out.Profiles = append(out.Profiles, wire.Profile{
			Name: name, Preset: slices.Contains(profile.Presets(), name),
			Allow: listOf(lists.Allow), Ask: listOf(lists.Ask), Deny: listOf(lists.Deny),
		})
	}
	given, err := g.read(ctx)
	if err != nil {
		return out, err
	}
	names := slices.AppendSeq(s.AgentNames(), maps.Keys(given))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		a := wire.AgentProfile{Agent: name, Configured: g.choice(name)}
		a.Profile = a.Configured
		if p, has := given[name]; has && p.Replaces == a.Configured {
			a.Profile, a.Given = p.Profile, &p
		}
		out.Agents = append(out.Agents, a)
	}
	return out, nil
}

func listOf(patterns []string) []string { return append([]string{}, patterns...) }

// ProfileTightens reports whether the profile of that name surely lets an agent do no more than
// now; an empty name is the configuration's profile.
func (g *Given) ProfileTightens(ctx context.Context, agent, name string) (bool, error) {
	s := g.c.Settings()
	now, next := s.Agent(agent).Profile, s.Agent(agent).Profile
	if name != "" {
		if err := g.Known(name); err != nil {
			return false, err
		}
		next = s.Profile(name)
	}
	given, ok, err := g.override(ctx, s, agent)
	if err != nil {
		return false, fmt.Errorf("cannot compare the profiles: %w", err)
	}
	if ok {
		now = given
	}
	return next.Tightens(now), nil
}
