package eval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The corpus of the seeds, and the document that names the cases where the
// design wants another answer. Neither the corpus nor its place is part of this
// repository.
const (
	sharedCorpus      = "../../../shared/corpus"
	differencesOfDocs = "../../docs/corpus-differences.md"
)

// TestSharedCorpus scores the corpus of the seeds. A case that comes out wrong
// must be listed in docs/corpus-differences.md, and a listed one must be wrong.
func TestSharedCorpus(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(sharedCorpus); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: no corpus of the seeds at %s", sharedCorpus)
	}
	e := evaluator(t)
	listed := listedDifferences(t)
	for name := range listed {
		if sharedFiles[name] == nil {
			t.Errorf("%s has a section %q, which is no file of the corpus", differencesOfDocs, name)
		}
	}
	for name, judge := range sharedFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cases []sharedCase
			readShared(t, name, &cases)
			var trials []trial
			for _, c := range cases {
				trials = append(trials, judge(c)...)
			}
			var in bytes.Buffer
			for _, tr := range trials {
				text, err := json.Marshal(tr.request)
				if err != nil {
					t.Fatal(err)
				}
				in.Write(append(text, '\n'))
			}
			wrong := map[string]string{}
			for i, got := range answers(t, e, &in) {
				if !trials[i].right(got) && wrong[trials[i].id] == "" {
					wrong[trials[i].id] = fmt.Sprintf("%v\n got %v", trials[i].request, got)
				}
			}
			compareDifferences(t, wrong, listed[name])
		})
	}
}

func compareDifferences(t *testing.T, wrong map[string]string, listed []string) {
	t.Helper()
	for id, what := range wrong {
		if !slices.Contains(listed, id) {
			t.Errorf("%s: wrong, and not listed in %s: %s", id, differencesOfDocs, what)
		}
	}
	for _, id := range listed {
		if wrong[id] == "" {
			t.Errorf("%s: listed in %s, and right", id, differencesOfDocs)
		}
	}
	t.Logf("%d listed differences", len(listed))
}

var (
	differenceFile = regexp.MustCompile("^## `([a-z_]+)`")
	differenceRow  = regexp.MustCompile("^\\| *(`[^|]*`) *\\|")
	quotedID       = regexp.MustCompile("`([^`]+)`")
)

// listedDifferences reads the document: a section per file, a table whose first
// column holds the ids.
func listedDifferences(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(differencesOfDocs)
	if err != nil {
		t.Fatal(err)
	}
	all, file := map[string][]string{}, ""
	for line := range strings.Lines(string(data)) {
		if m := differenceFile.FindStringSubmatch(line); m != nil {
			file = m[1]
			all[file] = []string{}
		}
		if m := differenceRow.FindStringSubmatch(line); m != nil {
			for _, id := range quotedID.FindAllStringSubmatch(m[1], -1) {
				if slices.Contains(all[file], id[1]) {
					t.Errorf("%s: %s is listed twice", differencesOfDocs, id[1])
				}
				all[file] = append(all[file], id[1])
			}
		}
	}
	return all
}

func readShared(t *testing.T, name string, cases any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedCorpus, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, cases); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// sharedCase has the members of the cases of all files; ../shared/corpus/README.md
// says what they mean.
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

// sharedFiles says how the cases of each file are asked and judged.
var sharedFiles = map[string]func(sharedCase) []trial{
	"bypasses": func(c sharedCase) []trial {
		return c.decide(c.request(projectDir), func(got map[string]any) bool { return got["behavior"] != c.MustNot })
	},
	"controls":            func(c sharedCase) []trial { return c.decide(c.request(projectDir), behaves(c.Must)) },
	"agentscope":          agentscope,
	"agentscope_readonly": agentscopeReadOnly,
	"agentscope_match":    agentscopeMatch,
	"agentscope_sessions": agentscopeSessions,
	"vibing_match":        vibingMatch,
	"vibing_eval":         vibingEval,
	"athena_plan_bash":    athenaPlan,
	"athena":              athena,
	"athena_subagent":     athenaSubAgent,
	"chorus_actions":      chorusActions,
	"chorus_prefilter":    chorusPrefilter,
	"chorus_profiles":     chorusProfiles,
	"frontmatter":         sharedFrontMatter,
	"vibing_commands":     vibingCommands,
}

const projectDir = "/my/project"

// request is what all of a case's requests have in common.
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

func agentscope(c sharedCase) []trial {
	var expect struct{ Behavior string }
	if err := json.Unmarshal(c.Expect, &expect); err != nil {
		return []trial{{c.ID, nil, func(map[string]any) bool { return false }}}
	}
	r := c.scope()
	switch c.Level {
	case "tool":
		r["op"] = "tool_check"
		return []trial{{c.ID, r, behaves(expect.Behavior)}}
	case "suggest":
		// The original's suggestions are information: ours have rules of their
		// own (design section 4). What counts is that there are any.
		r["op"] = "suggest"
		delete(r, "mode")
		return []trial{{c.ID, r, func(got map[string]any) bool { return got["error"] == nil }}}
	}
	if def := c.ToolDef; def != nil {
		own := map[string]any{"name": c.Tool}
		for theirs, ours := range map[string]string{
			"read_only": "read_only", "is_read_only": "read_only", "check_read_only": "read_only",
			"check": "check", "check_permissions": "check",
		} {
			if v, ok := def[theirs]; ok {
				own[ours] = v
			}
		}
		r["tool_defs"] = []any{own}
	}
	return c.decide(r, behaves(c.Acceptable...))
}

