package config

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

// AgentProfile is the compiled profile of one agent. While a changed file waits for a person it may
// be two profiles: the stricter answer counts. The nil pointer is no profile: it limits nothing. It
// does not change and is safe for concurrent use.
type AgentProfile struct {
	name     string
	lists    profile.Profile
	compiled *profile.Compiled
	// parts are the same profiles without their ask patterns, and with nothing but these; made when
	// a list of tools is needed.
	parts func() (allowing, asking *profile.Compiled)
	// missing says why the profile does not exist; then everything is denied. RATIONALE.md,
	// "Why does a profile's name that nobody defined load?".
	missing string
	// other is the second of two profiles.
	other *AgentProfile
}

// NewAgentProfile compiles a profile under a name. Errors come from profile.Compile.
func NewAgentProfile(name string, lists profile.Profile) (*AgentProfile, error) {
	compiled, err := profile.Compile(lists)
	if err != nil {
		return nil, err
	}
	parts := sync.OnceValues(func() (allowing, asking *profile.Compiled) {
		allow := lists
		allow.Ask = nil
		ask := lists
		ask.Allow, ask.Deny = nil, slices.Concat(lists.Deny, lists.Allow)
		return mustCompile(allow), mustCompile(ask)
	})
	return &AgentProfile{name: name, lists: lists, compiled: compiled, parts: parts}, nil
}

// mustCompile compiles known good patterns.
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

// Decide answers for all actions of a call; nil when there is no profile.
func (p *AgentProfile) Decide(actions []string) *engine.ProfileAnswer {
	return p.decide(func(c *profile.Compiled) engine.ProfileAnswer { return c.Decide(actions) })
}

// DecideUnanalysed is Decide for a call without an analysis: only patterns for everything allow it.
func (p *AgentProfile) DecideUnanalysed(actions []string) *engine.ProfileAnswer {
	return p.decide(func(c *profile.Compiled) engine.ProfileAnswer { return c.DecideUnanalysed(actions) })
}

// DecideUnknown answers for a call with unknown actions: it is denied unless the profile allows, or
// asks about, every possible action.
func (p *AgentProfile) DecideUnknown(why string) *engine.ProfileAnswer {
	if p == nil {
		return nil
	}
	answer := p.unknown(why)
	if p.other != nil {
		answer = stricterAnswer(answer, p.other.unknown(why))
	}
	return &answer
}

func (p *AgentProfile) unknown(why string) engine.ProfileAnswer {
	a := engine.ProfileAnswer{Name: p.name, Note: p.missing}
	switch {
	case p.missing != "":
	case p.limitless():
		a.Behavior, a.Pattern, a.Action = engine.Allow, everything, "any effect"
	case len(p.lists.Deny) == 0 && slices.Contains(p.lists.Ask, everything):
		a.Behavior, a.Pattern, a.Action = engine.Ask, everything, "any effect"
	default:
		a.Note = "the call's effects are unknown, so no pattern matches it: " + why
	}
	return a
}

// everything matches each action string, line feeds included.
const everything = "(?s)tool:.*"

// limitless reports whether the profile allows every action.
func (p *AgentProfile) limitless() bool {
	return len(p.lists.Deny) == 0 && slices.Contains(p.lists.Allow, everything)
}

func (p *AgentProfile) decide(ask func(*profile.Compiled) engine.ProfileAnswer) *engine.ProfileAnswer {
	if p == nil {
		return nil
	}
	answer := p.answer(ask)
	if p.other != nil {
		answer = stricterAnswer(answer, p.other.answer(ask))
	}
	return &answer
}

// answer is the answer of the one profile.
func (p *AgentProfile) answer(ask func(*profile.Compiled) engine.ProfileAnswer) engine.ProfileAnswer {
	if p.missing != "" {
		return engine.ProfileAnswer{Name: p.name, Note: p.missing}
	}
	return ask(p.compiled)
}

func stricterAnswer(a, b engine.ProfileAnswer) engine.ProfileAnswer {
	if b.Behavior < a.Behavior {
		return b
	}
	return a
}

// Offers reports whether the profile may let a tool with actions of these shapes be allowed or
// asked about. See profile.Offers.
func (p *AgentProfile) Offers(shapes ...profile.Shape) bool {
	return p == nil || p.missing == "" && p.compiled.Offers(shapes...) && p.other.Offers(shapes...)
}

// Passes is Offers for actions left to the rest of the table without an ask; without a profile all
// pass.
func (p *AgentProfile) Passes(shapes ...profile.Shape) bool {
	if p == nil {
		return true
	}
	allowing, _ := p.parts()
	return p.missing == "" && allowing.Offers(shapes...) && p.other.Passes(shapes...)
}

// Asks is Offers for actions the profile itself may ask about; without a profile there are none.
func (p *AgentProfile) Asks(shapes ...profile.Shape) bool {
	if p == nil || p.missing != "" {
		return false
	}
	_, asking := p.parts()
	return asking.Offers(shapes...) || p.other.Asks(shapes...)
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

// within reports, from the patterns' texts alone, whether wider allows everything p allows, and
// denies nothing p asks about.
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

// stricterProfile answers with the stricter of both.
func stricterProfile(was, will *AgentProfile) *AgentProfile {
	switch {
	case will.Tightens(was):
		return will
	case will == nil:
		return was
	}
	both := *was
	both.other = will
	return &both
}

// Choice is a text for comparing two choices of a profile: its name, or the lists in place of a
// name; empty for none. Different lists under the same name are the same choice.
func (p *AgentProfile) Choice() string {
	switch {
	case p == nil:
		return ""
	}
	if strings.HasSuffix(p.name, ".profile") { // the place of lists, see compile
		return p.text()
	}
	return p.name
}

// Lists are the profile's patterns; of two profiles those of the accepted one.
func (p *AgentProfile) Lists() Profile {
	if p == nil {
		return Profile{}
	}
	return Profile{Allow: p.lists.Allow, Ask: p.lists.Ask, Deny: p.lists.Deny}
}

// Tightens reports whether replacing before by this profile provably allows the agent nothing more.
// It compares the patterns' texts, so it may report false for a tighter profile.
func (p *AgentProfile) Tightens(before *AgentProfile) bool {
	switch {
	case before == nil:
		return true
	case p == nil:
		return before.other == nil && before.limitless()
	case p.missing != "":
		return true
	case p.other != nil || before.other != nil:
		return false
	}
	return p.within(before)
}

// AgentNames are the agents named in the file.
func (c *Config) AgentNames() []string { return sortedKeys(c.Agents) }

// ProfileChoices are the agent's profile in the accepted configuration and in the file; they differ
// only while a changed file waits.
func (c *Config) ProfileChoices(agent string) (accepted, next string) {
	was, will := c, c
	if t := c.tightened; t != nil {
		was, will = t.accepted, t.file
	}
	return was.Agent(agent).Profile.Choice(), will.Agent(agent).Profile.Choice()
}

// BothProfiles answers with the stricter of two profiles; nil is none.
func BothProfiles(a, b *AgentProfile) *AgentProfile { return stricterProfile(a, b) }
