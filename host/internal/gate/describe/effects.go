package describe

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
)

// effects completes what the module says that a call does: it resolves paths and adds
// what follows from them. Nothing it does can fail the call. docs/effects.md,
// "What the host adds".
func effects(ctx context.Context, lookup func(string) modules.Entry, r Resolver, place target.Place, entry modules.Entry, call *engine.Call, places []engine.Target, desc *modules.Description) {
	if desc.Effects == nil {
		desc.Effects, desc.EffectsUnsaid = guessed(entry, call), true
	}
	found := located(ctx, r, place, call, places, desc.Effects)
	for i := range desc.Effects {
		if e := &desc.Effects[i]; e.IsPath() {
			e.Resolved = found[e.Value].Resolved
		}
	}
	desc.Effects = slices.DeleteFunc(desc.Effects, func(e engine.Effect) bool {
		t := found[e.Value] // a new file replaces nothing
		return e.Kind == engine.Overwrites && t.Resolved != "" && !t.Exists && !strings.ContainsAny(e.Value, "*?[{")
	})
	recoverable(ctx, r, desc.Effects)
	o := owned{ctx: ctx, lookup: lookup, call: call}
	var derived []engine.Effect
	for _, e := range desc.Effects {
		switch {
		case e.Kind == engine.Shows && e.IsPath():
			derived = append(derived, o.secret(e, found[e.Value])...)
		case e.Kind == engine.Shows && strings.HasPrefix(e.Value, engine.Store):
			derived = append(derived, engine.Effect{Kind: engine.Secret, Value: e.Value, Certain: e.Certain})
		}
		if changesPath(e.Kind) {
			derived = append(derived, o.configures(found[e.Value], e.Certain)...)
		}
	}
	for _, t := range call.Context.Targets {
		if t.Kind == "path" && t.Access == "write" {
			derived = append(derived, o.configures(t, true)...)
		}
	}
	derived = append(derived, o.sent(desc.Effects, call.Context.Targets)...)
	desc.Effects = append(desc.Effects, unique(derived)...)
}

// recoverable tells of what is deleted or replaced whether it is kept elsewhere.
func recoverable(ctx context.Context, r Resolver, list []engine.Effect) {
	var at []int
	var lost []string
	for i, e := range list {
		if (e.Kind == engine.Deletes || e.Kind == engine.Overwrites) && e.Resolved != "" {
			at, lost = append(at, i), append(lost, e.Resolved)
		}
	}
	if len(lost) == 0 {
		return
	}
	for n, answer := range r.Recoverable(ctx, lost) {
		list[at[n]].Recoverable = answer
	}
}

func changesPath(k engine.EffectKind) bool {
	return k == engine.Deletes || k == engine.Overwrites || k == engine.ChangesPermissions
}

// guessed is what may be said of a call whose module says no effects.
func guessed(entry modules.Entry, call *engine.Call) []engine.Effect {
	var out []engine.Effect
	for _, t := range call.Context.Targets {
		switch {
		case t.Value == "":
		case t.Kind == "path" && t.Access == "read":
			out = append(out, engine.Effect{Kind: engine.Shows, Value: t.Value, Certain: entry.Name == "Read"})
		case t.Kind == "host":
			out = append(out, engine.Effect{Kind: engine.Reaches, Value: t.Value})
		}
	}
	if server, ok := openWorld(call); ok {
		out = append(out, engine.Effect{Kind: engine.Takes, Value: server}, engine.Effect{Kind: engine.Reaches, Value: server, How: "send"})
	}
	return out
}

// openWorld reports whether an MCP server says that a tool of its own reaches outside,
// and names the server. The hint only tightens.
func openWorld(call *engine.Call) (server string, ok bool) {
	rest, mcp := strings.CutPrefix(call.Tool, "mcp__")
	var hints struct {
		OpenWorld bool `json:"openWorldHint"`
	}
	if !mcp || json.Unmarshal(call.Context.Annotations, &hints) != nil || !hints.OpenWorld {
		return "", false
	}
	server, _, _ = strings.Cut(rest, "__")
	return server, server != ""
}

// resolve resolves the targets of a call and, in the same look at the disk, the places of its
// effects that are not among them. More than fit into one look are left to located.
func resolve(ctx context.Context, r Resolver, place target.Place, input json.RawMessage, desc modules.Description) (targets, places []engine.Target, err error) {
	n := len(desc.Targets)
	all := desc.Targets[:n:n]
	for _, e := range desc.Effects {
		if e.IsPath() && !slices.ContainsFunc(all, func(t engine.Target) bool { return t.Kind == "path" && t.Value == e.Value }) {
			all = append(all, placeOf(e))
		}
	}
	asked := len(all)
	if n > 0 && asked > n && asked <= target.DefaultLimits().Targets {
		if all, err := r.Resolve(ctx, place, input, all); err == nil {
			return append(all[:n:n], all[asked:]...), all[n:asked], nil
		}
	}
	targets, err = r.Resolve(ctx, place, input, desc.Targets) // effects fail no call
	return targets, nil, err
}

