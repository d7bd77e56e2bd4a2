package conformance

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// Case is a call with its required result, in the form of a file of cases (package
// workbench/cases).
type Case struct {
	Call trial.Call
	// ReadOnly, unless nil, is the required answer of check_read_only.
	ReadOnly *bool
	// Matched are the required answers of match_rule for Call.Rules, one for each set.
	Matched [][]int
}

// YAML is the case as an entry of a file of cases, a list of one.
func (c Case) YAML(name string) ([]byte, error) {
	e := yaml.MapSlice{{Key: "name", Value: name}, {Key: "tool", Value: c.Call.Tool}}
	add := func(key string, value any) { e = append(e, yaml.MapItem{Key: key, Value: value}) }
	switch {
	case c.Call.Raw == nil:
		add("input", inline(c.Call.Input))
	case utf8.Valid(c.Call.Raw):
		add("raw_input", string(c.Call.Raw))
	default:
		add("raw_input_base64", base64.StdEncoding.EncodeToString(c.Call.Raw))
	}
	if err := c.place(add); err != nil {
		return nil, err
	}
	if c.ReadOnly != nil {
		add("read_only", *c.ReadOnly)
	}
	if len(c.Matched) > 0 {
		var sets []yaml.MapSlice
		for i, set := range c.Call.Rules {
			one := yaml.MapSlice{{Key: "behavior", Value: set.Behavior}, {Key: "rules", Value: set.Contents}, {Key: "matched", Value: append([]int{}, c.Matched[i]...)}}
			if set.Root != "" {
				one = append(one, yaml.MapItem{Key: "root", Value: set.Root})
			}
			sets = append(sets, one)
		}
		add("match", sets)
	}
	return yaml.MarshalWithOptions([]yaml.MapSlice{e}, yaml.UseLiteralStyleIfMultiline(false))
}

// place adds where the call runs, as far as it says so.
func (c Case) place(add func(key string, value any)) error {
	for _, one := range [][2]string{{"cwd", c.Call.CWD}, {"home", c.Call.Home}, {"mode", c.Call.Mode}} {
		if one[1] != "" {
			add(one[0], one[1])
		}
	}
	if c.Call.WorkingDirectories != nil {
		add("working_directories", c.Call.WorkingDirectories)
	}
	if len(c.Call.Links) > 0 {
		add("links", c.Call.Links)
	}
	if c.Call.Config != nil {
		add("config", inline(c.Call.Config))
	}
	if c.Call.Targets != nil {
		targets, err := json.Marshal(c.Call.Targets)
		if err != nil {
			return err
		}
		add("targets", inline(targets))
	}
	if c.Call.TargetsUnknown != nil {
		add("targets_unknown", *c.Call.TargetsUnknown)
	}
	return nil
}

// inline is JSON in YAML: JSON, except for parts YAML reads otherwise.
type inline json.RawMessage

// MarshalYAML implements yaml.BytesMarshaler.
func (v inline) MarshalYAML() ([]byte, error) { return v, nil }

func (p *probe) plainCase() *Case { return &Case{Call: p.call} }

// matchCase is the case of one set of rules.
func (p *probe) matchCase(behavior string, matched []int, contents ...string) *Case {
	c := p.call
	c.Rules = []trial.RuleSet{{Behavior: behavior, Contents: contents}}
	return &Case{Call: c, Matched: [][]int{matched}}
}

func (p *probe) readOnlyCase() *Case {
	no := false
	return &Case{Call: p.call, ReadOnly: &no}
}

// noneCase is the case of a question whose answer allowed something; nil where a case cannot
// require any other answer.
func (p *probe) noneCase(q question) *Case {
	switch {
	case q.content != "":
		return p.matchCase(allow, nil, q.content)
	case saysReadOnly(q.answer.Output):
		return p.readOnlyCase()
	}
	return nil
}

// workingDirectory is the first working directory of a call.
func workingDirectory(c trial.Call) string {
	switch {
	case len(c.WorkingDirectories) > 0:
		return c.WorkingDirectories[0]
	case c.CWD != "":
		return path.Clean(c.CWD)
	}
	return trial.DefaultCWD
}
