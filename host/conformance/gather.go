package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/workbench"
)

// maxContents is how many rules of a tool are tried on its calls.
const maxContents = 10

// maxDeclared is how many calls of one tool's author are tried.
const maxDeclared = 48

// toolTrial is one tool with the calls that are tried on it.
type toolTrial struct {
	catalog.ToolDescription
	// index counts the module's tools from 0.
	index int
	// called is what the module is asked by: the name, or one below a glob.
	called string
	schema *schema
	probes []*probe
	// contents are what rules of the tool say: its examples', the author's, and those
	// that it suggested.
	contents []string
}

// anyInputs are for tools that say nothing of theirs.
var anyInputs = []string{`{}`, `{"command":"ls"}`, `{"path":"a/b"}`, `{"a":1,"b":[true,null]}`}

// gather makes the calls of one of the module's tools.
func (r *run) gather(index int) *toolTrial {
	d := r.subject.Described.Tools[index]
	t := &toolTrial{ToolDescription: d, index: index, called: calledName(d.Name)}
	t.schema = newSchema(d.InputSchema)
	for _, e := range d.RuleExamples {
		t.learn(e.Content)
		r.declared(t, workbench.Call{Tool: t.called, Input: e.Input, CWD: e.CWD})
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
		if c := (workbench.Call{Tool: t.called, Input: []byte(input)}); len(t.probes) < len(anyInputs) && !t.has(c) {
			t.probes = append(t.probes, r.probe(t, c, fromElsewhere))
		}
	}
	r.suggested(t)
	return t
}

// calledName is a name that the host may ask a tool by.
func calledName(name string) string {
	return strings.NewReplacer("*", "conformance", "?", "c").Replace(name)
}

// learn adds what a rule says.
func (t *toolTrial) learn(content string) {
	if !slices.Contains(t.contents, content) && len(t.contents) < maxContents {
		t.contents = append(t.contents, content)
	}
}

// declared adds a call of the author's.
func (r *run) declared(t *toolTrial, c workbench.Call) {
	input, err := gate.StrictObject(c.Input)
	if err != nil || len(t.probes) == maxDeclared {
		return // the host would not ask about it; describe.examples says so of an example
	}
	c.Input = input
	if !t.has(c) {
		t.schema.learn(input)
		t.probes = append(t.probes, r.probe(t, c, fromAuthor))
	}
}

func (t *toolTrial) has(c workbench.Call) bool {
	return slices.ContainsFunc(t.probes, func(p *probe) bool { return sameCall(p.call, c) })
}

func sameCall(a, b workbench.Call) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// generate adds calls that the schema allows.
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
		if strict, err := gate.StrictObject(input); err == nil {
			if c := (workbench.Call{Tool: t.called, Input: strict}); !t.has(c) {
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

// suggested learns the rules that the module suggests for its own examples.
func (r *run) suggested(t *toolTrial) {
	for _, p := range t.probes {
		for i, s := range p.suggestions() {
			if s.Content != nil && i < 2 {
				t.learn(*s.Content)
			}
		}
	}
}

// unguessable is a word that stands in no call and no rule of a module.
func (r *run) unguessable(what string) string {
	return fmt.Sprintf("zq%08xzq", r.random("word of "+what).Uint32())
}
