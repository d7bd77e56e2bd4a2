package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/target"
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
	"tree read":  {{"Read", "file_path"}},
	"tree write": {{"Write", "file_path"}, {"Edit", "file_path"}},
}

type owner struct{ tool, member string }

// related puts a call's targets as synthetic calls to the tools that own them.
// tool is the canonical name of the call's own tool, whose rules are tried
// anyway. whole are what the call reads or changes as a whole, resolved.
func related(lookup func(string) catalog.Entry, tool string, call *engine.Call, whole ...engine.Target) []engine.Related {
	var out []engine.Related
	if call.Context.TargetsUnknown {
		for _, name := range []string{"Read", "Write", "Edit", "WebFetch"} {
			if name != tool {
				out = append(out, engine.Related{Entry: lookup(name).Entry, Does: "touches more than can be told", Unknown: true})
			}
		}
	}
	for _, t := range slices.Concat(call.Context.Targets, whole) {
		for _, o := range owners[t.Kind+" "+t.Access] {
			if o.tool != tool {
				out = append(out, engine.Related{Entry: lookup(o.tool).Entry, Call: synthetic(call, o, t), Does: does(t), Wide: isWide(t)})
			}
		}
	}
	return out
}

// maxTold bounds how much of a target's text a reason repeats, in bytes.
const maxTold = 120

// does says what a call does to a target, for a person and for the agent.
func does(t engine.Target) string {
	verb := map[string]string{"read": "reads ", "write": "changes ", "run": "runs "}[t.Access]
	if t.Kind == "host" {
		verb = "talks to "
	}
	value := sandbox.Clean(t.Value, maxTold)
	if value == "" || value == "." {
		value = "the current directory"
	}
	if t.Kind == "tree" {
		return verb + "what lies in " + value
	}
	return verb + value
}

// isWide tells that a target stands for many: a tree, or a path with a shell's
// wildcards in it.
func isWide(t engine.Target) bool {
	return t.Kind == "tree" || t.Kind == "path" && strings.ContainsAny(t.Value, "*?[")
}

// maxTrees bounds the trees of a call, as its targets are.
const maxTrees = 256

// trees resolves the directories among the marks that the call reads, or changes,
// with all below them. Of those that it changes a part of ("DIR/**"), nobody
// knows which.
func trees(ctx context.Context, r Resolver, p target.Place, call *engine.Call, marks []engine.Target) ([]engine.Target, error) {
	var found []engine.Target
	for _, m := range marks {
		if m.Kind != "tree" || m.Access == "run" || m.Access == "write" && strings.HasSuffix(m.Value, "/**") {
			continue
		}
		if m.Value == "?" {
			return nil, errors.New("the call reads or changes a directory that cannot be told")
		}
		found = append(found, m)
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > maxTrees:
		return nil, fmt.Errorf("the call reads or changes %d directories with all below them, at most %d are looked at", len(found), maxTrees)
	}
	return r.Resolve(ctx, p, call.Input, found)
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
