package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

// AgentProfile is what an agent's profile says of the actions of its calls. While a
// changed file waits for a person it may be two profiles, of which the stricter
// answer counts. The nil pointer is no profile: it limits and grants nothing. It does
// not change and is safe for concurrent use.
type AgentProfile struct {
	name     string
	lists    profile.Profile
	compiled *profile.Compiled
	// parts are the same without its ask patterns, and what only these decide; made
	// when a list of tools is asked for.
	parts func() (granting, asking *profile.Compiled)
	// missing says why there is no such profile; everything is denied then.
	missing string
	// other is the second of two profiles.
	other *AgentProfile
	// limits tells that it grants nothing: of two configurations one has no profile.
	limits bool
}

// NewAgentProfile compiles a profile under a name. Its error is that of
// profile.Compile.
func NewAgentProfile(name string, lists profile.Profile) (*AgentProfile, error) {
	compiled, err := profile.Compile(lists)
	if err != nil {
		return nil, err
	}
	parts := sync.OnceValues(func() (granting, asking *profile.Compiled) {
		allow := lists
		allow.Ask = nil
		ask := lists
		ask.Allow, ask.Deny = nil, slices.Concat(lists.Deny, lists.Allow)
		return mustCompile(allow), mustCompile(ask)
	})
	return &AgentProfile{name: name, lists: lists, compiled: compiled, parts: parts}, nil
}

// mustCompile compiles patterns that were compiled before.
func mustCompile(lists profile.Profile) *profile.Compiled {
	c, err := profile.Compile(lists)
	if err != nil {
		panic("config: patterns that were good: " + err.Error())
	}
	return c
}

// Name is the profile's name, or where its lists stand; empty for none.
func (p *AgentProfile) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

// Missing says why there is no such profile; empty when there is.
func (p *AgentProfile) Missing() string {
	switch {
	case p == nil:
		return ""
	case p.missing == "" && p.other != nil:
		return p.other.missing
	}
	return p.missing
}

// Decide answers for all actions of a call; nil when there is no profile, or when
// one of two is none and the other would allow.
func (p *AgentProfile) Decide(actions []string) *engine.ProfileAnswer {
	return p.decide(func(c *profile.Compiled) engine.ProfileAnswer { return c.Decide(actions) })
}

// DecideUnanalysed is Decide for a call that could not be analysed: only patterns
// that speak of everything allow it. Source: design section 5.
func (p *AgentProfile) DecideUnanalysed(actions []string) *engine.ProfileAnswer {
	return p.decide(func(c *profile.Compiled) engine.ProfileAnswer { return c.DecideUnanalysed(actions) })
}

// DecideUnknown answers for a call of which not even the actions are known: it is
// denied unless each of its actions would be allowed, or asked about, whatever they
// are.
func (p *AgentProfile) DecideUnknown(why string) *engine.ProfileAnswer {
	if p == nil {
		return nil
	}
	answer := p.unknown(why)
	if p.other != nil {
		return p.stricter(answer, p.other.unknown(why))
	}
	return p.stricter(answer, answer)
}

func (p *AgentProfile) unknown(why string) engine.ProfileAnswer {
	a := engine.ProfileAnswer{Name: p.name, Note: p.missing}
	switch {
	case p.missing != "":
	case p.limitless():
		a.Behavior, a.Pattern, a.Action = engine.Allow, everything, "whatever the call does"
	case len(p.lists.Deny) == 0 && slices.Contains(p.lists.Ask, everything):
		a.Behavior, a.Pattern, a.Action = engine.Ask, everything, "whatever the call does"
	default:
		a.Note = "what the call does is not known, so that no pattern speaks of it: " + why
	}
	return a
}

// everything matches each action string, line feeds included.
const everything = "(?s)tool:.*"

// limitless tells that the profile allows every action.
func (p *AgentProfile) limitless() bool {
	return len(p.lists.Deny) == 0 && slices.Contains(p.lists.Allow, everything)
}

func (p *AgentProfile) decide(ask func(*profile.Compiled) engine.ProfileAnswer) *engine.ProfileAnswer {
	if p == nil {
		return nil
	}
	first := p.answer(ask)
	if p.other == nil {
		return p.stricter(first, first)
	}
	return p.stricter(first, p.other.answer(ask))
}

// answer is the answer of the one profile.
func (p *AgentProfile) answer(ask func(*profile.Compiled) engine.ProfileAnswer) engine.ProfileAnswer {
	if p.missing != "" {
		return engine.ProfileAnswer{Name: p.name, Note: p.missing}
	}
	return ask(p.compiled)
}

