package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Tool is one defined tool, as Define returns it. Only Define makes one.
type Tool interface {
	// names are the canonical name first, then the aliases.
	names() []string
	describe() (toolDescription, error)
	handle(verb string, env *envelope) (any, error)
	examples() []RuleExample
	// bare is the tool without the author's functions.
	bare() Tool
}

// Define makes a tool of its specification. Around the author's functions it
// puts what no author should have to remember:
//
//   - An input that does not decode into In, or lacks a member that is tagged
//     `tool:"required"`, or has it as null, is a bypass-immune ask that names
//     the member; it is never read-only, no allow rule matches it, every deny
//     and ask rule does, nothing is suggested, and its targets are unknown.
//   - An input with members unknown to In (see Spec.AnyField) loses every
//     allowance: an allow becomes a passthrough, it is not read-only, no allow
//     rule matches, nothing is suggested.
//   - ReadOnly is false whenever Check denies or asks bypass-immune.
func Define[In any](spec Spec[In]) Tool {
	d := definition{
		name: spec.Name, aliases: spec.Aliases, schema: spec.InputSchema, readOnlyTool: spec.ReadOnlyTool, editsFiles: spec.EditsFiles,
		alwaysChanges: spec.ReadOnly == nil && !spec.ReadOnlyTool,
		ruleHelp:      spec.RuleHelp, ruleExamples: spec.RuleExamples, anyField: spec.AnyField, input: reflect.TypeFor[In](),
	}
	d.bind, d.bindNone = binding(spec), binding(Spec[In]{})
	return d
}

// binding makes calls of envelopes, for the functions of a specification.
func binding[In any](spec Spec[In]) func(*envelope) (verbs, any, *[]string) {
	return func(env *envelope) (verbs, any, *[]string) {
		call := &Call[In]{Tool: env.Tool, Raw: []byte(env.Input), Context: env.Context, Effects: env.Effects, RuleWords: env.RuleWords}
		if len(env.Config) > 0 && env.Config.Kind() != 'n' {
			call.Config = []byte(env.Config)
		}
		return verbs{
			check: bound(spec.Check, call), readOnly: bound(spec.ReadOnly, call), suggest: bound(spec.Suggest, call),
			describe: bound(spec.Describe, call), match: boundMatch(spec.Match, call),
		}, &call.Input, &call.Unknown
	}
}

// verbs are an author's functions, tied to one call; those left out are nil.
type verbs struct {
	check    func() Verdict
	readOnly func() ReadOnly
	match    func(Behavior, []Rule) []int
	suggest  func() []Suggestion
	describe func() Description
}

func bound[In, Out any](f func(*Call[In]) Out, call *Call[In]) func() Out {
	if f == nil {
		return nil
	}
	return func() Out { return f(call) }
}

func boundMatch[In any](f func(*Call[In], Behavior, []Rule) []int, call *Call[In]) func(Behavior, []Rule) []int {
	if f == nil {
		return nil
	}
	return func(b Behavior, rules []Rule) []int { return f(call, b, rules) }
}

// definition implements Tool. Nothing of it but bind depends on the type of the
// input, so that a module of many tools stays small.
type definition struct {
	name         string
	aliases      []string
	schema       string
	readOnlyTool bool
	editsFiles   bool
	// alwaysChanges: nothing here could call it read-only.
	alwaysChanges bool
	ruleHelp      string
	ruleExamples  []RuleExample
	anyField      bool
	input         reflect.Type
	// bind makes a call of an envelope, and returns where its input and its
	// unknown members belong.
	bind func(*envelope) (v verbs, input any, unknown *[]string)
	// bindNone is bind without the author's functions.
	bindNone func(*envelope) (v verbs, input any, unknown *[]string)
}

func (d definition) examples() []RuleExample { return d.ruleExamples }

func (d definition) bare() Tool {
	d.bind = d.bindNone
	return d
}

func (d definition) names() []string { return append([]string{d.name}, d.aliases...) }

