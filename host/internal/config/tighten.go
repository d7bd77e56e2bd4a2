package config

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// tightened are the two configurations behind the one in force while a changed file waits: the
// accepted one answers for an agent, with the file's tightening changes.
type tightened struct{ accepted, file *Config }

// agent begins with the accepted one; the rules are merged already.
func (t *tightened) agent(name string) Agent {
	a, file := t.accepted.Agent(name), t.file.Agent(name)
	for _, tighten := range agentTightens {
		tighten(&a, file)
	}
	return a
}

// agentTightens are the settings of agents with an immediate effect where they tighten: each makes
// the agent stricter, and reports whether it covers the file's whole change. A setting missing here
// waits.
var agentTightens = map[string]func(a *Agent, file Agent) (holds bool){
	"mode": taken(func(a *Agent) *engine.Mode { return &a.Mode },
		func(was, will engine.Mode) bool { return engine.Stricter(was, will) == will }),
	"kind": taken(func(a *Agent) *engine.Kind { return &a.Kind },
		func(was, will engine.Kind) bool { return was == will || will == engine.Background }),
	"working_directories": taken(func(a *Agent) *[]string { return &a.WorkingDirectories }, fewerDirectories),
	"allowed_tools":       taken(func(a *Agent) *[]string { return &a.Lists.Allowed }, noWider),
	"disallowed_tools": func(a *Agent, file Agent) bool {
		was, will := a.Lists.Disallowed, file.Lists.Disallowed
		a.Lists.Disallowed = slices.Concat(was, will)
		return allCovered(will, was)
	},
	"respect_denylist": taken(func(a *Agent) *bool { return &a.Lists.IgnoreDenylist }, noMore),
	"profile": func(a *Agent, file Agent) bool {
		was := a.Profile
		a.Profile = stricterProfile(was, file.Profile)
		return file.Profile.Tightens(was)
	},
	"timeout": taken(func(a *Agent) *time.Duration { return &a.Timeout }, noLonger[time.Duration]),
	"resume_asks": taken(func(a *Agent) *string { return &a.ResumeAsks },
		func(was, will string) bool { return was == will || will == "deny" }),
	"reads": taken(func(a *Agent) *string { return &a.Reads },
		func(was, will string) bool { return was == will || will == "ask" }),
	"follow_client_mode": taken(func(a *Agent) *bool { return &a.FollowClientMode }, noMore),
	"persistent_shell":   taken(func(a *Agent) *bool { return &a.PersistentShell }, func(was, will bool) bool { return will || !was }),
	"dialect": taken(func(a *Agent) *Dialect { return &a.Dialect }, func(was, will Dialect) bool {
		return was == will || will == "" && slices.Contains([]Dialect{"bash", "sh", "zsh"}, was) // the worst of these
	}),
	"callback": taken(func(a *Agent) *Callback { return &a.Callback }, func(was, will Callback) bool {
		return will.URL == "" || will.URL == was.URL && will.SecretFile == was.SecretFile && will.Timeout <= was.Timeout
	}),
	"sub_agents": taken(func(a *Agent) *map[string]SubAgent { return &a.SubAgents }, subAgentsTighten),
	"skills": taken(func(a *Agent) *map[string][]string { return &a.Skills }, func(was, will map[string][]string) bool {
		return !slices.ContainsFunc(either(was, will), func(name string) bool { return !noWider(was[name], will[name]) })
	}),
}

// subAgentsTighten compares each sub-agent. One with an entry in a single configuration is compared
// with the other's default sub-agent.
func subAgentsTighten(was, will map[string]SubAgent) bool {
	return !slices.ContainsFunc(either(was, will), func(name string) bool {
		a, _ := Agent{SubAgents: was}.SubAgent(name)
		b, _ := Agent{SubAgents: will}.SubAgent(name)
		mode := a.Mode == nil || b.Mode != nil && engine.Stricter(*a.Mode, *b.Mode) == *b.Mode
		directories := a.WorkingDirectories == nil || b.WorkingDirectories != nil && containsAll(a.WorkingDirectories, b.WorkingDirectories)
		return !mode || !directories || !noWider(a.AllowedTools, b.AllowedTools) || !allCovered(b.DisallowedTools, a.DisallowedTools)
	})
}

// taken takes a setting from the file when it tightens.
func taken[T any](setting func(*Agent) *T, tightens func(was, will T) bool) func(*Agent, Agent) bool {
	return func(a *Agent, file Agent) bool {
		was, will := setting(a), setting(&file)
		if !tightens(*was, *will) {
			return false
		}
		*was = *will
		return true
	}
}

// fileTightens are the other values with an immediate effect where they tighten, by their path in
// the file.
var fileTightens = map[string]func(was, will reflect.Value) bool{
	"asks.timeout":                   valued(noLonger[Duration]),
	"asks.per_session":               valued(noLonger[int]),
	"asks.per_agent":                 valued(noLonger[int]),
	"asks.pause_after":               valued(noLonger[int]),
	"asks.checks":                    valued(noLonger[int]),
	"asks.approval_lifetime":         valued(noLonger[Duration]),
	"asks.repeat_denial":             valued(func(was, will Duration) bool { return will >= was }),
	"audit.keep":                     valued(func(was, will Kept) bool { return was.longer(will) == will }),
	"modules.memory_mib":             valued(noLonger[int64]),
	"modules.dev":                    valued(noMore),
	"modules.keys.*":                 valued(func(_, will PublicKey) bool { return will == "" }),
	"modules.require_signature":      valued(func(was, will SignatureNeed) bool { return will.covers(was) }),
	"modules.grants.*.may_allow":     valued(noMore),
	"modules.grants.*.may_read_only": valued(noMore),
	"people.*.administrator":         valued(noMore),
	"people.*.oidc":                  valued(func(_, will string) bool { return will == "" }),
}

