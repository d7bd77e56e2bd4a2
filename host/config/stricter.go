package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
)

// Combination answers for every question the stricter of two configurations:
// the one a person accepted, and the one that the file has become. What cannot be
// told to be stricter stays as accepted. Source: design section 8, "what was
// changed outside Callgate takes effect at once where it tightens". It is safe for
// concurrent use.
type Combination struct {
	accepted, next *Config
}

// Stricter combines an accepted configuration with the next one. Of one
// configuration with itself it says what that one says.
func Stricter(accepted, next *Config) *Combination { return &Combination{accepted, next} }

// Agent returns what holds for an agent: no call is decided looser than with the
// accepted configuration, and none looser than with the next one but for what
// Widenings lists.
func (c *Combination) Agent(name string) Agent {
	return stricterAgent(c.accepted.Agent(name), c.next.Agent(name))
}

// AllRules returns the rules that hold for any agent, each once.
func (c *Combination) AllRules() []engine.Rule {
	var out []engine.Rule
	seen := map[string]bool{}
	c.eachAgent(func(_ string, was, will []engine.Rule) {
		for _, r := range stricterRules(was, will) {
			if id := identity(r); !seen[id] {
				seen[id] = true
				out = append(out, r)
			}
		}
	})
	return out
}

// identity is equal for rules that stand at the same place and say the same.
func identity(r engine.Rule) string { return r.ID + "\x00" + r.ScopeKey + "\x00" + sameRule(r) }

// ToolConfig returns what was accepted: only the tool could tell which of two
// settings is the stricter.
func (c *Combination) ToolConfig(agent, module string, names ...string) json.RawMessage {
	return c.accepted.ToolConfig(agent, module, names...)
}

// Modules returns where the modules are, as accepted, and what each may do and use:
// what both configurations let it. A module that has a grant in the next one alone
// may use what one without a grant may.
func (c *Combination) Modules() Modules {
	was, will := c.accepted.Modules, c.next.Modules
	m := Modules{
		Dir: was.Dir, MemoryMiB: min(was.MemoryMiB, will.MemoryMiB), Limits: stricterLimits(was.LimitsSet(Grant{}), will.LimitsSet(Grant{})), Grants: map[string]Grant{},
		Dev: was.Dev && will.Dev, Keys: bothKeys(was.Keys, will.Keys), RequireSignature: stricterNeed(was.RequireSignature, will.RequireSignature),
	}
	for name, g := range was.Grants {
		stricter := stricterGrant(g, will.Grants[name])
		stricter.Limits = stricterLimits(was.LimitsSet(g), will.LimitsSet(will.Grants[name]))
		m.Grants[name] = stricter
	}
	return m
}

// Asks returns the tighter of the two bounds on questions, each by itself.
func (c *Combination) Asks() Asks {
	a, n := c.accepted.Asks, c.next.Asks
	return Asks{
		Timeout:          min(a.Timeout, n.Timeout),
		PerSession:       min(a.PerSession, n.PerSession),
		PerAgent:         min(a.PerAgent, n.PerAgent),
		RepeatDenial:     max(a.RepeatDenial, n.RepeatDenial),
		PauseAfter:       min(a.PauseAfter, n.PauseAfter),
		ApprovalLifetime: min(a.ApprovalLifetime, n.ApprovalLifetime),
	}
}

// names are the agents that either configuration names, after "", which stands
// for all others.
func (c *Combination) names() []string {
	names := slices.Concat([]string{""}, sortedKeys(c.accepted.Agents), sortedKeys(c.next.Agents))
	slices.Sort(names)
	return slices.Compact(names)
}

// stricterGrant keeps the accepted names and configuration: a tool that loses its
// module is judged by another one, where its rules mean something else.
func stricterGrant(was, will Grant) Grant {
	out := was
	out.MayAllow = was.MayAllow && will.MayAllow
	out.MayReadOnly = was.MayReadOnly && will.MayReadOnly
	return out
}