// toolDescription is one member of "tools" in the answer of describe.
type toolDescription struct {
	Name        string         `json:"name"`
	Aliases     []string       `json:"aliases"`
	InputSchema jsontext.Value `json:"input_schema"`
	ReadOnly    bool           `json:"read_only"`
	EditsFiles  bool           `json:"edits_files"`
	// AlwaysChanges: no call is read-only.
	AlwaysChanges bool          `json:"always_changes,omitzero"`
	RuleHelp      string        `json:"rule_help"`
	RuleExamples  []RuleExample `json:"rule_examples"`
}

func (d definition) describe() (toolDescription, error) {
	if d.name == "" {
		return toolDescription{}, errors.New("a tool has no name")
	}
	if err := checkTags(d.input, nil); err != nil {
		return toolDescription{}, fmt.Errorf("tool %s: %w", d.name, err)
	}
	schema := jsontext.Value(d.schema)
	if len(schema) == 0 {
		schema = jsontext.Value(`{"type":"object"}`)
	}
	if !schema.IsValid() {
		return toolDescription{}, fmt.Errorf("tool %s: input schema is not JSON", d.name)
	}
	return toolDescription{
		Name: d.name, Aliases: d.aliases, InputSchema: schema, ReadOnly: d.readOnlyTool,
		EditsFiles: d.editsFiles, AlwaysChanges: d.alwaysChanges, RuleHelp: d.ruleHelp, RuleExamples: d.ruleExamples,
	}, nil
}

func (d definition) handle(verb string, env *envelope) (any, error) {
	c := d.read(env)
	switch verb {
	case verbCheck:
		return c.askCheck()
	case verbReadOnly:
		return c.askReadOnly()
	case verbMatch:
		return c.askMatch(env.Behavior, env.Rules)
	case verbSuggest:
		return c.askSuggest()
	case verbDescribe:
		return c.askDescribe()
	}
	return nil, fmt.Errorf("unknown verb %q", verb)
}

// reading is one call as far as it could be read. Its zero value is relied on
// for nothing.
type reading struct {
	verbs
	of  definition
	env *envelope
	// decoded tells that the input has its type's shape; problem is why not.
	decoded bool
	problem string
	// complete tells that the type knows every member of the input.
	complete bool
	unknown  []string
}

func (d definition) read(env *envelope) *reading {
	v, input, unknown := d.bind(env)
	r := &reading{verbs: v, of: d, env: env}
	strangers, err := readInput(d.input, env.Input, input)
	if err != nil {
		r.problem = err.Error()
		return r
	}
	r.unknown, *unknown = strangers, strangers
	r.decoded, r.complete = true, d.anyField || len(r.unknown) == 0
	return r
}

// strangers names the unknown members.
func (r *reading) strangers() string {
	return fmt.Sprintf("the input has unknown members: %q", r.unknown)
}

func (r *reading) askCheck() (Verdict, error) {
	if !r.decoded {
		return Verdict{
			Behavior: Ask, BypassImmune: true,
			Reason:  "the input does not have the shape this tool expects: " + r.problem,
			Message: "The input does not have the shape " + r.of.name + " expects: " + r.problem + ".",
		}, nil
	}
	v := Verdict{}
	if r.check != nil {
		v = r.check()
	}
	switch v.Behavior {
	case "":
		v.Behavior = Passthrough
	case Deny, Ask, Passthrough:
	case Allow:
		if !r.complete {
			return Verdict{Behavior: Passthrough, Reason: r.strangers()}, nil
		}
	default:
		return Verdict{}, fmt.Errorf("tool %s: check answered %q", r.of.name, v.Behavior)
	}
	if v.BypassImmune && v.Behavior != Ask {
		return Verdict{}, fmt.Errorf("tool %s: check answered a bypass-immune %s: only an ask can be", r.of.name, v.Behavior)
	}
	return v, nil
}

