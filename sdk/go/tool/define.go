package tool

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Tool is one defined tool, as Define returns it. Only Define makes one.
type Tool interface {
	// names are the canonical name first, then the aliases.
	names() []string
	describe() (toolDescription, error)
	handle(verb string, env *envelope) (any, error)
}

// Define makes a tool of its specification. Around the author's functions it
// puts what no author should have to remember:
//
//   - An input that does not decode into In is a bypass-immune ask that names
//     the member; it is never read-only, no allow rule matches it, every deny
//     and ask rule does, nothing is suggested, and its targets are unknown.
//   - An input with members unknown to In (see Spec.AnyField) loses every
//     allowance: an allow becomes a passthrough, it is not read-only, no allow
//     rule matches, nothing is suggested.
//   - ReadOnly is false whenever Check denies or asks bypass-immune.
func Define[In any](spec Spec[In]) Tool {
	return definition[In]{spec}
}

// definition implements Tool.
type definition[In any] struct{ spec Spec[In] }

func (d definition[In]) names() []string {
	return append([]string{d.spec.Name}, d.spec.Aliases...)
}

// toolDescription is one member of "tools" in the answer of describe.
type toolDescription struct {
	Name         string         `json:"name"`
	Aliases      []string       `json:"aliases"`
	InputSchema  jsontext.Value `json:"input_schema"`
	ReadOnly     bool           `json:"read_only"`
	EditsFiles   bool           `json:"edits_files"`
	RuleHelp     string         `json:"rule_help"`
	RuleExamples []RuleExample  `json:"rule_examples"`
}

func (d definition[In]) describe() (toolDescription, error) {
	s := d.spec
	if s.Name == "" {
		return toolDescription{}, errors.New("a tool has no name")
	}
	schema := jsontext.Value(s.InputSchema)
	if len(schema) == 0 {
		schema = jsontext.Value(`{"type":"object"}`)
	}
	if !schema.IsValid() {
		return toolDescription{}, fmt.Errorf("tool %s: input schema is not JSON", s.Name)
	}
	return toolDescription{
		Name: s.Name, Aliases: s.Aliases, InputSchema: schema, ReadOnly: s.ReadOnlyTool,
		EditsFiles: s.EditsFiles, RuleHelp: s.RuleHelp, RuleExamples: s.RuleExamples,
	}, nil
}

func (d definition[In]) handle(verb string, env *envelope) (any, error) {
	call, trust := d.decode(env)
	switch verb {
	case verbCheck:
		return d.check(call, trust)
	case verbReadOnly:
		return d.readOnly(call, trust)
	case verbMatch:
		return d.match(call, trust, env.Behavior, env.Rules)
	case verbSuggest:
		return d.suggest(call, trust), nil
	case verbDescribe:
		return d.describeCall(call, trust), nil
	}
	return nil, fmt.Errorf("unknown verb %q", verb)
}

// trust says how far the decoded input may be relied on. Its zero value relies
// on nothing.
type trust struct {
	// decoded tells that the input has the shape of In; problem is why not.
	decoded bool
	problem string
	// complete tells that In knows every member of the input.
	complete bool
}

func (d definition[In]) decode(env *envelope) (*Call[In], trust) {
	call := &Call[In]{Tool: env.Tool, Raw: []byte(env.Input), Context: env.Context}
	if len(env.Config) > 0 && env.Config.Kind() != 'n' {
		call.Config = []byte(env.Config)
	}
	if err := decodeInput(env.Input, &call.Input); err != nil {
		return call, trust{problem: err.Error()}
	}
	call.Unknown = unknownMembers[In](env.Input)
	return call, trust{decoded: true, complete: d.spec.AnyField || len(call.Unknown) == 0}
}

