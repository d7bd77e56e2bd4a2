package config

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// Position is a place in the file, counted from 1; zero means "not from a file".
type Position = strictyaml.Position

// Config is the operator's configuration. A value got from [Parse], [Open] or
// [Default] is complete, checked, and not changed by anyone afterwards; all
// methods are safe for concurrent use.
type Config struct {
	// File is where it was read from; empty for Default.
	File string `yaml:"-"`

	// Defaults are the settings of every agent, unless its own block says otherwise.
	Defaults Settings `yaml:"defaults"`
	// Agents are the settings of single agents, by name.
	Agents map[string]Block `yaml:"agents"`
	// Rules hold for every agent. Their order does not matter.
	Rules []Rule `yaml:"rules"`
	// Profiles are the profiles that agents may have besides the presets, by name.
	Profiles map[string]Profile `yaml:"profiles"`
	// Tools are the operator's settings for single tools, by tool name.
	Tools map[string]Tool `yaml:"tools"`
	// People are the users of agents and the approvers, by their name in calls, tokens and the
	// audit.
	People map[string]Person `yaml:"people"`
	// PermissionGrants are the permissions a role may grant through an agent or a chat: names of
	// profiles, mode:NAME (this mode, or a stricter one) and rules:global. Left out: only
	// administrators may grant anything.
	PermissionGrants approvers.Grants `yaml:"permission_grants"`
	// Webhooks receive signed reports of asks and denials.
	Webhooks []Webhook `yaml:"webhooks"`
	// Discord is where asks are shown as cards and answered. Left out: nowhere.
	Discord Discord `yaml:"discord"`
	// Paths are the operator's lists of paths, for every tool.
	Paths Paths `yaml:"paths"`
	// Modules configures foreign tool modules and their permissions.
	Modules Modules `yaml:"modules"`
	// Asks bounds the questions put to people.
	Asks Asks `yaml:"asks"`
	// Audit says how long decisions are kept.
	Audit Audit `yaml:"audit"`
	// Telemetry says where programs read the daemon's numbers. Left out: nowhere but in the API.
	Telemetry Telemetry `yaml:"telemetry"`
	// Console opens the web console to browsers of other machines. Left out: to this machine's alone.
	Console Console `yaml:"console"`
	// Gateway lets gateways ask before they forward a call to an MCP server. Left out: no door.
	Gateway Gateway `yaml:"gateway"`
	// Hooks says how the hooks of the agents' clients are watched. Left out: not at all.
	Hooks Hooks `yaml:"hooks"`
	// Listen is a unix socket (absolute path or ~/...) or a loopback address
	// with port. Default: callgate.sock in the state directory.
	Listen string `yaml:"listen"`
	// Boundary names the accounts with access to the daemon's socket. Left out: the daemon's own
	// and root.
	Boundary Boundary `yaml:"boundary"`
	// Store is the place of rules, sessions, asks and audit: a SQLite file, or a PostgreSQL database
	// as postgres://USER@HOST/DATABASE. Default: callgate.db in the state directory.
	Store string `yaml:"store"`

	dirs Dirs
	data []byte
	// byTool are the rules, ready to be looked up.
	byTool ruleLists
	// tightened is nil unless a changed file waits.
	tightened *tightened
	// named are Profiles, compiled.
	named map[string]*AgentProfile
	// places tell where each value stands in the file.
	places strictyaml.Places
}

// Settings can be set for one agent or for all. Missing settings fall back to defaults, then to the
// built-in value given with each key.
type Settings struct {
	// Mode decides calls without a matching rule or a tool's decision: default, accept_edits,
	// explore, bypass, trusted or dont_ask, or a client's name for one. Built in: default.
	Mode *engine.Mode `yaml:"mode"`
	// WorkingDirectories is the whole list of directories the agent works in,
	// absolute or ~/...; links in them are resolved when a call is judged.
	// Built in: none.
	WorkingDirectories []string `yaml:"working_directories"`
	// Home is the agent's home directory, the meaning of ~ in its calls. Built in: the home of the
	// account Callgate runs as.
	Home string `yaml:"home"`
	// User is the name of the person the agent works for, for the audit.
	User string `yaml:"user"`
	// Kind tells who is there to answer: main, interactive_fork, or background,
	// where every ask is a denial. Built in: main.
	Kind *engine.Kind `yaml:"kind"`
	// AllowedTools restricts the agent to these tools, in every mode; an empty
	// list allows none. It grants nothing. Built in: no restriction.
	AllowedTools []string `yaml:"allowed_tools"`
	// DisallowedTools are denied in every mode. Those of defaults and of the
	// agent are united.
	DisallowedTools []string `yaml:"disallowed_tools"`
	// RespectDenylist false lifts disallowed_tools; lawful only beside mode: trusted.
	// Built in: true.
	RespectDenylist *bool `yaml:"respect_denylist"`
	// Profile limits the agent's actions, and lists actions for a person's decision; allowed
	// actions still go through the mode and the rules. open, standard, locked, a name of profiles,
	// or lists in place. An unknown name denies everything. Built in: no profile.
	Profile *ProfileChoice `yaml:"profile"`
	// Timeout is how long an ask of this agent waits for an answer before it
	// denies, such as 60s. Built in: asks.timeout.
	Timeout Duration `yaml:"timeout"`
	// ResumeAsks is the effect of an ask rule in a resumed session: ask (when an approver is
	// attached) or deny. Built in: ask.
	ResumeAsks string `yaml:"resume_asks"`
	// Reads says whether people may trust project folders for the agent, for reads or edits without
	// an ask: trusted (they may) or ask (no card offers it, and no folder counts). Built in:
	// trusted.
	Reads string `yaml:"reads"`
	// FollowClientMode lets the mode the agent's client reports loosen the
	// operator's; without it, it can only tighten. Built in: false.
	FollowClientMode *bool `yaml:"follow_client_mode"`
	// Dialect is the shell of the agent's command lines: bash, sh, zsh, fish, pwsh or cmd.
	// Lines of the last three are not analysed: each asks, and only rules with its exact text
	// match. Built in: unknown: the worst of bash, dash and zsh.
	Dialect Dialect `yaml:"dialect"`
	// PersistentShell says that the agent's client keeps one shell for all calls of a session: once
	// an allowed call has changed this shell (cd, export, alias, source, ...), calls depending on
	// its state need approval until the session is cleared. Built in: false, every call gets a
	// shell of its own.
	PersistentShell *bool `yaml:"persistent_shell"`
	// Callback answers the agent's asks in place of people; an agent's own replaces the one of
	// defaults, and {} removes it. Built in: none, people are asked.
	Callback *Callback `yaml:"callback"`
	// SubAgents limit the sub-agents of the agent's client, by the client's name for them; * stands
	// for each without an entry. Built in: the agent's own limits.
	SubAgents map[string]SubAgent `yaml:"sub_agents"`
	// Skills restrict the agent to these tools while a skill of this name is active, besides the
	// client's own restriction. Built in: no restriction.
	Skills map[string][]string `yaml:"skills"`
	// Approvers says who may answer asks about this agent's calls. Built in: everybody
	// who has a token for it.
	Approvers *Approvers `yaml:"ask_approvers"`
	// Discord is where asks about this agent's calls are shown in Discord. Built in:
	// nowhere.
	Discord *DiscordRoute `yaml:"discord"`
	// Tools sets tool configuration for this agent; its keys replace those of
	// the global tools of the same name.
	Tools map[string]Tool `yaml:"tools"`
}

