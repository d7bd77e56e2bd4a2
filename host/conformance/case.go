package conformance

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/callgate/callgate/host/workbench"
)

// Case is a call with what must come of it, as a file of cases says it (package
// workbench/cases).
type Case struct {
	Call workbench.Call
	// ReadOnly, unless nil, is what check_read_only must answer.
	ReadOnly *bool
	// Matched are what match_rule must answer for Call.Rules, one for each set.
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
	for key, value := range map[string]string{"cwd": c.Call.CWD} {
		if value != "" {
			add(key, value)
		}
	}
	if c.Call.Config != nil {
		add("config", inline(c.Call.Config))
	}
	if c.ReadOnly != nil {
		add("read_only", *c.ReadOnly)
	}
	if len(c.Matched) > 0 {
		var sets []yaml.MapSlice
		for i, set := range c.Call.Rules {
			sets = append(sets, yaml.MapSlice{{Key: "behavior", Value: set.Behavior}, {Key: "rules", Value: set.Contents}, {Key: "matched", Value: append([]int{}, c.Matched[i]...)}})
		}
		add("match", sets)
	}
	return yaml.MarshalWithOptions([]yaml.MapSlice{e}, yaml.UseLiteralStyleIfMultiline(false))
}

// inline is JSON as YAML has it: JSON, but for what YAML reads otherwise.
type inline json.RawMessage

// MarshalYAML implements yaml.BytesMarshaler.
func (v inline) MarshalYAML() ([]byte, error) { return v, nil }

func (p *probe) plainCase() *Case { return &Case{Call: p.call} }

// matchCase is the case of one set of rules.
func (p *probe) matchCase(behavior string, matched []int, contents ...string) *Case {
	c := p.call
	c.Rules = []workbench.RuleSet{{Behavior: behavior, Contents: contents}}
	return &Case{Call: c, Matched: [][]int{matched}}
}

func (p *probe) readOnlyCase() *Case {
	no := false
	return &Case{Call: p.call, ReadOnly: &no}
}

// noneCase is the case of a question whose answer allowed something; nil where a
// case cannot say that any other answer will do.
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
func workingDirectory(c workbench.Call) string {
	switch {
	case len(c.WorkingDirectories) > 0:
		return c.WorkingDirectories[0]
	case c.CWD != "":
		return path.Clean(c.CWD)
	}
	return workbench.DefaultCWD
}
