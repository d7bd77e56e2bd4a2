package eval_test

import (
	"encoding/json"
	"slices"
)

// sharedCase has the members of the cases of all files; testdata/seeds/README.md explains them.
type sharedCase struct {
	ID, Mode, Tool, Level, Must, Label, Phase, Action, Rule string

	Rules    []map[string]any
	Input    map[string]any
	Args     map[string]any
	RawInput *string `json:"raw_input"`
	Command  *string
	CWD      string
	Resumed  bool
	MustNot  string `json:"must_not"`
	Category string
	Setup    struct{ Symlinks map[string]string }
	Fixture  struct{ Symlinks map[string]string }

	WorkingDirectories []string       `json:"working_directories"`
	Annotations        map[string]any `json:"annotations"`
	ToolDef            map[string]any `json:"tool_def"`
	Acceptable, Accept []string
	Expect             json.RawMessage
	Steps              []struct {
		Tool              string
		Input             map[string]any
		Expect            struct{ Suggestions []map[string]any }
		Acceptable        []string
		AcceptSuggestions []int `json:"accept_suggestions"`
	}

	RuleContent     *string `json:"rule_content"`
	Match           *bool
	Ideal           *bool
	IdealForAllow   *bool `json:"ideal_for_allow"`
	IdealForDeny    *bool `json:"ideal_for_deny"`
	AsAllow         *bool `json:"as_allow"`
	AsDeny          *bool `json:"as_deny"`
	Lists           map[string][]string
	Disallowed      []string
	Allowed         *[]string
	RespectDenylist *bool               `json:"respect_denylist"`
	ActiveSkills    map[string][]string `json:"active_skills"`
	Callback        any

	Profile         any
	ExpectOffered   bool `json:"expect_offered"`
	Soft            bool
	Before, After   map[string]any
	OK              bool
	MessageMentions []string `json:"message_mentions"`
	Builder         *struct {
		Tool    string
		Pattern *string
	}
	Kind          string
	Text          *string
	AcceptDeny    []string `json:"accept_deny"`
	Parent, Child any
}

// trial is one request of a case; a case is right when all of its trials are.
type trial struct {
	id      string
	request map[string]any
	right   func(got map[string]any) bool
}

const projectDir = "/my/project"

// request is the common part of a case's requests.
func (c sharedCase) request(directories ...string) map[string]any {
	context := map[string]any{"cwd": projectDir, "home": "/home/dev", "working_directories": directories}
	r := map[string]any{"id": c.ID, "op": "decide", "tool": c.Tool, "context": context}
	if c.CWD != "" {
		context["cwd"] = c.CWD
	}
	for _, links := range []map[string]string{c.Setup.Symlinks, c.Fixture.Symlinks} {
		if links != nil {
			context["links"] = links
		}
	}
	switch {
	case c.RawInput != nil:
		r["raw_input"] = *c.RawInput
	case c.Command != nil:
		r["tool"], r["input"] = "Bash", map[string]any{"command": *c.Command}
	case c.Args != nil:
		r["input"] = c.Args
	default:
		r["input"] = c.Input
	}
	if c.Mode != "" {
		r["mode"] = c.Mode
	}
	if c.Annotations != nil {
		r["annotations"] = c.Annotations
	}
	return r
}

func (c sharedCase) decide(r map[string]any, right func(map[string]any) bool) []trial {
	if c.Rules != nil {
		rules := make([]map[string]any, len(c.Rules))
		for i, rule := range c.Rules {
			rules[i] = map[string]any{"tool": rule["tool"], "content": rule["content"], "behavior": rule["behavior"]}
		}
		r["rules"] = rules
	}
	return []trial{{c.ID, r, right}}
}

func behaves(accepted ...string) func(map[string]any) bool {
	return func(got map[string]any) bool {
		b, _ := got["behavior"].(string)
		return slices.Contains(accepted, b)
	}
}

// scope gives a request of the AgentScope files their home, and the cwd as a
// working directory.
func (c sharedCase) scope() map[string]any {
	dirs := []string{c.CWD}
	if c.CWD == "" {
		dirs[0] = projectDir
	}
	for _, d := range c.WorkingDirectories {
		if d != c.CWD {
			dirs = append(dirs, d)
		}
	}
	r := c.request(dirs...)
	r["context"].(map[string]any)["home"] = "/home/user"
	return r
}
