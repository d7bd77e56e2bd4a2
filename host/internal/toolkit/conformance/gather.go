package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// maxContents is how many rules of a tool are tried on its calls.
const maxContents = 10

// maxDeclared is how many calls of one tool's author are tried.
const maxDeclared = 48

// toolTrial is one tool with its calls under test.
type toolTrial struct {
	modules.ToolDescription
	// index counts the module's tools from 0.
	index int
	// called is the name for the module: the tool's, or one below a glob.
	called string
	schema *schema
	probes []*probe
	// contents are the contents of the tool's rules: its examples', the author's, and its own
	// suggestions.
	contents []string
}

// anyInputs are for tools without examples.
var anyInputs = []string{`{}`, `{"command":"ls"}`, `{"path":"a/b"}`, `{"a":1,"b":[true,null]}`}

// gather makes the calls of one of the module's tools.
func (r *run) gather(index int) *toolTrial {
	d := r.subject.Described.Tools[index]
	t := &toolTrial{ToolDescription: d, index: index, called: calledName(d.Name)}
	t.schema = newSchema(d.InputSchema)
	for _, e := range d.RuleExamples {
		t.learn(e.Content)
		r.declared(t, trial.Call{Tool: t.called, Input: e.Input, CWD: e.CWD})
	}
	for _, c := range r.opts.Calls {
		if c.Raw == nil && (c.Tool == t.Name || slices.Contains(t.Aliases, c.Tool) || c.Tool == "" && len(r.subject.Described.Tools) == 1) {
			for _, set := range c.Rules {
				for _, content := range set.Contents {
					t.learn(content)
				}
			}
			c.Tool, c.Rules = t.called, nil
			r.declared(t, c)
		}
	}
	r.generate(t)
	for _, input := range anyInputs {
		if c := (trial.Call{Tool: t.called, Input: []byte(input)}); len(t.probes) < len(anyInputs) && !t.has(c) {
			t.probes = append(t.probes, r.probe(t, c, fromElsewhere))
		}
	}
	r.suggested(t)
	return t
}

// calledName is a name the host may use for a tool.
func calledName(name string) string {
	return strings.NewReplacer("*", "conformance", "?", "c").Replace(name)
}

// learn adds a rule's content.
func (t *toolTrial) learn(content string) {
	if !slices.Contains(t.contents, content) && len(t.contents) < maxContents {
		t.contents = append(t.contents, content)
	}
}

// declared adds a call of the author's.
func (r *run) declared(t *toolTrial, c trial.Call) {
	input, err := strictjson.Object(c.Input)
	if err != nil || len(t.probes) == maxDeclared {
		return // the host would not ask about it; describe.examples says so of an example
	}
	c.Input = input
	if !t.has(c) {
		t.schema.learn(input)
		t.probes = append(t.probes, r.probe(t, c, fromAuthor))
	}
}

func (t *toolTrial) has(c trial.Call) bool {
	return slices.ContainsFunc(t.probes, func(p *probe) bool { return sameCall(p.call, c) })
}

func sameCall(a, b trial.Call) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// generate adds calls allowed by the schema.
func (r *run) generate(t *toolTrial) {
	random := r.random("inputs of " + t.Name)
	want := min(r.opts.Generated, max(fewest, 8*r.opts.Generated/len(r.subject.Described.Tools)))
	for range 8 * want {
		if t.count(fromSchema) == want {
			return
		}
		input, ok := t.schema.instance(random)
		if !ok {
			continue
		}
		if strict, err := strictjson.Object(input); err == nil {
			if c := (trial.Call{Tool: t.called, Input: strict}); !t.has(c) {
				t.probes = append(t.probes, r.probe(t, c, fromSchema))
			}
		}
	}
}

func (t *toolTrial) count(from origin) (n int) {
	for _, p := range t.probes {
		if p.from == from {
			n++
		}
	}
	return n
}

// suggested learns the module's suggestions for its own examples.
func (r *run) suggested(t *toolTrial) {
	for _, p := range t.probes {
		for i, s := range p.suggestions() {
			if s.Content != nil && i < 2 {
				t.learn(*s.Content)
			}
		}
	}
}

// unguessable is a word found in no call and no rule of a module.
func (r *run) unguessable(what string) string {
	return fmt.Sprintf("zq%08xzq", r.random("word of "+what).Uint32())
}
