package eval

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// request is one line; op decides the members that count.
type request struct {
	ID jsontext.Value `json:"id"`
	Op string         `json:"op"`
	// Note is for the reader of a file; nothing heeds it.
	Note string `json:"note"`

	Mode            *string             `json:"mode"`
	Rules           []rule              `json:"rules"`
	Profile         jsontext.Value      `json:"profile"`
	AllowedTools    *[]string           `json:"allowed_tools"`
	DisallowedTools []string            `json:"disallowed_tools"`
	RespectDenylist *bool               `json:"respect_denylist"`
	ActiveSkills    map[string][]string `json:"active_skills"`
	ResumeAsks      string              `json:"resume_asks"`
	Callback        jsontext.Value      `json:"callback"`
	ToolDefs        []toolDef           `json:"tool_defs"`
	Config          jsontext.Value      `json:"config"`
	Tool            string              `json:"tool"`
	Input           jsontext.Value      `json:"input"`
	RawInput        *string             `json:"raw_input"`
	Annotations     jsontext.Value      `json:"annotations"`
	Context         callContext         `json:"context"`

	// op match
	Content  *string `json:"content"`
	Behavior string  `json:"behavior"`
	// op profile
	Action *string `json:"action"`
	// op command
	Command string         `json:"command"`
	Before  jsontext.Value `json:"before"`
	// op frontmatter
	Kind string  `json:"kind"`
	Text *string `json:"text"`
	// op inherit
	Parent jsontext.Value `json:"parent"`
	Child  jsontext.Value `json:"child"`
}

type rule struct {
	Tool     string  `json:"tool"`
	Content  *string `json:"content"`
	Behavior string  `json:"behavior"`
	Source   string  `json:"source"`
	Scope    string  `json:"scope"`
}

type callContext struct {
	CWD                string            `json:"cwd"`
	Home               string            `json:"home"`
	WorkingDirectories []string          `json:"working_directories"`
	Kind               string            `json:"kind"`
	Resumed            bool              `json:"resumed"`
	Approver           jsontext.Value    `json:"approver"`
	Agent              string            `json:"agent"`
	Session            string            `json:"session"`
	Links              map[string]string `json:"links"`
}

// engineRules reads the request's rules.
func (r *request) engineRules() ([]engine.Rule, error) {
	rules := make([]engine.Rule, len(r.Rules))
	for i, in := range r.Rules {
		b, err := engine.ParseBehavior(in.Behavior)
		if err != nil || b == engine.Passthrough {
			return nil, fmt.Errorf("rules[%d].behavior: %q: want allow, deny or ask", i, in.Behavior)
		}
		if in.Tool == "" {
			return nil, fmt.Errorf("rules[%d].tool: missing", i)
		}
		rules[i] = engine.Rule{Tool: in.Tool, Content: in.Content, Behavior: b, Source: in.Source}
		if in.Scope == "" {
			rules[i].Scope, rules[i].ScopeKey = r.Context.anchor()
			continue
		}
		if rules[i].Scope, err = engine.ParseScope(in.Scope); err != nil {
			return nil, fmt.Errorf("rules[%d].scope: %w", i, err)
		}
		if rules[i].Scope == engine.Project {
			rules[i].ScopeKey = r.Context.root()
		}
	}
	return rules, nil
}

// root is the project root of a request: its first working directory.
func (c callContext) root() string {
	if len(c.WorkingDirectories) == 0 {
		return ""
	}
	return c.WorkingDirectories[0]
}

// anchor is the start of relative patterns in rules without a scope when the request has no
// working directories: its cwd, as if that were a project. The requester writes both; a caller
// of the Gate never chooses.
func (c callContext) anchor() (scope engine.Scope, key string) {
	if len(c.WorkingDirectories) > 0 || c.CWD == "" {
		return "", ""
	}
	return engine.Project, c.CWD
}

// errNoInput means: a tool's op came without input.
var errNoInput = errors.New("input: missing: give input (a JSON object) or raw_input (its text)")

// call builds the engine's call. A bad input is reported apart from a bad
// request: it is the agent's, and its answer is a denial.
func (r *request) call() (call *engine.Call, badInput error, err error) {
	if r.Tool == "" {
		return nil, nil, errors.New("tool: missing")
	}
	raw := []byte(r.Input)
	switch {
	case r.RawInput != nil && r.Input != nil:
		return nil, nil, errors.New("input and raw_input: give one of them")
	case r.RawInput != nil:
		raw = []byte(*r.RawInput)
	case r.Input == nil:
		return nil, nil, errNoInput
	}
	call = &engine.Call{Tool: r.Tool}
	if call.Context, err = r.context(); err != nil {
		return nil, nil, err
	}
	call.Input, badInput = strictjson.Object(raw)
	return call, badInput, nil
}

func (r *request) context() (engine.Context, error) {
	in := r.Context
	in.WorkingDirectories = atHome(in.Home, in.WorkingDirectories)
	mode, err := r.mode()
	if err != nil {
		return engine.Context{}, err
	}
	kind, err := engine.ParseKind(in.Kind)
	if err != nil {
		return engine.Context{}, fmt.Errorf("context.kind: %w", err)
	}
	approver, err := readApprover(in.Approver)
	if err != nil {
		return engine.Context{}, err
	}
	for _, p := range append([]string{in.CWD, in.Home}, in.WorkingDirectories...) {
		if p != "" && !filepath.IsAbs(p) {
			return engine.Context{}, fmt.Errorf("context: %q is not an absolute path", p)
		}
	}
	return engine.Context{
		Agent: in.Agent, Session: in.Session, Mode: mode, CWD: in.CWD, Home: in.Home,
		WorkingDirectories: in.WorkingDirectories, ProjectRoot: in.root(), Kind: kind, Resumed: in.Resumed,
		Approver: approver, ActiveSkills: slices.Sorted(maps.Keys(r.ActiveSkills)),
		Annotations: []byte(r.Annotations), Config: []byte(r.Config),
	}, nil
}

// atHome gives "~/" its meaning in a list of directories, as the configuration
// does.
func atHome(home string, dirs []string) []string {
	out := make([]string, len(dirs))
	for i, d := range dirs {
		if rest, ok := strings.CutPrefix(d, "~/"); ok && home != "" {
			d = filepath.Join(home, rest)
		}
		out[i] = d
	}
	return out
}

func (r *request) mode() (engine.Mode, error) {
	if r.Mode == nil {
		return engine.DefaultMode, nil
	}
	mode, err := engine.ParseMode(*r.Mode)
	if err != nil {
		return mode, fmt.Errorf("mode: %w", err)
	}
	return mode, nil
}

// readApprover takes a name, or true for one without a name.
func readApprover(v jsontext.Value) (string, error) {
	var name string
	var attached bool
	switch {
	case v == nil || v.Kind() == 'n':
		return "", nil
	case json.Unmarshal(v, &name) == nil:
		return name, nil
	case json.Unmarshal(v, &attached) == nil:
		if attached {
			return "attached", nil
		}
		return "", nil
	}
	return "", errors.New("context.approver: want a name or a boolean")
}
