package bash

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Input is the input of a shell tool, with the names used by agents.
type Input struct {
	Command     CommandLine     `json:"command"`
	Description string          `json:"description"`
	Timeout     json.RawMessage `json:"timeout"`
	Background  bool            `json:"run_in_background"`
	// Directory, DirPath, CWD and Workdir name the working directory of the command; so does
	// the one in Action.
	Directory string `json:"directory"`
	DirPath   string `json:"dir_path"`
	CWD       string `json:"cwd"`
	Workdir   string `json:"workdir"`
	// Unsandboxed and its kin ask the client to drop its own sandbox.
	Unsandboxed   bool            `json:"dangerouslyDisableSandbox"`
	WithEscalated bool            `json:"with_escalated_permissions"`
	Sandbox       json.RawMessage `json:"sandbox_permissions"`
	Justification string          `json:"justification"`
	// Deadline, Persistent, Domains and WS belong to Monitor: Claude Code runs a command, or
	// listens to a web socket, until it ends. Domains are opened to the command in the client's
	// sandbox.
	Deadline   json.RawMessage `json:"timeout_ms"`
	Persistent bool            `json:"persistent"`
	Domains    json.RawMessage `json:"allowed_domains"`
	WS         *WebSocket      `json:"ws"`
	clientInput
}

// WebSocket is where Monitor listens in place of running a command.
type WebSocket struct {
	URL       string   `json:"url"`
	Protocols []string `json:"protocols"`
}

// config holds the operator's settings for the tool.
type config struct {
	// Dialect is the shell of this tool, where it is not the agent's.
	Dialect string `json:"dialect"`
}

// call is one call, analysed.
type call struct {
	line *Line
	set  Setting
	// targets are the host's answers, by value and access: the first is about the path itself, the
	// others about links named by it as a pattern.
	targets map[string][]tool.Target
	dirty   bool
	mode    tool.Mode
	in      Input
	// policy lists the protected and the secret paths.
	policy *paths.Policy
}

// open analyses a call of the tool.
func open(tc *tool.Call[Input]) *call {
	c := &call{in: tc.Input, mode: tc.Context.Mode, targets: map[string][]tool.Target{}, policy: paths.NewPolicy(tc.Config, tc.Context)}
	c.set = Setting{
		CWD: tc.Context.CWD, Home: strings.TrimSuffix(tc.Context.Home, "/"), WorkingDirectories: tc.Context.WorkingDirectories,
	}
	var conf config
	if len(tc.Config) > 0 {
		if err := json.Unmarshal(tc.Config, &conf); err != nil {
			conf.Dialect = "unreadable configuration"
		}
	}
	c.set.Dialect = parseDialect(cmp.Or(conf.Dialect, tc.Context.Dialect))
	c.set.Dir = c.in.dir()
	line, err := c.in.line()
	c.line = Analyze(line, c.set)
	if err != nil {
		c.line.opaque(err.Error())
	}
	if c.in.dirs() > 1 {
		c.line.opaque("the input names more than one directory")
	}
	for _, t := range tc.Context.Targets {
		key := t.Kind + "\x00" + t.Access + "\x00" + t.Value
		c.targets[key] = append(c.targets[key], t)
		if t.Repo != nil && slices.ContainsFunc(t.Repo.Dirty, func(s string) bool { return !strings.HasPrefix(s, shadows) }) {
			c.dirty = true
		}
	}
	c.dirty = c.dirty || tc.Context.TargetsUnknown && !c.reposKnown()
	return c
}

func (in Input) names() []string {
	return []string{in.Directory, in.DirPath, in.CWD, in.Workdir, in.Action.Dir}
}

// dir returns the directory named by the input, if any.
func (in Input) dir() string {
	for _, d := range in.names() {
		if d != "" {
			return d
		}
	}
	return ""
}

func (in Input) dirs() int {
	n := 0
	for _, d := range in.names() {
		if d != "" {
			n++
		}
	}
	return n
}