// Block is one agent's own settings and rules.
type Block struct {
	Settings
	// Rules hold for this agent only, besides the global ones.
	Rules []Rule `yaml:"rules"`
}

// Tool is the operator's configuration of one tool.
type Tool struct {
	// Config goes to the tool's module as it is.
	Config json.RawMessage `yaml:"config"`
	// Approvers says who may answer asks about calls of the tool.
	Approvers *Approvers `yaml:"ask_approvers"`
}

// Modules configures foreign tool modules and their permissions. The modules embedded in the binary
// need none of it.
type Modules struct {
	// Dir holds *.wasm files, absolute or ~/.... Default: modules in the
	// configuration directory.
	Dir string `yaml:"dir"`
	// MemoryMiB is the memory of all modules together, in MiB; a change holds from the next start
	// on. Default: 1024.
	MemoryMiB int64 `yaml:"memory_mib"`
	// Limits are the limits of each module, including those embedded in the binary.
	Limits Limits `yaml:"limits"`
	// Grants are permissions of single modules, by module name. config and limits hold for every
	// module. names, may_allow and may_read_only hold only for modules loaded without a pin through
	// dev; for a pinned module those of callgate tool add hold.
	Grants map[string]Grant `yaml:"grants"`
	// Dev loads unpinned files of the directory, and loads them again after every change. For
	// writing modules; default: false.
	Dev bool `yaml:"dev"`
	// Keys are the Ed25519 public keys for signatures of modules, by name: the base64 of 32 bytes,
	// or PEM. Built in: none.
	Keys map[string]PublicKey `yaml:"keys"`
	// RequireSignature is true, or a list of modules, by name or file; these load only with a
	// signature by a key of keys. Default: false.
	RequireSignature SignatureNeed `yaml:"require_signature"`
}

// Grant is the configuration of one module. Everything is off by default.
type Grant struct {
	// Names are the tool names and globs the module may claim; empty means the plain names it
	// declares itself. Not for a pinned module.
	Names []string `yaml:"names"`
	// MayAllow lets the module's own "allow" count. Not for a pinned module.
	MayAllow bool `yaml:"may_allow"`
	// MayReadOnly lets the module's own "read only" count. Not for a pinned module.
	MayReadOnly bool `yaml:"may_read_only"`
	// Config goes to every tool of the module as it is; tools.NAME.config
	// replaces its keys.
	Config json.RawMessage `yaml:"config"`
	// Limits are this module's own limits, in place of those in modules.limits.
	Limits Limits `yaml:"limits"`
}

// Asks bounds the questions put to people.
type Asks struct {
	// Timeout is how long an ask is shown before it denies. Default: 60s.
	Timeout Duration `yaml:"timeout"`
	// PerSession is how many asks of one session may wait; a further one is denied
	// without a card. 0 to 1000; 0 is no limit. Default: 20.
	PerSession int `yaml:"per_session"`
	// PerAgent is how many asks of one agent may wait. 0 to 1000; 0 is no limit. Default: 20.
	PerAgent int `yaml:"per_agent"`
	// RepeatDenial is how long a call equal to a denied one is denied without
	// asking again. Default: 10m.
	RepeatDenial Duration `yaml:"repeat_denial"`
	// PauseAfter is how many denials or time-outs in a row pause a session
	// until an approver resumes it. 0 to 1000; 0 never pauses. Default: 3.
	PauseAfter int `yaml:"pause_after"`
	// ApprovalLifetime is how long an approval may be used, once. Default: 10m.
	ApprovalLifetime Duration `yaml:"approval_lifetime"`
	// Checks is how many checks the daemon has under way at once, those that wait for a person
	// included, and half of them for one token. One more gets an error (too_many_requests); the hook
	// and the MCP proxy send it again for a while, then deny. 32 to 10000. Default: 512. Holds from
	// the next start on.
	Checks int `yaml:"checks"`
}
