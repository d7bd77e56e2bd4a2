package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/wire"
)

// profile shows the profiles, or gives an agent another one.
func (h *Handler) profile(ctx context.Context, who asker, r request) (answer, error) {
	name, reset := r.texts[optProfile], r.flags[optReset]
	switch {
	case name != "" && reset:
		return answer{}, badRequest{errors.New("give profile or reset, not both")}
	case name == "" && !reset || r.flags[optPatterns]:
		return h.showProfiles(ctx, name)
	}
	agent, err := h.agentOf(ctx, r)
	if err != nil {
		return answer{}, err
	}
	given, err := h.c.Gate.ChangeProfile(ctx, who.change(), agent, name)
	if err != nil {
		return answer{}, err
	}
	text := "it has the configuration's profile, from its next call on"
	if !reset {
		text = fmt.Sprintf("it has the profile %s in place of %s, from its next call on", given.Profile, cmp.Or(given.Replaces, "none"))
	}
	return answer{message: listing("**/permissions profile** "+placeText(engine.Agent, agent), []string{text}, "")}, nil
}

// agentOf is the agent named by a command, or that of its channel. An unknown one is refused: a
// profile for a mistyped name would have no effect.
func (h *Handler) agentOf(ctx context.Context, r request) (string, error) {
	agent := r.texts[optAgent]
	if agent == "" {
		where, err := h.placeOfChannel(r.channel)
		switch {
		case err == nil && where.Scope == engine.Session:
			known, _, err := h.c.Gate.Session(ctx, where.Key)
			return known.Agent, err
		case err == nil:
			return where.Key, nil
		}
		return "", badRequest{errors.New("name the agent with the option agent: this channel does not tell which one")}
	}
	known, err := h.agents(ctx)
	if err != nil {
		return "", err
	}
	if !slices.Contains(known, agent) {
		return "", badRequest{fmt.Errorf("no agent %q is in the configuration, and none of that name was seen", agent)}
	}
	return agent, nil
}

// agents are those in the configuration, with a profile, or with the latest sessions, and the
// one of calls without a name: a configuration need not name any.
func (h *Handler) agents(ctx context.Context) ([]string, error) {
	all, err := h.c.Gate.Profiles(ctx)
	seen, errSeen := h.sessions(ctx, nil, false)
	names := append(slices.Clone(h.c.Settings().AgentNames()), config.DefaultAgent)
	for _, a := range all.Agents {
		names = append(names, a.Agent)
	}
	for _, s := range seen {
		names = append(names, s.Agent)
	}
	slices.Sort(names)
	return slices.Compact(names), errors.Join(err, errSeen)
}

// showProfiles shows one profile's patterns, or all profiles and their agents.
func (h *Handler) showProfiles(ctx context.Context, name string) (answer, error) {
	all, err := h.c.Gate.Profiles(ctx)
	if err != nil {
		return answer{}, err
	}
	var lines []string
	if name == "" {
		for _, p := range all.Profiles {
			kind := "yours"
			if p.Preset {
				kind = "preset"
			}
			lines = append(lines, fmt.Sprintf("%s (%s): %d allow, %d ask, %d deny", p.Name, kind, len(p.Allow), len(p.Ask), len(p.Deny)))
		}
		for _, a := range all.Agents {
			lines = append(lines, fmt.Sprintf("agent %s: %s, %s", a.Agent, cmp.Or(a.Profile, "none"), from(a)))
		}
		return answer{message: listing("**/permissions profile**", lines, "")}, nil
	}
	i := slices.IndexFunc(all.Profiles, func(p wire.Profile) bool { return p.Name == name })
	if i < 0 {
		return answer{}, badRequest{fmt.Errorf("there is no profile %q", name)}
	}
	return answer{message: listing("**/permissions profile** "+short(name)+", in the order in which it is looked at", patterns(all.Profiles[i]), "")}, nil
}

// patterns are the lists of a profile in the order of evaluation.
func patterns(p wire.Profile) []string {
	var lines []string
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"deny", p.Deny}, {"allow", p.Allow}, {"ask", p.Ask}} {
		for _, pattern := range list.patterns {
			lines = append(lines, list.name+" "+pattern)
		}
	}
	return append(lines, "else denied")
}

// from says where an agent's profile is from.
func from(a wire.AgentProfile) string {
	if a.Given == nil {
		return "of the configuration"
	}
	return fmt.Sprintf("given by %s at %s in place of %s", a.Given.By, a.Given.At.Local().Format(time.DateTime), cmp.Or(a.Configured, "none"))
}