func (r *reading) askReadOnly() (ReadOnly, error) {
	if !r.decoded {
		return ReadOnly{Reason: r.problem}, nil
	}
	if !r.complete {
		return ReadOnly{Reason: r.strangers()}, nil
	}
	answer := ReadOnly{ReadOnly: r.of.readOnlyTool}
	if r.readOnly != nil {
		answer = r.readOnly()
	}
	if !answer.ReadOnly {
		return answer, nil
	}
	v, err := r.askCheck()
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

func (r *reading) askMatch(behavior Behavior, rules []Rule) (matched, error) {
	switch behavior {
	case Allow:
		if !r.decoded || !r.complete {
			return matched{}, nil
		}
	case Deny, Ask:
		if !r.decoded {
			return matched{Indices(rules, func(Rule) bool { return true })}, nil
		}
	default:
		return matched{}, fmt.Errorf("tool %s: match for behavior %q: want allow, deny or ask", r.of.name, behavior)
	}
	var indices []int
	if r.match != nil {
		indices = slices.Clone(r.match(behavior, rules))
	} else {
		indices = MatchParameters(json.RawMessage(r.env.Input), behavior, rules)
	}
	slices.Sort(indices)
	indices = slices.Compact(indices)
	if n := len(indices); n > 0 && (indices[0] < 0 || indices[n-1] >= len(rules)) {
		return matched{}, fmt.Errorf("tool %s: match answered %v for %d rules", r.of.name, indices, len(rules))
	}
	return matched{indices}, nil
}

// suggested is the answer of generate_suggestions.
type suggested struct {
	Rules []Suggestion `json:"rules"`
}

func (r *reading) askSuggest() (suggested, error) {
	switch {
	case !r.decoded || !r.complete:
		return suggested{}, nil
	case r.suggest == nil:
		return suggested{suggestParameters(r.env)}, nil
	}
	rules := r.suggest()
	if !r.env.Covers {
		rules = slices.Clone(rules)
		for i := range rules {
			rules[i].Covers = ""
		}
	}
	return suggested{rules}, r.limit("suggest", "rules", len(rules), maxRules)
}

// What the host takes of an answer; it refuses more, in words that know nothing of
// the author's function. Source: docs/abi.md, Caps.
const (
	maxRules   = 32
	maxTargets = 256
	maxMarks   = 2048
	maxEffects = 256
	maxActions = 4096
)

func (r *reading) limit(by, what string, count, most int) error {
	if count > most {
		return fmt.Errorf("tool %s: %s answered %d %s: at most %d", r.of.name, by, count, what, most)
	}
	return nil
}

func (r *reading) askDescribe() (Description, error) {
	if !r.decoded {
		return Description{TargetsUnknown: true}, nil
	}
	answer := Description{}
	if r.describe != nil {
		answer = r.describe()
	}
	if err := cmp.Or(
		r.limit("describe", "targets", len(answer.Targets), maxTargets), r.limit("describe", "marks", len(answer.Marks), maxMarks),
		r.limit("describe", "actions", len(answer.Actions), maxActions), r.limit("describe", "effects", len(answer.Effects), maxEffects),
	); err != nil {
		return Description{}, err
	}
	var targets []Target
	for _, target := range answer.Targets { // the host fills the other fields and refuses ours
		targets = append(targets, Target{Kind: target.Kind, Value: target.Value, Access: target.Access})
	}
	answer.Targets = targets
	if !r.complete {
		answer.Analysed = new(bool)
	}
	return r.withEffects(r.withWords(answer)), nil
}

// withEffects leaves out effects that the host does not read. Of an input that is not
// wholly understood they are never all.
func (r *reading) withEffects(answer Description) Description {
	switch {
	case !r.env.Effects:
		answer.Effects = nil
	case answer.Effects != nil && !r.complete && len(answer.Effects) < maxEffects:
		answer.Effects = append(slices.Clip(answer.Effects), Effect{Kind: Runs, Value: Unreadable})
	}
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
