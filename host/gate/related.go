package gate

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
)

// owners maps what a target is to the tools whose deny and ask rules hold for
// it, and to the input member that names it. Source: design section 3,
// "Cross-tool".
var owners = map[string][]owner{
	"path read":  {{"Read", "file_path"}},
	"path run":   {{"Read", "file_path"}},
	"path write": {{"Write", "file_path"}, {"Edit", "file_path"}},
	"host read":  {{"WebFetch", "url"}},
	"host write": {{"WebFetch", "url"}},
	"host run":   {{"WebFetch", "url"}},
}

type owner struct{ tool, member string }

// related puts a call's targets as synthetic calls to the tools that own them.
// tool is the canonical name of the call's own tool, whose rules are tried
// anyway.
func related(lookup func(string) catalog.Entry, tool string, call *engine.Call) []engine.Related {
	var out []engine.Related
	if call.Context.TargetsUnknown {
		for _, name := range []string{"Read", "Write", "Edit", "WebFetch"} {
			if name != tool {
				out = append(out, engine.Related{Entry: lookup(name).Entry, Unknown: true})
			}
		}
	}
	for _, t := range call.Context.Targets {
		for _, o := range owners[t.Kind+" "+t.Access] {
			if o.tool != tool {
				out = append(out, engine.Related{Entry: lookup(o.tool).Entry, Call: synthetic(call, o, t)})
			}
		}
	}
	return out
}

// synthetic is the call that would touch the target through its owner.
func synthetic(call *engine.Call, o owner, t engine.Target) *engine.Call {
	value := t.Value
	if t.Kind == "host" {
		value = "https://" + value + "/*" // any path: see package web
	}
	input, err := json.Marshal(map[string]string{o.member: value})
	if err != nil {
		panic("gate: a map of strings is JSON: " + err.Error())
	}
	c := call.Context
	c.Config, c.Annotations = nil, nil
	c.Targets, c.TargetsUnknown = []engine.Target{t}, false
	return &engine.Call{Tool: o.tool, Input: input, Context: c}
}
