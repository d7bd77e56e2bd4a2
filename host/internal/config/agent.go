package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
)

// DefaultAgent is the agent of calls without an agent. It has the configuration's defaults unless
// it has a block of its own.
const DefaultAgent = "default"

// Agent is the complete configuration of one agent.
type Agent struct {
	Name string
	// Named reports whether the file has a block for it; otherwise defaults hold.
	Named bool
	Mode  engine.Mode
	// WorkingDirectories are absolute and clean, links in them not yet resolved.
	WorkingDirectories []string
	// Home is absolute; empty only when the account has none.
	Home string
	User string
	Kind engine.Kind
	// Lists are ready for engine.Request, but for Skills.
	Lists engine.Lists
	// Profile is nil for none.
	Profile *AgentProfile
	// Timeout is how long an ask waits.
	Timeout time.Duration
	// ResumeAsks is "ask" or "deny", as in engine.Request.
	ResumeAsks string
	// Reads is "trusted" or "ask".
	Reads            string
	FollowClientMode bool
	// Dialect is the shell of the agent's lines; empty when unknown.
	Dialect         Dialect
	PersistentShell bool
	// Callback answers the agent's asks; without URL nothing does.
	Callback Callback
	// Discord is where asks are shown in Discord; nowhere when its Shown is false.
	Discord DiscordRoute
	// SubAgents and Skills are nil for none.
	SubAgents map[string]SubAgent
	Skills    map[string][]string
	// Rules are the global ones and the agent's own.
	Rules Rules
}

// Agent returns the configuration of the named agent; an agent without a block, and the empty name,
// get the defaults and the global rules.
func (c *Config) Agent(name string) Agent {
	if c.tightened != nil {
		a := c.tightened.agent(name)
		a.Rules = c.rulesOf(name)
		return a
	}
	block, named := c.Agents[name]
	d, own := c.Defaults, block.Settings
	return Agent{
		Name:               name,
		Named:              named,
		Mode:               first(own.Mode, d.Mode, engine.DefaultMode),
		WorkingDirectories: slices.Clone(firstList(own.WorkingDirectories, d.WorkingDirectories)),
		Home:               firstText(own.Home, d.Home, c.dirs.Home),
		User:               c.nameOf(firstText(own.User, d.User)),
		Kind:               first(own.Kind, d.Kind, engine.Main),
		Lists:              c.lists(own),
		Profile:            c.profileOf(own),
		Timeout:            own.Timeout.or(Duration(d.Timeout.or(c.Asks.Timeout))),
		ResumeAsks:         firstText(own.ResumeAsks, d.ResumeAsks, "ask"),
		Reads:              firstText(own.Reads, d.Reads, "trusted"),
		FollowClientMode:   first(own.FollowClientMode, d.FollowClientMode, false),
		Dialect:            Dialect(firstText(string(own.Dialect), string(d.Dialect))),
		PersistentShell:    first(own.PersistentShell, d.PersistentShell, false),
		Callback:           c.callbackOf(own),
		Discord:            c.discordOf(own),
		SubAgents:          c.subAgentsOf(own),
		Skills:             c.skillsOf(own),
		Rules:              c.rulesOf(name),
	}
}

// lists unites the disallowed tools. The agent's own allowed_tools replaces the defaults' list, and
// respect_denylist holds only together with the mode of the same block.
func (c *Config) lists(own Settings) engine.Lists {
	respect := own.RespectDenylist
	if respect == nil && own.Mode == nil {
		respect = c.Defaults.RespectDenylist
	}
	return engine.Lists{
		Disallowed:     slices.Concat(c.Defaults.DisallowedTools, own.DisallowedTools),
		Allowed:        slices.Clone(firstList(own.AllowedTools, c.Defaults.AllowedTools)),
		IgnoreDenylist: respect != nil && !*respect,
	}
}

// ToolConfig returns the operator's settings for a tool, for its module; nil for none. names are
// the tool's canonical name and its aliases. The agent's own keys replace the global ones, these
// the keys of the module's grant, these the settings of paths; module may be empty.
func (c *Config) ToolConfig(agent, module string, names ...string) json.RawMessage {
	config := overlay(c.Paths.config(), c.Modules.Grants[module].Config)
	for _, tools := range []map[string]Tool{c.Tools, c.Defaults.Tools, c.Agents[agent].Tools} {
		for _, name := range names {
			config = overlay(config, tools[name].Config)
		}
	}
	return config
}

// overlay puts the members of above over those of below; when either is no
// object, above replaces below.
func overlay(below, above json.RawMessage) json.RawMessage {
	if len(above) == 0 {
		return below
	}
	var under, over map[string]json.RawMessage
	if json.Unmarshal(below, &under) != nil || json.Unmarshal(above, &over) != nil || under == nil || over == nil {
		return above
	}
	for k, v := range over {
		under[k] = v
	}
	merged, err := json.Marshal(under)
	if err != nil {
		panic(fmt.Sprintf("config: two objects do not make one: %v", err)) // both were just decoded
	}
	return merged
}

func first[T any](own, fallback *T, builtIn T) T {
	switch {
	case own != nil:
		return *own
	case fallback != nil:
		return *fallback
	}
	return builtIn
}

func firstList[T any](own, fallback []T) []T {
	if own != nil {
		return own
	}
	return fallback
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// Rules are the global rules and the rules of one agent. A value does not change and is safe for
// concurrent use; the zero value has none. Making one costs nothing, however many rules there are.
type Rules struct {
	global, own *engine.RuleList
}

// Len is how many rules there are.
func (r Rules) Len() int { return r.global.Len() + r.own.Len() }

// All returns the rules. The list is the caller's own.
func (r Rules) All() []engine.Rule { return r.For(nil) }

// For returns the rules relevant for about, or all when it is nil. The caller owns the list.
func (r Rules) For(about *engine.About) []engine.Rule {
	return append(r.global.For(about), r.own.For(about)...)
}

// Live is For without the rules expired at now.
func (r Rules) Live(about *engine.About, now time.Time) []engine.Rule {
	return slices.DeleteFunc(r.For(about), func(r engine.Rule) bool {
		return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt)
	})
}

func (c *Config) rulesOf(agent string) Rules {
	return Rules{global: c.byTool.global, own: c.byTool.agents[agent]}
}

// ruleLists are the rules of a file, ready to be looked up.
type ruleLists struct {
	global *engine.RuleList
	agents map[string]*engine.RuleList
}

func newRuleLists(c *Config) ruleLists {
	lists := ruleLists{listOf(c.Rules), make(map[string]*engine.RuleList, len(c.Agents))}
	for name, block := range c.Agents {
		lists.agents[name] = listOf(block.Rules)
	}
	return lists
}

func listOf(rules []Rule) *engine.RuleList {
	if len(rules) == 0 {
		return nil
	}
	out := make([]engine.Rule, len(rules))
	for i := range rules {
		out[i] = rules[i].rule
	}
	return engine.NewRuleList(out)
}