// placeOf is the path of an effect as a target.
func placeOf(e engine.Effect) engine.Target {
	return engine.Target{Kind: "path", Value: e.Value, Access: "read"}
}

// located finds the places of effects: those of the call's own targets, those that resolve found,
// and the rest anew. What could not be resolved has no Resolved.
func located(ctx context.Context, r Resolver, place target.Place, call *engine.Call, places []engine.Target, list []engine.Effect) map[string]engine.Target {
	found := map[string]engine.Target{}
	for _, t := range call.Context.Targets {
		if t.Kind == "path" && t.Error == "" {
			found[t.Value] = t
		}
	}
	for _, t := range places {
		if t.Error == "" {
			found[t.Value] = t
		}
	}
	var rest []engine.Target
	for _, e := range list {
		if _, known := found[e.Value]; e.IsPath() && !known {
			found[e.Value] = engine.Target{}
			rest = append(rest, placeOf(e))
		}
	}
	if rest, err := r.Resolve(ctx, place, call.Input, rest); err == nil {
		for _, t := range rest {
			if t.Error == "" {
				found[t.Value] = t
			}
		}
	}
	return found
}

// owned asks the tools that own files what a path is, with the operator's words for
// this call's tool. RATIONALE.md, "Who knows which path is a secret?".
type owned struct {
	ctx    context.Context
	lookup func(string) modules.Entry
	call   *engine.Call
}

// put makes the synthetic call of the owner of a path; false when there is none.
func (o owned) put(name, access string, t engine.Target) (engine.Entry, *engine.Call, bool) {
	entry := o.lookup(name)
	if entry.Err != nil || !entry.Own {
		return entry.Entry, nil, false
	}
	t.Kind, t.Access = "path", access
	made := synthetic(o.call, owner{name, "file_path"}, t)
	made.Context.Config, made.Context.Mode = o.call.Context.Config, engine.DefaultMode
	return entry.Entry, made, true
}

// secret tells of content that is shown whether it is a secret. What cannot be told
// may be one.
func (o owned) secret(e engine.Effect, t engine.Target) []engine.Effect {
	found := engine.Effect{Kind: engine.Secret, Value: e.Value, How: e.How, Resolved: e.Resolved, Certain: e.Certain}
	if t.Resolved == "" {
		found.Certain = false
		return []engine.Effect{found}
	}
	entry, call, ok := o.put("Read", "read", t)
	if !ok {
		return nil
	}
	answer, err := entry.Tool.CheckReadOnly(o.ctx, call)
	switch {
	case err != nil:
		found.Certain = false
	case answer.ReadOnly:
		return nil
	}
	return []engine.Effect{found}
}

// sent tells of the secrets that a call reads which sends or publishes something: it may send
// them. Those that it shows anyway are told apart from this.
func (o owned) sent(effects []engine.Effect, targets []engine.Target) (out []engine.Effect) {
	if !slices.ContainsFunc(effects, func(e engine.Effect) bool {
		return e.Kind == engine.Publishes || e.Kind == engine.Reaches && e.How == "send"
	}) {
		return nil
	}
	for _, t := range targets {
		shown := func(e engine.Effect) bool { return e.Kind == engine.Shows && e.Resolved == t.Resolved }
		if t.Kind != "path" || t.Access != "read" || t.Resolved == "" || slices.ContainsFunc(effects, shown) {
			continue
		}
		out = append(out, o.secret(engine.Effect{Value: t.Value, How: "send", Resolved: t.Resolved}, t)...)
	}
	return out
}

// configures tells of a path that is changed whether programs run or trust it.
func (o owned) configures(t engine.Target, certain bool) []engine.Effect {
	if t.Resolved == "" {
		return nil // the tool's own check asks about it
	}
	entry, call, ok := o.put("Write", "write", t)
	if !ok {
		return nil
	}
	found := engine.Effect{Kind: engine.Configures, Value: t.Value, Resolved: t.Resolved, Certain: certain}
	v, err := entry.Tool.CheckPermissions(o.ctx, call)
	switch {
	case err != nil:
		found.Certain = false
	case v.Behavior != engine.Ask || !v.BypassImmune:
		return nil
	}
	return []engine.Effect{found}
}

// unique keeps one effect of each kind and place, the certain one where there are two.
func unique(list []engine.Effect) (out []engine.Effect) {
	for _, e := range list {
		at := slices.IndexFunc(out, func(o engine.Effect) bool { return o.Kind == e.Kind && o.Value == e.Value })
		switch {
		case at < 0:
			out = append(out, e)
		case e.Certain:
			out[at] = e
		}
	}
	return out
}
