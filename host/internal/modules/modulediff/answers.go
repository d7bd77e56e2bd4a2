package modulediff

import (
	"encoding/json"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// answers are those of one version to one call, as the host takes them: a failure is the worst
// answer.
type answers struct {
	// check is the verdict, words its explanation; strictness grows with the restriction.
	check, words string
	strictness   int
	readOnly     bool
	// match are the indices by set; nil where match_rule failed.
	match [][]int
	// touches are the targets, marks and other restricting facts of the call; action is the
	// text for profiles.
	touches []string
	action  string
	// effects are those of the call, by what a rule may match, each with its certainty; nil
	// where the version names none, which leaves every effect possible.
	effects  map[string]bool
	suggests []string
}

// The strictness of verdicts; a failed check is as strict as any.
const (
	allows = iota
	passes
	asks
	asksAlways
	denies
	fails
)

func answersOf(a trial.Answers) answers {
	out := answers{strictness: fails, check: "no answer", touches: []string{}}
	if a.Err != nil {
		out.words = a.Err.Error()
		return out
	}
	out.readCheck(&a.Check)
	var ro struct {
		ReadOnly bool `json:"read_only"`
	}
	out.readOnly = read(&a.ReadOnly, &ro) && ro.ReadOnly
	for i := range a.Match {
		var m struct {
			Matched []int `json:"matched"`
		}
		if read(&a.Match[i], &m) {
			out.match = append(out.match, append([]int{}, m.Matched...))
		} else {
			out.match = append(out.match, nil)
		}
	}
	out.readDescribe(a.Describe)
	var s struct {
		Rules []engine.SuggestedRule `json:"rules"`
	}
	if read(&a.Suggest, &s) {
		for _, r := range s.Rules {
			content := "the whole tool"
			if r.Content != nil {
				content = *r.Content
			}
			out.suggests = append(out.suggests, content)
		}
	}
	return out
}

// read decodes a sound answer; false where there is none.
func read(a *trial.Answer, into any) bool {
	return a.Failed() == nil && json.Unmarshal(a.Output, into) == nil
}

func (out *answers) readCheck(a *trial.Answer) {
	var v struct {
		Behavior string `json:"behavior"`
		Message  string `json:"message"`
		Reason   string `json:"reason"`
		Immune   bool   `json:"bypass_immune"`
	}
	if !read(a, &v) {
		out.words = a.Failed().Error()
		return
	}
	out.check = v.Behavior
	switch {
	case v.Behavior == "allow":
		out.strictness = allows
	case v.Behavior == "passthrough":
		out.strictness = passes
	case v.Behavior == "ask" && v.Immune:
		out.strictness, out.check = asksAlways, "ask, whatever allows it"
	case v.Behavior == "ask":
		out.strictness = asks
	case v.Behavior == "deny":
		out.strictness = denies
	}
	out.words = strings.TrimSpace(v.Reason + " " + v.Message)
}

// readDescribe gathers the targets of a call. Each named thing tightens, so a missing one
// loosens.
func (out *answers) readDescribe(a *trial.Answer) {
	if a == nil {
		return // a call without targets
	}
	var d struct {
		Action   string          `json:"action"`
		Actions  []string        `json:"actions"`
		Targets  []engine.Target `json:"targets"`
		Marks    []engine.Target `json:"marks"`
		Unknown  bool            `json:"targets_unknown"`
		Analysed *bool           `json:"analysed"`
		Moves    bool            `json:"moves"`
		Changes  []string        `json:"changes_shell"`
		Effects  []engine.Effect `json:"effects"`
	}
	if !read(a, &d) {
		out.touches = []string{"anything (describe_call gives no answer)"}
		return
	}
	for _, t := range append(d.Targets, d.Marks...) {
		out.touches = append(out.touches, t.Access+" "+t.Kind+" "+t.Value)
	}
	for _, part := range d.Changes {
		out.touches = append(out.touches, "changes the shell's "+part)
	}
	if d.Unknown {
		out.touches = append(out.touches, "targets that it cannot name")
	}
	if d.Moves {
		out.touches = append(out.touches, "moves")
	}
	if d.Analysed != nil && !*d.Analysed {
		out.touches = append(out.touches, "more than its actions say")
	}
	if d.Effects != nil {
		out.effects = map[string]bool{}
	}
	for _, e := range d.Effects {
		name := strings.TrimSpace(string(e.Kind) + " " + e.Value + " " + e.How)
		out.effects[name] = out.effects[name] || e.Certain
	}
	out.action = strings.Join(append([]string{d.Action}, d.Actions...), " ; ")
}

// matched reports whether a rule of a set counts as matched.
func (out *answers) matched(set, rule int, behavior string) bool {
	if set >= len(out.match) || out.match[set] == nil {
		return behavior != "allow"
	}
	for _, i := range out.match[set] {
		if i == rule {
			return true
		}
	}
	return false
}