func agentscopeReadOnly(c sharedCase) []trial {
	if c.Ideal == nil {
		return nil
	}
	r := c.scope()
	r["op"] = "read_only"
	return []trial{{c.ID, r, func(got map[string]any) bool { return got["read_only"] == *c.Ideal }}}
}

func agentscopeMatch(c sharedCase) (trials []trial) {
	for behavior, ideal := range map[string]*bool{"allow": c.IdealForAllow, "deny": c.IdealForDeny, "ask": c.IdealForDeny} {
		if ideal == nil {
			continue
		}
		r := c.scope()
		r["op"], r["content"], r["behavior"] = "match", c.RuleContent, behavior
		trials = append(trials, trial{c.ID, r, matches(*ideal)})
	}
	return trials
}

func matches(want bool) func(map[string]any) bool {
	return func(got map[string]any) bool { return got["match"] == want }
}

// agentscopeSessions has every step decided with the rules that the steps before
// it accepted, as the case lists them.
func agentscopeSessions(c sharedCase) (trials []trial) {
	accepted := []map[string]any{}
	for _, s := range c.Steps {
		c.Tool, c.Input = s.Tool, s.Input
		r := c.scope()
		r["rules"] = slices.Clone(accepted)
		trials = append(trials, trial{c.ID, r, behaves(s.Acceptable...)})
		for _, i := range s.AcceptSuggestions {
			accepted = append(accepted, s.Expect.Suggestions[i])
		}
	}
	return trials
}

var ruleText = regexp.MustCompile(`(?s)^([^()]+)\((.*)\)$`)

// textRule reads "Tool" or "Tool(content)".
func textRule(text, behavior string) map[string]any {
	if m := ruleText.FindStringSubmatch(text); m != nil {
		return map[string]any{"tool": m[1], "content": m[2], "behavior": behavior}
	}
	return map[string]any{"tool": text, "content": nil, "behavior": behavior}
}

func vibingMatch(c sharedCase) (trials []trial) {
	for behavior, as := range map[string]*bool{"allow": c.AsAllow, "deny": c.AsDeny} {
		if as == nil {
			as = c.Match
		}
		rule := textRule(c.Rule, behavior)
		r := c.request(c.directory())
		if rule["tool"] == c.Tool {
			r["op"], r["content"], r["behavior"] = "match", rule["content"], behavior
			trials = append(trials, trial{c.ID, r, matches(*as)})
			continue
		}
		r["rules"] = []any{rule}
		trials = append(trials, trial{c.ID, r, func(got map[string]any) bool { return (got["behavior"] == behavior) == *as }})
	}
	return trials
}

func (c sharedCase) directory() string {
	if c.CWD != "" {
		return c.CWD
	}
	return projectDir
}

func vibingEval(c sharedCase) []trial {
	var expect string
	_ = json.Unmarshal(c.Expect, &expect) // no text: nothing is acceptable
	var rules []any
	for _, behavior := range []string{"deny", "ask", "allow"} {
		for _, text := range c.Lists[behavior] {
			rules = append(rules, textRule(text, behavior))
		}
	}
	r := c.request(projectDir)
	r["rules"] = rules
	r["context"].(map[string]any)["resumed"] = c.Resumed
	accept := c.Accept
	if accept == nil {
		accept = []string{expect}
	}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		return got["error"] != nil && slices.Contains(accept, "invalid") || expect == "mode" && got["stage"] == "mode" || behaves(accept...)(got)
	}}}
}

func athenaPlan(c sharedCase) []trial {
	if c.Label == "either" {
		return nil
	}
	c.Mode = "explore"
	return []trial{{c.ID, c.request(projectDir), func(got map[string]any) bool {
		return (got["behavior"] == "allow") == (c.Label == "safe")
	}}}
}

func athena(c sharedCase) []trial {
	var expect string
	_ = json.Unmarshal(c.Expect, &expect) // no text: nothing is acceptable
	c.Mode = c.Phase
	r := c.request(projectDir)
	if c.Disallowed != nil {
		r["disallowed_tools"] = c.Disallowed
	}
	if c.Allowed != nil {
		r["allowed_tools"] = *c.Allowed
	}
	if c.RespectDenylist != nil {
		r["respect_denylist"] = *c.RespectDenylist
	}
	skills := map[string][]string{}
	for name, tools := range c.ActiveSkills {
		if tools != nil {
			skills[name] = tools
		}
	}
	if len(skills) > 0 {
		r["active_skills"] = skills
	}
	asked := true
	switch c.Callback {
	case nil, "none":
		asked = false
	case "allow_with_value":
		r["callback"] = "allow"
	case "raise":
		r["callback"] = map[string]any{"garbage": "raised"}
	default:
		r["callback"] = c.Callback
	}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		// Without a callback the original allows and we ask.
		return got["behavior"] == expect || !asked && expect == "allow" && got["behavior"] == "ask"
	}}}
}

func chorusActions(c sharedCase) []trial {
	r := c.request(projectDir)
	r["op"] = "action"
	return []trial{{c.ID, r, func(got map[string]any) bool { return got["action"] == c.Action }}}
}
