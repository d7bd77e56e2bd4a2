package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
)

// Agent is what holds for one agent, with nothing left open.
type Agent struct {
	Name string
	// Named tells that the file has a block for it; otherwise defaults hold.
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
	ResumeAsks       string
	FollowClientMode bool
	// Dialect is empty when nobody said which shell reads the agent's lines.
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

// Agent returns what holds for the agent of that name; an agent without a
// block, and the empty name, get the defaults and the global rules.
func (c *Config) Agent(name string) Agent {
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
		FollowClientMode:   first(own.FollowClientMode, d.FollowClientMode, false),
		Dialect:            Dialect(firstText(string(own.Dialect), string(d.Dialect))),
		PersistentShell:    first(own.PersistentShell, d.PersistentShell, false),
		Callback:           c.callbackOf(own),
		Discord:            c.discordOf(own),
		SubAgents:          c.subAgentsOf(own),
		Skills:             c.skillsOf(own),
		Rules:              Rules{global: c.byTool.global, own: c.byTool.agents[name]},
	}
}

// lists unites what is disallowed; the agent's own allowed_tools replaces the
// defaults', and respect_denylist holds only with the mode it stands beside.
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

// ToolConfig returns what the operator set for a tool, which goes to its module
// as it is; nil when nothing was set. names are the tool's canonical name and
// its aliases. The agent's own keys replace the global ones, these the keys of
// the module's grant, these what is said of paths; module may be empty.
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