func valued[T any](tightens func(was, will T) bool) func(was, will reflect.Value) bool {
	return func(was, will reflect.Value) bool { return tightens(was.Interface().(T), will.Interface().(T)) }
}

func noLonger[T ~int | ~int64](was, will T) bool { return will <= was }
func noMore(was, will bool) bool                 { return was || !will }

// noWider compares lists of tools; nil allows everything.
func noWider(was, will []string) bool { return was == nil || will != nil && allCovered(was, will) }

func containsAll(list, entries []string) bool {
	return !slices.ContainsFunc(entries, func(e string) bool { return !slices.Contains(list, e) })
}

// tighten returns the immediate part of a changed value, and whether it is the whole change.
func (d *difference) tighten(path, pattern string, was, will reflect.Value) (inForce reflect.Value, holds bool) {
	last := pattern[strings.LastIndexByte(pattern, '.')+1:]
	setting, ofDefaults := strings.CutPrefix(pattern, "defaults.")
	setting, ofAgent := strings.CutPrefix(setting, "agents.*.")
	setting, _, _ = strings.Cut(setting, ".")
	tightens := fileTightens[pattern]
	switch {
	case last == "ask_approvers":
		return was, d.approversTighten() // see Config.Approvers
	case ofDefaults:
		return was, d.agentsTighten(setting, d.agents...) // see Config.Agent
	case ofAgent:
		return was, d.agentsTighten(setting, d.agent)
	case pattern == "profiles.*":
		name := strings.TrimPrefix(path, "profiles.")
		return was, d.file.Profile(name).Tightens(d.accepted.Profile(name)) // see Config.Profile
	case strings.HasPrefix(pattern, "modules.limits."), strings.HasPrefix(pattern, "modules.grants.*.limits."):
		holds = d.limitTightens(last)
	case pattern == "people.*.roles":
		return fewer(was, will, func(a, b string) bool { return a == b })
	case pattern == "permission_grants.*":
		return fewer(was, will, approvers.Covers)
	case pattern == "permission_grants": // missing in one of the two
		holds = !slices.ContainsFunc(sortedKeys(d.file.PermissionGrants), func(role string) bool { return len(d.file.PermissionGrants[role]) > 0 }) && !will.IsNil()
	case tightens != nil:
		holds = tightens(was, will)
	}
	if holds {
		return will, true
	}
	return was, false
}

// agentsTighten reports whether the file's setting of these agents holds completely.
func (d *difference) agentsTighten(key string, agents ...string) bool {
	tighten := agentTightens[key]
	return tighten != nil && !slices.ContainsFunc(agents, func(name string) bool {
		a := d.accepted.Agent(name)
		return !tighten(&a, d.file.Agent(name))
	})
}

// limitTightens reports whether no module may use more of a limit. RATIONALE.md, "How
// are two sets of limits compared?".
func (d *difference) limitTightens(name string) bool {
	settings := sandbox.Settings()
	s := settings[slices.IndexFunc(settings, func(s sandbox.Setting) bool { return s.Name == name })]
	was, will := d.accepted.Modules, d.file.Modules
	more := func(before, after Grant) bool { return s.Of(will.LimitsOf(after)) > s.Of(was.LimitsOf(before)) }
	return !more(Grant{}, Grant{}) && !slices.ContainsFunc(either(was.Grants, will.Grants), func(module string) bool {
		return more(was.Grants[module], will.Grants[module])
	})
}

// approversTighten reports whether in all places at least those have to agree whom the
// accepted configuration names.
func (d *difference) approversTighten() bool {
	for _, agent := range d.agents {
		tools := slices.Concat([]string{""}, d.accepted.ToolsWithApprovers(agent), d.file.ToolsWithApprovers(agent))
		for _, tool := range tools {
			will, safe := d.file.Approvers(agent, tool), d.file.SafetyApprovers(agent, tool)
			if len(will.With(d.accepted.Approvers(agent, tool)...)) > len(will) || len(safe.With(d.accepted.SafetyApprovers(agent, tool)...)) > len(safe) {
				return false
			}
		}
	}
	return true
}

// fewer are the entries of one list covered by the other.
func fewer(was, will reflect.Value, covers func(entry, other string) bool) (inForce reflect.Value, holds bool) {
	a, b := was.Interface().([]string), will.Interface().([]string)
	covered := func(list []string) func(string) bool {
		return func(entry string) bool {
			return !slices.ContainsFunc(list, func(wider string) bool { return covers(wider, entry) })
		}
	}
	if !slices.ContainsFunc(b, covered(a)) {
		return will, true
	}
	return reflect.ValueOf(slices.DeleteFunc(slices.Clone(a), covered(b))), false
}

// fewerDirectories keeps the first one, because relative patterns of rules, deny rules
// among them, are anchored there. A directory inside another is not taken for a part
// of it: it may be a link.
func fewerDirectories(was, will []string) bool {
	if len(was) == 0 || len(will) == 0 {
		return len(was) == len(will)
	}
	return was[0] == will[0] && containsAll(was, will)
}

// allCovered reports whether list covers each of the entries.
func allCovered(list, entries []string) bool {
	return !slices.ContainsFunc(entries, func(e string) bool { return !covered(list, e) })
}

// covered reports whether list covers an entry completely: by an equal entry, or, for a glob, by a
// wider glob. A glob does not cover a plain name: a tool of its own may match the name in another
// case.
func covered(list []string, entry string) bool {
	return slices.ContainsFunc(list, func(wider string) bool {
		return wider == entry || strings.ContainsAny(entry, "*?") && !strings.Contains(wider, "?") && engine.MatchName(wider, entry)
	})
}
