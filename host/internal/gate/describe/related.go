package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// owners maps a target's kind to the tools with deny and ask rules for it, and to the input
// member naming it. RATIONALE.md, "Why are deny and ask rules of Read, Write, Edit and WebFetch
// tried on Bash calls?".
var owners = map[string][]owner{
	"path read":  {{"Read", "file_path"}},
	"path run":   {{"Read", "file_path"}},
	"path write": {{"Write", "file_path"}, {"Edit", "file_path"}},
	"host read":  {{"WebFetch", "url"}},
	"host write": {{"WebFetch", "url"}},
	"host run":   {{"WebFetch", "url"}},
	"tree read":  {{"Read", "file_path"}},
	"tree write": {{"Write", "file_path"}, {"Edit", "file_path"}},
	"tree run":   {{"Read", "file_path"}, {"Write", "file_path"}, {"Edit", "file_path"}},
}

type owner struct{ tool, member string }

// Owners are the tools whose deny and ask rules hold for other tools' calls through their targets.
func Owners() []string { return []string{"Read", "Write", "Edit", "WebFetch"} }

// related makes synthetic calls of a call's targets for their owning tools. tool is the
// canonical name of the call's own tool, whose rules are tried anyway. whole are the trees read
// or changed by the call, resolved.
func related(lookup func(string) modules.Entry, tool string, call *engine.Call, whole ...engine.Target) []engine.Related {
	var out []engine.Related
	if call.Context.TargetsUnknown {
		for _, name := range Owners() {
			if name != tool {
				out = append(out, engine.Related{Entry: lookup(name).Entry, Does: "may touch more than it names", Unknown: true})
			}
		}
	}
	for _, t := range slices.Concat(call.Context.Targets, whole) {
		told, said := owners[t.Kind+" "+t.Access], does(t)
		if t.Kind == "tree" && t.Access == "run" {
			// A word with a possible file name covers nothing below it.
			t.Kind, said = "path", "may read or change "+sandbox.Clean(t.Value, maxTold)
		}
		for _, o := range told {
			if o.tool != tool {
				out = append(out, engine.Related{Entry: lookup(o.tool).Entry, Call: synthetic(call, o, t), Does: said, Reads: t.Access == "read" && t.Kind != "host", Wide: isWide(t)})
			}
		}
	}
	return out
}

// maxTold bounds how much of a target's text a reason repeats, in bytes.
const maxTold = 120

// does describes the effect of a call on a target, for a person and for the agent.
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
		return verb + "everything in " + value
	}
	return verb + value
}

// isWide reports that a target stands for many: a tree, or a path with a shell's wildcards in
// it.
func isWide(t engine.Target) bool {
	return t.Kind == "tree" || t.Kind == "path" && strings.ContainsAny(t.Value, "*?[")
}

// maxTrees bounds the trees of a call, as its targets are.
const maxTrees = 256

// marked returns the places among the marks of a call covered by rules of other tools,
// resolved: directories read or changed with all below them, words with a possible file name,
// and hosts. For a partial change ("DIR/**"), the changed part is unknown.
func marked(ctx context.Context, r Resolver, p target.Place, call *engine.Call, marks []engine.Target) ([]engine.Target, error) {
	var found, hosts []engine.Target
	for _, m := range marks {
		switch {
		case m.Kind == "endpoint":
			if host, _, _ := strings.Cut(m.Value, " "); isHost(host) {
				hosts = append(hosts, engine.Target{Kind: "host", Value: host, Access: "read"})
			}
			continue
		case m.Kind != "tree" || m.Access == "write" && strings.HasSuffix(m.Value, "/**"):
			continue
		case m.Value == "?" || strings.HasPrefix(m.Value, "?/"):
			return nil, errors.New("the call reads or changes an unknown directory")
		}
		found = append(found, m)
	}
	switch {
	case len(found) == 0:
		return hosts, nil
	case len(found) > maxTrees:
		return nil, fmt.Errorf("the call names %d places, at most %d are looked at", len(found), maxTrees)
	}
	found, err := r.Resolve(ctx, p, call.Input, found)
	return append(found, hosts...), err
}

// isHost tells whether a text can be the name or the address of a host.
func isHost(text string) bool {
	return text != "" && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789.-_:") == ""
}

// synthetic is the call that would touch the target through its owner.
func synthetic(call *engine.Call, o owner, t engine.Target) *engine.Call {
	value := t.Value
	if t.Kind == "host" {
		value = "https://" + value + "/*" // any path: see package web
	}
	c := call.Context
	c.Config, c.Annotations = nil, nil
	c.Targets, c.TargetsUnknown = []engine.Target{t}, false
	return &engine.Call{Tool: o.tool, Input: object(o.member, value), Context: c}
}

// object is a JSON object with one member, as json.Marshal writes it; member needs no escape.
func object(member, value string) json.RawMessage {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return marshalled(member, value)
		}
	}
	return json.RawMessage(`{"` + member + `":"` + value + `"}`)
}

func marshalled(member, value string) json.RawMessage {
	object, err := json.Marshal(map[string]string{member: value})
	if err != nil {
		panic("gate: a map of strings is JSON: " + err.Error())
	}
	return object
}