// stricter is the stricter of two answers. An ask of one alone comes before what
// the tool itself or the mode would deny, which the other leaves denied: it only
// tightens.
func (p *AgentProfile) stricter(a, b engine.ProfileAnswer) *engine.ProfileAnswer {
	out, both := a, a.Behavior == b.Behavior
	if b.Behavior < a.Behavior {
		out = b
	}
	switch {
	case out.Behavior == engine.Ask:
		out.OnlyTightens = p.limits || !both
	case out.Behavior == engine.Allow && p.limits:
		return nil
	}
	return &out
}

// Offers reports whether a tool that produces actions of these shapes may ever be
// allowed or asked about, as far as the profile has a say. See profile.Offers.
func (p *AgentProfile) Offers(shapes ...profile.Shape) bool {
	return p == nil || p.missing == "" && p.compiled.Offers(shapes...) && p.other.Offers(shapes...)
}

// Grants is Offers for what the profile itself may allow; none grants nothing.
func (p *AgentProfile) Grants(shapes ...profile.Shape) bool {
	if p == nil || p.limits || p.missing != "" {
		return false
	}
	granting, _ := p.parts()
	return granting.Offers(shapes...) && (p.other == nil || p.other.Grants(shapes...))
}

// OnlyLimits tells that the profile grants nothing, because one of two configurations
// has none.
func (p *AgentProfile) OnlyLimits() bool { return p != nil && p.limits }

// Asks is Offers for what the profile itself may ask about; none asks nothing.
func (p *AgentProfile) Asks(shapes ...profile.Shape) bool {
	if p == nil || p.missing != "" {
		return false
	}
	_, asking := p.parts()
	return asking.Offers(shapes...) || p.other.Asks(shapes...)
}

// String names the profile and, unless it is a preset, shows its lists.
func (p *AgentProfile) String() string {
	switch {
	case p == nil:
		return ""
	case p.missing != "":
		return p.name + " (" + p.missing + ": everything is denied)"
	case presets()[p.name] != nil:
		return p.name
	}
	var lists []string
	for _, l := range []struct {
		name     string
		patterns []string
	}{{"allow", p.lists.Allow}, {"ask", p.lists.Ask}, {"deny", p.lists.Deny}} {
		if len(l.patterns) > 0 {
			lists = append(lists, fmt.Sprintf("%s %q", l.name, l.patterns))
		}
	}
	if len(lists) == 0 {
		return p.name + " (nothing)"
	}
	return p.name + " (" + strings.Join(lists, ", ") + ")"
}

// Canonical is a text that is equal for profiles of which Callgate can tell that
// they decide the same; empty for none. What is no wider than another says what it
// says alone.
func (p *AgentProfile) Canonical() string {
	switch {
	case p == nil:
		return ""
	case p.other != nil && p.other.within(p):
		return p.other.Canonical()
	case p.other != nil && p.within(p.other):
		one := *p
		one.other = nil
		return one.Canonical()
	case p.other != nil:
		return "both of " + p.text() + p.other.Canonical()
	case p.limits && len(p.lists.Allow) > 0:
		return "limits " + p.text()
	}
	return p.text()
}

func (p *AgentProfile) text() string {
	text, err := json.Marshal([][]string{set(p.lists.Deny), set(p.lists.Allow), set(p.lists.Ask)})
	if err != nil {
		panic("config: lists of texts are JSON: " + err.Error())
	}
	return string(text)
}

func set(patterns []string) []string {
	sorted := slices.Sorted(slices.Values(patterns))
	return slices.Compact(sorted)
}

// within tells, by the patterns' texts alone, that p allows no action that wider does not
// allow, and asks about none that wider denies.
func (p *AgentProfile) within(wider *AgentProfile) bool {
	has := func(list []string) func(string) bool {
		return func(pattern string) bool { return slices.Contains(list, pattern) }
	}
	all := func(list []string, in func(string) bool) bool {
		return !slices.ContainsFunc(list, func(pattern string) bool { return !in(pattern) })
	}
	w := wider.lists
	if wider.limitless() {
		return true
	}
	return all(w.Deny, has(p.lists.Deny)) && all(p.lists.Allow, has(w.Allow)) &&
		all(p.lists.Ask, func(pattern string) bool { return has(w.Ask)(pattern) || has(w.Allow)(pattern) })
}

// stricterProfile answers with the stricter of both. One that appears, or goes away,
// limits and grants nothing.
func stricterProfile(was, will *AgentProfile) *AgentProfile {
	switch {
	case was == will || was != nil && will != nil && sameLists(was.lists, will.lists):
		return will
	case was == nil:
		return will.limit()
	case will == nil:
		return was.limit()
	}
	both := *was
	both.other = will
	return &both
}

// limit is the profile without what it grants.
func (p *AgentProfile) limit() *AgentProfile {
	if p.limitless() {
		return nil
	}
	out := *p
	out.limits = true
	return &out
}

func sameLists(a, b profile.Profile) bool {
	return slices.Equal(a.Allow, b.Allow) && slices.Equal(a.Ask, b.Ask) && slices.Equal(a.Deny, b.Deny)
}
