package config

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/strictyaml"
	"github.com/callgate/callgate/host/people"
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
	// Tools is what the operator sets for single tools, by tool name.
	Tools map[string]Tool `yaml:"tools"`
	// People are those whom agents work for and who answer asks, by the name that
	// calls, tokens and the audit have for them.
	People map[string]Person `yaml:"people"`
	// PermissionGrants tells what holders of a role may grant through an agent or a
	// chat: names of profiles, mode:NAME (that mode, or one that asks more) and
	// rules:global. Left out: only administrators may grant anything.
	PermissionGrants people.Grants `yaml:"permission_grants"`
	// Webhooks are places that are told, signed, of asks and denials.
	Webhooks []Webhook `yaml:"webhooks"`
	// Discord is where asks are shown as cards and answered. Left out: nowhere.
	Discord Discord `yaml:"discord"`
	// Paths are what the operator says of paths, for every tool.
	Paths Paths `yaml:"paths"`
	// Modules tells where tool modules of others are and what each may do.
	Modules Modules `yaml:"modules"`
	// Asks bounds the questions put to people.
	Asks Asks `yaml:"asks"`
	// Audit says how long what was decided is kept.
	Audit Audit `yaml:"audit"`
	// Listen is a unix socket (absolute path or ~/...) or a loopback address
	// with port. Default: callgate.sock in the state directory.
	Listen string `yaml:"listen"`
	// Boundary names the accounts that may use the daemon's socket. Left out:
	// the daemon's own and root.
	Boundary Boundary `yaml:"boundary"`
	// Store is the SQLite file of rules, sessions, asks and audit. Default:
	// callgate.db in the state directory.
	Store string `yaml:"store"`

	dirs Dirs
	data []byte
	// byTool are the rules, ready to be looked up.
	byTool ruleLists
	// named are Profiles, compiled.
	named map[string]*AgentProfile
	// places tell where each value stands in the file.
	places strictyaml.Places
}