func (d definition[In]) check(call *Call[In], t trust) (Verdict, error) {
	if !t.decoded {
		return Verdict{
			Behavior: Ask, BypassImmune: true,
			Reason:  "the input does not have the shape this tool expects: " + t.problem,
			Message: "The input does not have the shape " + d.spec.Name + " expects: " + t.problem + ".",
		}, nil
	}
	v := Verdict{}
	if d.spec.Check != nil {
		v = d.spec.Check(call)
	}
	switch v.Behavior {
	case "":
		v.Behavior = Passthrough
	case Deny, Ask, Passthrough:
	case Allow:
		if !t.complete {
			return Verdict{Behavior: Passthrough, Reason: fmt.Sprintf("the input has unknown members: %q", call.Unknown)}, nil
		}
	default:
		return Verdict{}, fmt.Errorf("tool %s: check answered %q", d.spec.Name, v.Behavior)
	}
	if v.BypassImmune && v.Behavior != Ask {
		return Verdict{}, fmt.Errorf("tool %s: check answered a bypass-immune %s: only an ask can be", d.spec.Name, v.Behavior)
	}
	return v, nil
}

func (d definition[In]) readOnly(call *Call[In], t trust) (ReadOnly, error) {
	if !t.decoded {
		return ReadOnly{Reason: t.problem}, nil
	}
	if !t.complete {
		return ReadOnly{Reason: fmt.Sprintf("the input has unknown members: %q", call.Unknown)}, nil
	}
	answer := ReadOnly{ReadOnly: d.spec.ReadOnlyTool}
	if d.spec.ReadOnly != nil {
		answer = d.spec.ReadOnly(call)
	}
	if !answer.ReadOnly {
		return answer, nil
	}
	v, err := d.check(call, t)
	if err != nil {
		return ReadOnly{}, err
	}
	if v.Behavior == Deny || v.BypassImmune {
		return ReadOnly{Reason: v.Reason}, nil
	}
	return answer, nil
}

// matched is the answer of match_rule.
type matched struct {
	Matched []int `json:"matched"`
}

func (d definition[In]) match(call *Call[In], t trust, behavior Behavior, rules []Rule) (matched, error) {
	switch behavior {
	case Allow:
		if !t.decoded || !t.complete {
			return matched{}, nil
		}
	case Deny, Ask:
		if !t.decoded {
			return matched{Indices(rules, func(Rule) bool { return true })}, nil
		}
	default:
		return matched{}, fmt.Errorf("tool %s: match for behavior %q: want allow, deny or ask", d.spec.Name, behavior)
	}
	match := d.spec.Match
	if match == nil {
		match = matchParameters[In]
	}
	indices := slices.Clone(match(call, behavior, rules))
	slices.Sort(indices)
	indices = slices.Compact(indices)
	if n := len(indices); n > 0 && (indices[0] < 0 || indices[n-1] >= len(rules)) {
		return matched{}, fmt.Errorf("tool %s: match answered %v for %d rules", d.spec.Name, indices, len(rules))
	}
	return matched{indices}, nil
}

// suggested is the answer of generate_suggestions.
type suggested struct {
	Rules []Suggestion `json:"rules"`
}

func (d definition[In]) suggest(call *Call[In], t trust) suggested {
	if !t.decoded || !t.complete {
		return suggested{}
	}
	if d.spec.Suggest == nil {
		return suggested{suggestParameters(call)}
	}
	return suggested{d.spec.Suggest(call)}
}

func (d definition[In]) describeCall(call *Call[In], t trust) Description {
	if !t.decoded {
		return Description{TargetsUnknown: true}
	}
	if d.spec.Describe == nil {
		return Description{}
	}
	answer := d.spec.Describe(call)
	targets := make([]Target, len(answer.Targets))
	for i, target := range answer.Targets { // the host fills the other fields and refuses ours
		targets[i] = Target{Kind: target.Kind, Value: target.Value, Access: target.Access}
	}
	answer.Targets = targets
	return answer
}

// Indices returns the indices of the rules that match, ascending: the usual
// body of a Spec.Match for calls of one part.
func Indices(rules []Rule, match func(Rule) bool) []int {
	var indices []int
	for i, rule := range rules {
		if match(rule) {
			indices = append(indices, i)
		}
	}
	return indices
}

// Propose returns the suggestion of a rule with the given content.
func Propose(content, description string) Suggestion {
	return Suggestion{Content: &content, Description: description}
}

// ProposeTool returns the suggestion of a rule for the whole tool.
func ProposeTool(description string) Suggestion {
	return Suggestion{Description: description}
}
