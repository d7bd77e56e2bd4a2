package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/wire"
)

// The bounds of children: how deep they go, and how much each names.
const (
	maxChildren   = 8
	maxChildNames = 1000
)

// children are the sub-agents of a call, the outermost first: the client's by the operator's
// configuration, then those in the call's claim.
func children(agent config.Agent, claim wire.CallContext) ([]engine.Permissions, []string, error) {
	var list []engine.Permissions
	var names []string
	if claim.SubAgentType != "" {
		if s, ok := agent.SubAgent(claim.SubAgentType); ok {
			p := engine.Permissions{Mode: engine.Bypass, Disallowed: s.DisallowedTools, Allowed: s.AllowedTools, Directories: s.WorkingDirectories}
			if s.Mode != nil {
				p.Mode = *s.Mode
			}
			list, names = append(list, p), append(names, claim.SubAgentType)
		}
	}
	at := "context.child"
	for c, depth := claim.Child, 1; c != nil; c, depth = c.Child, depth+1 {
		if depth > maxChildren {
			return nil, nil, fmt.Errorf("%w: %s: more than %d sub-agents in one another", authority.ErrBadRequest, at, maxChildren)
		}
		p, err := permissions(c)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %s.%w", authority.ErrBadRequest, at, err)
		}
		list, names, at = append(list, p), append(names, c.Name), at+".child"
	}
	return list, names, nil
}

// permissions are a sub-agent's permissions in a claim. The mode without restrictions is the
// loosest one.
func permissions(c *wire.Child) (engine.Permissions, error) {
	p := engine.Permissions{Mode: engine.Bypass, Disallowed: c.DisallowedTools, Allowed: c.AllowedTools, Directories: c.WorkingDirectories}
	if c.Mode != "" {
		mode, err := engine.ParseMode(c.Mode)
		if err != nil {
			return p, fmt.Errorf("mode: %w", err)
		}
		p.Mode = mode
	}
	if len(c.Name) > maxName {
		return p, fmt.Errorf("name: %d bytes: at most %d are read", len(c.Name), maxName)
	}
	for _, l := range []struct {
		field string
		list  []string
		most  int
	}{{"allowed_tools", c.AllowedTools, maxName}, {"disallowed_tools", c.DisallowedTools, maxName}, {"working_directories", c.WorkingDirectories, maxPath}} {
		if len(l.list) > maxChildNames {
			return p, fmt.Errorf("%s: %d entries: at most %d are read", l.field, len(l.list), maxChildNames)
		}
		if slices.ContainsFunc(l.list, func(s string) bool { return s == "" || len(s) > l.most }) {
			return p, fmt.Errorf("%s: an entry is empty or longer than %d bytes", l.field, l.most)
		}
	}
	return p, nil
}

// addSubAgents puts into f the call as each of the sub-agents would have it decided: the
// stricter mode, united denials, common allowances, directories of all.
func (g *Gate) addSubAgents(ctx context.Context, f *facts, list []engine.Permissions, names []string) {
	parent := *f
	for i, own := range list {
		child := parent
		call := *parent.req.Call
		child.req.Call = &call
		call.Context.Mode = engine.Stricter(parent.req.Call.Context.Mode, own.Mode)
		child.req.Lists.Children = append(slices.Clone(parent.req.Lists.Children), engine.ChildLists{Name: names[i], Disallowed: own.Disallowed, Allowed: own.Allowed})
		if own.Directories != nil {
			dirs, err := g.c.Targets.Directories(ctx, own.Directories)
			call.Context.WorkingDirectories = narrow(parent.req.Call.Context.WorkingDirectories, dirs)
			child.trusted = trusted{narrow(parent.trusted.read, dirs), narrow(parent.trusted.edit, dirs)}
			child.configured = slices.DeleteFunc(slices.Clone(parent.configured), func(d string) bool { return !slices.Contains(own.Directories, d) })
			child.req.Err = oneLine(child.req.Err, err, g.describe(ctx, &child), g.weigh(ctx, &child))
		}
		f.children = append(f.children, child.req)
		parent = child
	}
}

// subAgents is the strictest of a decision and those for the sub-agents of the call.
func subAgents(_ *Gate, ctx context.Context, c *call, d engine.Decision) engine.Decision {
	for _, req := range c.children {
		call := *req.Call
		call.Context.ShellChanged = c.req.Call.Context.ShellChanged
		req.Call, req.Unsettled = &call, c.req.Unsettled
		d = strictest(d, withoutSecrets(&call, engine.Decide(ctx, req)))
	}
	return d
}

// strictest is the stricter of the decisions for a parent and its child. Of two asks it is the
// parent's, with the suggestions useful to both.
func strictest(parent, child engine.Decision) engine.Decision {
	step := engine.Step{Step: "child", Saw: string(child.Stage) + ": " + child.Reason, Result: child.Behavior.String()}
	out := parent
	switch {
	case child.Behavior < parent.Behavior:
		out = child
		out.Trace = slices.Concat(parent.Trace, child.Trace)
	case child.Behavior == engine.Ask && parent.Behavior == engine.Ask:
		out.BypassImmune = parent.BypassImmune || child.BypassImmune
		out.SafetyCheck = parent.SafetyCheck || child.SafetyCheck
		if out.Safety() && out.SafetyWords() == "" {
			out.SafetyReason = child.SafetyWords()
		}
		out.Suggestions = renumbered(commonSets(parent.Suggestions, child.Suggestions))
		if len(out.Suggestions) == 0 {
			out.Suggestions = nil
			if out.SuggestionsNote = parent.SuggestionsNote; out.SuggestionsNote == "" {
				out.SuggestionsNote = "no rule helps for the sub-agent: " + child.Reason
			}
		}
	}
	out.Trace = append(slices.Clone(out.Trace), step)
	return out
}

// commonSets keeps the sets whose rules are all proposed by the other as well.
func commonSets(list, other []engine.Suggestion) []engine.Suggestion {
	same := func(a, b engine.Suggestion) bool {
		return a.Tool == b.Tool && (a.Content == nil) == (b.Content == nil) && (a.Content == nil || *a.Content == *b.Content)
	}
	lost := map[int]bool{}
	for _, s := range list {
		if !slices.ContainsFunc(other, func(o engine.Suggestion) bool { return same(s, o) }) {
			lost[s.Set] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(s engine.Suggestion) bool { return lost[s.Set] })
}

// skillsInForce are the tools permitted by each active skill, according to the call and to the
// operator's entry for a skill of that name.
func skillsInForce(active, configured map[string][]string) map[string][]string {
	var out map[string][]string
	for name, tools := range active {
		if out == nil {
			out = make(map[string][]string, len(active))
		}
		out[name] = tools
		if own, ok := configured[name]; ok {
			key := name + " (as configured)"
			for _, taken := active[key]; taken; _, taken = active[key] { // a skill may be called so
				key += "*"
			}
			out[key] = own
		}
	}
	return out
}