// escalates reports whether the call asks to leave the client's sandbox (T25).
func (in Input) escalates() bool {
	sandbox := strings.Trim(string(in.Sandbox), `" `)
	return in.Unsandboxed || in.WithEscalated || len(in.Domains) > 0 || sandbox != "" && sandbox != "null" && sandbox != "use_default"
}

var _ surroundings = (*call)(nil)

// repoRuns implements surroundings.repoRuns.
func (c *call) repoRuns() bool { return c.dirty }

// unresolved implements surroundings.unresolved. A possible path, such as the file made by cp
// if its destination is a directory, need not resolve.
func (c *call) unresolved(t touch) bool {
	return !t.derived && !paths.KernelFact(t.path) && slices.ContainsFunc(c.found(t), func(f tool.Target) bool { return f.Error != "" })
}

// found returns the host's facts about a touch: about its path, and about each link that it names as
// a pattern, or is followed below it.
func (c *call) found(t touch) []tool.Target {
	out := c.at(t.path, t.access)
	if t.follows() {
		if below := c.at(below(t.path), t.access); len(below) > 0 {
			out = slices.Concat(out, below[1:])
		}
	}
	return out
}

func (c *call) at(p string, as access) []tool.Target {
	return c.targets[tool.Path+"\x00"+string(as)+"\x00"+p]
}

// follows reports whether the command follows links below the path.
func (t touch) follows() bool {
	return t.access == read && t.recursive && t.path != "" && len(t.cmd.Words) > 0 && t.cmd.Use().Follows()
}

// forms returns the absolute forms of a touched path: as written, cleaned, and
// as the host resolved it.
func (c *call) forms(t touch) []string {
	out := []string{c.set.absolute(t.path)}
	for _, found := range c.found(t) {
		for _, p := range []string{found.Lexical, found.Resolved} {
			if p != "" && !slices.Contains(out, p) {
				out = append(out, path.Clean(p))
			}
		}
	}
	return out
}

// inside reports whether every form of a touched path lies in a working
// directory, as the host says it. Without the host's word it does not.
func (c *call) inside(t touch) bool {
	found := c.found(t)
	return len(found) > 0 && !slices.ContainsFunc(found, func(f tool.Target) bool { return f.Inside == "" || f.Error != "" || f.Claimed })
}

// outside reports whether the text of a path already leads out of every
// working directory.
func (c *call) outside(t touch) bool {
	for _, p := range c.forms(t) {
		if !slices.ContainsFunc(c.set.WorkingDirectories, func(wd string) bool { return within(p, wd) }) {
			return true
		}
	}
	return false
}

// cdInside reports whether a cd stays inside the working directories.
func (c *call) cdInside(cmd *Command) bool {
	dest, ok := cdTarget(cmd)
	if !ok || len(cmd.Dirs) == 0 {
		return false
	}
	for _, dir := range cmd.Dirs {
		if !c.leadsInside(touch{cmd: cmd, path: joinDir(dir, dest), access: read}) {
			return false
		}
	}
	return true
}

// leadsInside reports whether the text of a path stays in the working directories,
// and the host knows nothing else of it.
func (c *call) leadsInside(t touch) bool {
	if c.outside(t) {
		return false
	}
	return !slices.ContainsFunc(c.found(t), func(f tool.Target) bool { return f.Inside == "" || f.Error != "" })
}

// place implements surroundings.place.
func (c *call) place(cmd *Command, p Word, as access) string {
	if !p.Literal || p.Glob || len(cmd.Dirs) != 1 {
		return ""
	}
	t := touch{cmd: cmd, path: joinDir(cmd.Dirs[0], pathText(p)), access: as}
	where := path.Clean(c.set.absolute(t.path))
	if !c.leadsInside(t) {
		return where
	}
	for _, wd := range c.set.WorkingDirectories {
		if within(where, wd) {
			return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(where, wd), "/"), ".")
		}
	}
	return ""
}

// quoteCommand returns the input of a call to run command.
func quoteCommand(command string) json.RawMessage {
	text, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return nil // a string always encodes
	}
	return text
}