// stricterAgent begins with what was accepted, so that a setting it does not know
// stays as it was.
func stricterAgent(was, will Agent) Agent {
	out := was
	out.Named = was.Named && will.Named
	out.Mode = engine.Stricter(was.Mode, will.Mode)
	out.WorkingDirectories = bothDirectories(was.WorkingDirectories, will.WorkingDirectories)
	if will.Kind == engine.Background {
		out.Kind = will.Kind
	}
	out.Lists.Disallowed = united(was.Lists.Disallowed, will.Lists.Disallowed)
	out.Lists.Allowed = allowedByBoth(was.Lists.Allowed, will.Lists.Allowed)
	out.Lists.IgnoreDenylist = was.Lists.IgnoreDenylist && will.Lists.IgnoreDenylist
	out.Profile = stricterProfile(was.Profile, will.Profile)
	out.Timeout = min(was.Timeout, will.Timeout)
	if will.ResumeAsks == "deny" {
		out.ResumeAsks = will.ResumeAsks
	}
	out.FollowClientMode = was.FollowClientMode && will.FollowClientMode
	out.Dialect = stricterDialect(was.Dialect, will.Dialect)
	out.PersistentShell = was.PersistentShell || will.PersistentShell
	out.Callback = stricterCallback(was.Callback, will.Callback)
	out.SubAgents = stricterSubAgents(was.SubAgents, will.SubAgents)
	out.Skills = stricterSkills(was.Skills, will.Skills)
	out.Rules = Rules{stricter: &[2]Rules{was.Rules, will.Rules}}
	return out
}

// bothDirectories are those in both lists. The first accepted one stays, because
// relative patterns of rules, deny rules among them, are anchored there. A
// directory inside another is not taken for a part of it: it may be a link.
func bothDirectories(was, will []string) []string {
	var out []string
	for i, dir := range was {
		if i == 0 || slices.Contains(will, dir) {
			out = append(out, dir)
		}
	}
	return out
}

func united(was, will []string) []string {
	out := slices.Clone(will)
	for _, name := range was {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// allowedByBoth are the entries that both lists allow; nil allows everything.
func allowedByBoth(was, will []string) []string {
	switch {
	case was == nil:
		return slices.Clone(will)
	case will == nil:
		return slices.Clone(was)
	}
	out := []string{}
	for _, name := range will {
		if covered(was, name) {
			out = append(out, name)
		}
	}
	for _, name := range was {
		if covered(will, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// covered reports whether whatever an entry names is named by an entry of list: by
// the same one, or, when the entry is a glob, by a wider glob. A glob does not
// cover a plain name, which a tool of its own may match in another case.
func covered(list []string, entry string) bool {
	return slices.ContainsFunc(list, func(wider string) bool {
		return wider == entry || strings.ContainsAny(entry, "*?") && !strings.Contains(wider, "?") && engine.MatchName(wider, entry)
	})
}

// stricterRules are the deny and ask rules of both, and the allow rules in both.
// A rule in both is the next one's, for its place in the file, and lasts as long
// as is stricter. An ask rule of one alone comes before what the tool itself would
// deny, which the other leaves denied: it only tightens.
func stricterRules(was, will []engine.Rule) []engine.Rule {
	held, hold := lasting(was), lasting(will)
	out := make([]engine.Rule, 0, len(will))
	for _, r := range will {
		end, both := held[sameRule(r)]
		if r.Behavior == engine.Allow {
			if !both {
				continue
			}
			r.ExpiresAt = earlier(r.ExpiresAt, end)
		}
		r.OnlyTightens = r.Behavior == engine.Ask && (!both || before(end, r.ExpiresAt))
		out = append(out, r)
	}
	for _, r := range was {
		if r.Behavior != engine.Allow && !holds(hold, r) {
			r.OnlyTightens = r.Behavior == engine.Ask
			out = append(out, r)
		}
	}
	return out
}

// holds reports whether a deny or ask rule goes on: it is there for as long, or,
// for an ask rule, the same as a deny rule is. What an ask rule matches, the same
// text as a deny rule matches as well (docs/abi.md).
func holds(after map[string]time.Time, r engine.Rule) bool {
	end, there := after[sameRule(r)]
	if there && !before(end, r.ExpiresAt) {
		return true
	}
	if r.Behavior != engine.Ask {
		return false
	}
	r.Behavior = engine.Deny
	end, there = after[sameRule(r)]
	return there && !before(end, r.ExpiresAt)
}

// lasting tells until when each rule holds; the zero time is for ever.
func lasting(rules []engine.Rule) map[string]time.Time {
	out := make(map[string]time.Time, len(rules))
	for _, r := range rules {
		key := sameRule(r)
		if end, there := out[key]; !there || before(end, r.ExpiresAt) {
			out[key] = r.ExpiresAt
		}
	}
	return out
}

// sameRule is equal for rules that match the same calls of one agent and do the
// same with them.
func sameRule(r engine.Rule) string {
	key := r.Behavior.String() + "\x00" + r.Tool
	if !r.WholeTool() {
		key += "\x00" + *r.Content
	}
	return key
}

// before compares ends; the zero time is for ever.
func before(a, b time.Time) bool { return !a.IsZero() && (b.IsZero() || a.Before(b)) }

func earlier(a, b time.Time) time.Time {
	if before(b, a) {
		return b
	}
	return a
}
