package modules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// envelope is a verb's input. Source: docs/abi.md. Members hidden from the verb are left nil.
type envelope struct {
	Tool     string         `json:"tool"`
	Input    jsontext.Value `json:"input"`
	Config   jsontext.Value `json:"config,omitempty"`
	Context  wireContext    `json:"context"`
	Behavior string         `json:"behavior,omitempty"`
	// Rules are written by appendRules and left nil here.
	Rules []engine.RuleText `json:"rules,omitzero"`
	// RuleWords lets describe_call know that this host reads rule_words.
	RuleWords bool `json:"rule_words,omitzero"`
	// Effects lets describe_call know that this host reads effects.
	Effects bool `json:"effects,omitzero"`
	// Covers lets generate_suggestions know that this host reads covers.
	Covers bool `json:"covers,omitzero"`
}

type wireContext struct {
	Agent              string          `json:"agent"`
	Session            string          `json:"session"`
	User               string          `json:"user"`
	Mode               string          `json:"mode,omitempty"`
	CWD                string          `json:"cwd"`
	WorkingDirectories []string        `json:"working_directories"`
	ProjectRoot        string          `json:"project_root,omitempty"`
	Home               string          `json:"home"`
	Kind               engine.Kind     `json:"kind"`
	Dialect            string          `json:"dialect,omitempty"`
	ShellChanged       []string        `json:"shell_changed,omitempty"`
	Resumed            bool            `json:"resumed"`
	Approver           string          `json:"approver"`
	ActiveSkills       []string        `json:"active_skills"`
	Annotations        jsontext.Value  `json:"annotations,omitempty"`
	Targets            []engine.Target `json:"targets,omitzero"`
	TargetsUnknown     bool            `json:"targets_unknown,omitzero"`
}

// Envelope is an export's input for a call: docs/abi.md, "Envelope". config is the operator's, for
// calls without their own; behavior and rules are for match_rule only. Describe reads nothing.
func Envelope(export, tool string, call *engine.Call, config json.RawMessage, behavior string, rules []engine.RuleText) ([]byte, error) {
	if export == sandbox.Describe {
		return nil, nil
	}
	var dst bytes.Buffer
	err := encode(&dst, question{verb: export, behavior: behavior, rules: rules}, tool, call, config)
	return dst.Bytes(), err
}

// question is what a verb is asked besides the call. behavior and rules are for match_rule alone,
// words for describe_call.
type question struct {
	verb, behavior string
	rules          []engine.RuleText
	words          bool
}

// encode writes the envelope of a question. Input and config are passed on unchanged, after a check
// that each is one JSON value: nothing in them can end the member and begin another.
func encode(dst *bytes.Buffer, q question, tool string, call *engine.Call, config []byte) error {
	verb, rules := q.verb, q.rules
	e := envelope{Tool: tool, Input: jsontext.Value(call.Input), Behavior: q.behavior}
	if e.Input.Kind() != '{' || !e.Input.IsValid() {
		return errors.New("the input is not a JSON object with unique names")
	}
	if len(call.Context.Config) > 0 {
		config = call.Context.Config
	}
	if e.Config = jsontext.Value(config); len(config) > 0 && !e.Config.IsValid() {
		return errors.New("the tool's configuration is not JSON")
	}
	e.Context = contextFor(verb, &call.Context)
	e.RuleWords = q.words && e.Context.Targets == nil
	e.Effects = verb == sandbox.DescribeCall && e.Context.Targets == nil
	e.Covers = verb == sandbox.GenerateSuggestions
	err := jsonv2.MarshalWrite(dst, &e) // by its address, else the encoder copies it
	if err == nil && rules != nil {
		err = appendRules(dst, rules)
	}
	if err != nil {
		return fmt.Errorf("encode the call: %w", err)
	}
	return nil
}

// appendRules adds the member rules to the object in dst. A call may come with 10,000 of them, and the
// general encoder takes several times as long.
func appendRules(dst *bytes.Buffer, rules []engine.RuleText) (err error) {
	size := len(`,"rules":[]}`)
	for i := range rules {
		size += len(`{"content":"","root":""},`) + len(rules[i].Content) + len(rules[i].Root)
	}
	dst.Truncate(dst.Len() - len("}"))
	dst.Grow(size)
	out := append(dst.AvailableBuffer(), `,"rules":[`...)
	for i := range rules {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(append(out, `{"content":`...), rules[i].Content); err != nil {
			return err
		}
		if rules[i].Root != "" {
			if out, err = jsontext.AppendQuote(append(out, `,"root":`...), rules[i].Root); err != nil {
				return err
			}
		}
		out = append(out, '}')
	}
	dst.Write(append(out, "]}"...)) // in place, unless texts grew by escapes
	return nil
}

// contextFor leaves out members without a legitimate influence on a verb's answer: mode and
// annotations where the question is the call's meaning, targets where they are the question and
// still unknown.
func contextFor(verb string, c *engine.Context) wireContext {
	w := wireContext{
		Agent: c.Agent, Session: c.Session, User: c.User, CWD: c.CWD,
		WorkingDirectories: c.WorkingDirectories, ProjectRoot: c.ProjectRoot, Home: c.Home,
		Kind: c.Kind, Dialect: c.Dialect, ShellChanged: c.ShellChanged, Resumed: c.Resumed, Approver: c.Approver, ActiveSkills: c.ActiveSkills,
	}
	if w.Kind == "" {
		w.Kind = engine.Main
	}
	if verb != sandbox.MatchRule && verb != sandbox.CheckReadOnly {
		w.Mode, w.Annotations = c.Mode.String(), jsontext.Value(c.Annotations)
	}
	if verb != sandbox.DescribeCall || len(c.Targets) > 0 {
		w.Targets, w.TargetsUnknown = c.Targets, c.TargetsUnknown
		if w.Targets == nil {
			w.Targets = []engine.Target{}
		}
	}
	return w
}