// Settings are what can be set for one agent or for all. What is left out falls
// back to defaults, then to the built-in value given with each key.
type Settings struct {
	// Mode decides what no rule and no tool decides: default, accept_edits,
	// explore, bypass, trusted or dont_ask, or the name an agent uses for one.
	// Built in: default.
	Mode *engine.Mode `yaml:"mode"`
	// WorkingDirectories is the whole list of directories the agent works in,
	// absolute or ~/...; links in them are resolved when a call is judged.
	// Built in: none.
	WorkingDirectories []string `yaml:"working_directories"`
	// Home is the agent's home directory, what ~ means in its calls. Built in:
	// the home of the account Callgate runs as.
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
	// Profile is what the agent may do at most, and what it may do without being
	// asked about: open, standard, locked, a name of profiles, or lists in place. A
	// name that does not exist denies everything. Built in: no profile.
	Profile *ProfileChoice `yaml:"profile"`
	// Timeout is how long an ask of this agent waits for an answer before it
	// denies, such as 60s. Built in: asks.timeout.
	Timeout Duration `yaml:"timeout"`
	// ResumeAsks tells what an ask rule does in a resumed session: ask (when an
	// approver is attached) or deny. Built in: ask.
	ResumeAsks string `yaml:"resume_asks"`
	// FollowClientMode lets the mode the agent's client reports loosen the
	// operator's; without it, it can only tighten. Built in: false.
	FollowClientMode *bool `yaml:"follow_client_mode"`
	// Dialect is the shell that reads the agent's command lines: bash, sh, zsh,
	// fish, pwsh or cmd. Lines of the last three are not analysed: each is asked
	// about, and only rules with its exact text match. Built in: unknown, which is
	// the worst of bash, dash and zsh.
	Dialect Dialect `yaml:"dialect"`
	// PersistentShell tells that the agent's client keeps one shell for all calls of
	// a session: once an allowed call has changed that shell (cd, export, alias,
	// source, ...), what leans on its state is asked about until the session is
	// cleared. Built in: false, every call gets a shell of its own.
	PersistentShell *bool `yaml:"persistent_shell"`
	// Callback answers the agent's asks in place of people; an agent's own replaces
	// that of defaults, and {} takes it away. Built in: none, people are asked.
	Callback *Callback `yaml:"callback"`
	// SubAgents are what sub-agents of the agent's client get at most, by the name the
	// client has for them; * stands for each without an entry. Built in: what the agent
	// gets.
	SubAgents map[string]SubAgent `yaml:"sub_agents"`
	// Skills restrict the agent to these tools while a skill of that name is active,
	// besides what the client says of it. Built in: no restriction.
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

// Tool is what the operator sets for one tool.
type Tool struct {
	// Config goes to the tool's module as it is.
	Config json.RawMessage `yaml:"config"`
	// Approvers says who may answer asks about calls of the tool.
	Approvers *Approvers `yaml:"ask_approvers"`
}

// Modules tells where tool modules of others are and what each may do. The
// modules embedded in the binary need none of it.
type Modules struct {
	// Dir holds *.wasm files, absolute or ~/.... Default: modules in the
	// configuration directory.
	Dir string `yaml:"dir"`
	// MemoryMiB is the memory that all modules have together, in MiB; it holds from
	// the next start on. Default: 1024.
	MemoryMiB int64 `yaml:"memory_mib"`
	// Limits are what each module may use, those embedded in the binary as well.
	Limits Limits `yaml:"limits"`
	// Grants are what the configuration says of single modules, by module name.
	// config and limits hold for every module. names, may_allow and may_read_only
	// hold only for what dev loads without a pin; for a pinned module those of
	// callgate tool add stand.
	Grants map[string]Grant `yaml:"grants"`
	// Dev loads files of the directory that nobody pinned, and loads them again
	// whenever they change. For writing modules; default: false.
	Dev bool `yaml:"dev"`
	// Keys are the Ed25519 public keys by which modules may be signed, by name: the
	// base64 of 32 bytes, or PEM. Built in: none.
	Keys map[string]PublicKey `yaml:"keys"`
	// RequireSignature is true, or the list of modules, by name or file, that are
	// only loaded when a key of keys signed them. Default: false.
	RequireSignature SignatureNeed `yaml:"require_signature"`
}

// Grant is what the configuration says of one module. Everything is off by default.
type Grant struct {
	// Names are tool names and globs that the module may claim; empty means
	// the plain names it declares itself. Not for a pinned module.
	Names []string `yaml:"names"`
	// MayAllow lets the module's own "allow" count. Not for a pinned module.
	MayAllow bool `yaml:"may_allow"`
	// MayReadOnly lets the module's own "read only" count. Not for a pinned module.
	MayReadOnly bool `yaml:"may_read_only"`
	// Config goes to every tool of the module as it is; tools.NAME.config
	// replaces its keys.
	Config json.RawMessage `yaml:"config"`
	// Limits are what this module may use, where that is not what
	// modules.limits says for all.
	Limits Limits `yaml:"limits"`
}

// Asks bounds the questions put to people. Source of the limits: the design's
// section on asking.
type Asks struct {
	// Timeout is how long an ask is shown before it denies. Default: 60s.
	Timeout Duration `yaml:"timeout"`
	// PerSession is how many asks of one session may wait. Default: 5.
	PerSession int `yaml:"per_session"`
	// PerAgent is how many asks of one agent may wait. Default: 20.
	PerAgent int `yaml:"per_agent"`
	// RepeatDenial is how long a call equal to a denied one is denied without
	// asking again. Default: 10m.
	RepeatDenial Duration `yaml:"repeat_denial"`
	// PauseAfter is how many denials or time-outs in a row pause a session
	// until an approver resumes it. Default: 3.
	PauseAfter int `yaml:"pause_after"`
	// ApprovalLifetime is how long an approval may be used, once. Default: 10m.
	ApprovalLifetime Duration `yaml:"approval_lifetime"`
}
