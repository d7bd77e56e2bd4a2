package engine

import (
	"encoding/json"
	"fmt"
)

// Call is one tool call to be judged.
type Call struct {
	// Tool is the name the agent used, an entry's canonical name or an alias.
	Tool string `json:"tool"`
	// Input is the tool's input, one JSON object. The caller has already refused
	// duplicate keys and invalid UTF-8.
	Input json.RawMessage `json:"input"`
	// Context says where and for whom the call runs.
	Context Context `json:"context"`
}

// Context describes a call's surroundings. The host decides who may set which field (a call may
// narrow, never widen); the engine believes every field.
type Context struct {
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	User    string `json:"user,omitempty"`
	Mode    Mode   `json:"mode"`
	// CWD is absolute. It never counts as a working directory by itself.
	CWD string `json:"cwd,omitempty"`
	// WorkingDirectories is the whole list, absolute and resolved.
	WorkingDirectories []string `json:"working_directories,omitempty"`
	// ProjectRoot is where project rules anchor their relative patterns; empty
	// when the call is in no project.
	ProjectRoot string `json:"project_root,omitempty"`
	// Repository is the repository the project is a work tree of; empty for any other project. Its
	// stored rules hold here, with their relative patterns anchored at ProjectRoot, and those of
	// deny and ask rules at Repository as well.
	Repository string `json:"repository,omitempty"`
	Home       string `json:"home,omitempty"`
	Kind       Kind   `json:"kind,omitempty"`
	// Dialect is the shell of the agent's command lines, from the operator; empty when unknown.
	Dialect string `json:"dialect,omitempty"`
	// ShellChanged are changes by earlier calls of the session to this call's shell: "directory",
	// "environment"; empty where every call gets a shell of its own, and without a change. It only
	// tightens.
	ShellChanged []string `json:"shell_changed,omitempty"`
	// Resumed reports whether the client has taken the session up again.
	Resumed bool `json:"resumed,omitempty"`
	// Approver names the attached approver; empty when there is none.
	Approver     string   `json:"approver,omitempty"`
	ActiveSkills []string `json:"active_skills,omitempty"`
	// Server is the MCP server of an MCP tool; nil when the client does not say.
	Server *Server `json:"server,omitempty"`
	// Annotations are MCP hints, untrusted: usable for display and to tighten.
	Annotations json.RawMessage `json:"annotations,omitempty"`
	// Config is the operator's configuration of this tool; null for none.
	Config json.RawMessage `json:"config,omitempty"`
	// Targets are the things the call touches, named by the module and resolved by the host.
	Targets []Target `json:"targets,omitempty"`
	// TargetsUnknown means the call may touch things its module cannot name (inline interpreter
	// code, an unparsable command).
	TargetsUnknown bool `json:"targets_unknown,omitempty"`
}

// Project is the name of the call's project in the scope of stored rules: its repository, else
// its root; empty for none.
func (c *Context) Project() string {
	if c.Repository != "" {
		return c.Repository
	}
	return c.ProjectRoot
}

// Kind tells who is there to answer. Source: docs/seeds.md, "Three Contexts".
type Kind string

// The kinds. The empty kind means Main.
const (
	Main            Kind = "main"
	InteractiveFork Kind = "interactive_fork"
	Background      Kind = "background"
)

// ParseKind reads a kind; the empty text is Main.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(s); k {
	case "", Main:
		return Main, nil
	case InteractiveFork, Background:
		return k, nil
	}
	return Background, fmt.Errorf("unknown kind %q: want main, interactive_fork or background", s)
}

// Target is one path, host or MCP object a call touches.
type Target struct {
	// Kind is "path", "host" or "mcp". Only the gate's self-protection also gets "tree" (a path
	// with everything below it), "program", "process", "service", "terminal" or "endpoint".
	Kind string `json:"kind"`
	// Value is the target as the module wrote it.
	Value string `json:"value"`
	// Access is "read", "write" or "run".
	Access string `json:"access"`
	// Resolved is the path as the kernel would reach it, links followed
	// component by component; Lexical is the cleaned absolute path as written.
	// Both empty unless Kind is "path" or "tree" and Error is empty.
	Resolved string `json:"resolved,omitempty"`
	Lexical  string `json:"lexical,omitempty"`
	Exists   bool   `json:"exists,omitempty"`
	// Inside is the working directory containing both forms; empty when none does.
	Inside string `json:"inside,omitempty"`
	// Repo holds facts about git and tool configuration beside the target.
	Repo *Repo `json:"repo,omitempty"`
	// Claimed marks a path missing in the input: only the module names it, so it is unchecked and
	// gives no allowance.
	Claimed bool `json:"claimed,omitempty"`
	// Error says why the target could not be resolved.
	Error string `json:"error,omitempty"`
}

// Repo are dangerous facts about the repository around a target: they can make a read-only program
// run code (threat T19). A nil Repo means "ordinary".
type Repo struct {
	Root string `json:"root,omitempty"`
	// Dirty names the settings found, such as "core.fsmonitor" or
	// ".cargo/config.toml".
	Dirty []string `json:"dirty,omitempty"`
}
