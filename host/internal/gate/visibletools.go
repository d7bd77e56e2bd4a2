package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// maxOffered bounds the names of a VisibleToolsRequest.
const maxOffered = 4096

// VisibleTools lists the tools of which some call may be allowed or asked about, by the agent's
// profile, lists, whole-tool rules, active skills, mode and kind. It omits a tool only when
// each of its calls would be denied; unknown ones are offered. Its errors are those of
// Evaluate, and that of an unreadable store.
func (g *Gate) VisibleTools(ctx context.Context, caller authority.Caller, r wire.VisibleToolsRequest) (wire.VisibleTools, error) {
	p, err := g.prepareVisibleTools(ctx, caller, r)
	if err != nil {
		return wire.VisibleTools{}, err
	}
	p.tools = g.c.Catalog()
	defer p.release()
	inForce, err := g.c.Profiles.InForce(ctx, p.settings, p.agent)
	if err != nil {
		return wire.VisibleTools{}, err
	}
	out := wire.VisibleTools{Agent: p.agent.Name, Mode: p.req.Call.Context.Mode, Profile: inForce.Name(), Tools: []wire.VisibleTool{}}
	for _, o := range nameable(p.tools, r.Tools) {
		p.entry = p.tools.Lookup(o.Name)
		p.req.Call.Tool, p.req.Entry, p.req.Lists = o.Name, p.entry.Entry, p.agent.Lists
		p.req.Lists.Skills = r.Context.ActiveSkills
		if err := g.gatherRules(ctx, &p); err != nil {
			return out, err
		}
		o.Offered, o.Why = offered(ctx, p.req, p.entry, inForce)
		if o.Offered || r.All {
			out.Tools = append(out.Tools, o)
		}
	}
	return out, nil
}

// prepareVisibleTools finds the agent, its session's mode, and where it stands.
func (g *Gate) prepareVisibleTools(ctx context.Context, caller authority.Caller, r wire.VisibleToolsRequest) (p facts, err error) {
	if len(r.Tools) > maxOffered {
		return p, fmt.Errorf("%w: tools: %d names: at most %d", authority.ErrBadRequest, len(r.Tools), maxOffered)
	}
	for _, name := range append([]string{"any"}, r.Tools...) {
		if err := checkNames(wire.Request{Tool: name, Context: r.Context}); err != nil {
			return p, fmt.Errorf("%w: %w", authority.ErrBadRequest, err)
		}
	}
	known, err := g.knownSession(ctx, caller, &r.Context)
	if err != nil {
		return p, err
	}
	claimed, err := claimedMode(r.Context.Mode)
	if err != nil {
		return p, err
	}
	call := &engine.Call{Input: json.RawMessage(`{}`)}
	p.req.Call, p.settings = call, g.c.Settings()
	if p.agent, err = g.identify(p.settings, caller, r.Context, &call.Context); err != nil {
		return p, err
	}
	call.Context.Mode = forkMode(caller, p.agent, call.Context.Kind, known, claimed, modeOf(caller, p.agent, known.Mode, claimed))
	p.req.ResumeAsks = p.agent.ResumeAsks
	return p, g.locate(ctx, caller, r.Context, nil, &p, &call.Context)
}

// knownSession is the claimed session as stored. An approver sees every session, as its agent
// and with its kind and directory.
func (g *Gate) knownSession(ctx context.Context, caller authority.Caller, claim *wire.CallContext) (store.Session, error) {
	if claim.Session == "" {
		return store.Session{}, nil
	}
	if caller.Kind == authority.Checker || caller.Kind == authority.Integrator {
		name, err := agentName(caller, *claim)
		if err != nil {
			return store.Session{}, err
		}
		known, err := g.seen(ctx, store.Session{ID: claim.Session, Token: caller.Token, Agent: name})
		if err != nil {
			return known, fmt.Errorf("%w: context.session: %w", authority.ErrNotEntitled, err)
		}
		return known, nil
	}
	known, err := g.c.Store.Session(ctx, claim.Session)
	if err != nil {
		return known, err
	}
	claim.Kind, claim.CWD = cmp.Or(claim.Kind, string(known.Kind)), cmp.Or(claim.CWD, known.CWD)
	if claim.Agent = cmp.Or(claim.Agent, known.Agent); claim.Agent != known.Agent {
		return known, fmt.Errorf("%w: context.session: it belongs to agent %q, not %q", authority.ErrBadRequest, known.Agent, claim.Agent)
	}
	return known, nil
}

// nameable are the tools with a name for a model: those of the modules with a name of their
// own, and the further names, each once.
func nameable(tools describe.Catalog, more []string) []wire.VisibleTool {
	var out []wire.VisibleTool
	seen := map[string]bool{}
	for _, i := range tools.Tools() {
		if i.Fallback || strings.ContainsAny(i.Name, "*?") {
			continue
		}
		seen[i.Name] = true
		for _, alias := range i.Aliases {
			seen[alias] = true
		}
		out = append(out, wire.VisibleTool{Name: i.Name, Aliases: i.Aliases, Description: cmp.Or(i.RuleHelp, i.Summary), InputSchema: i.InputSchema})
	}
	for _, name := range more {
		if !seen[name] {
			seen[name] = true
			out = append(out, wire.VisibleTool{Name: name})
		}
	}
	return out
}

// offered decides the most harmless call imaginable: no deny rule with a content matches it and
// all allow rules do, the tool allows it and calls it read-only, as far as it may; in every way
// the profile and the ask rules could take it. The table itself says whether all of these are
// denied.
func offered(ctx context.Context, req engine.Request, entry modules.Entry, p *config.AgentProfile) (_ bool, why string) {
	call := *req.Call
	req.Call = &call
	for _, answer := range profileAnswers(p, entry) {
		for _, server := range servers(call.Tool, req.Rules) {
			for _, asks := range []bool{false, true} {
				req.Profile, call.Context.Server = answer, server
				if req.Entry.Err == nil {
					req.Entry.Tool = hopeful{asks: asks}
				}
				d := engine.Decide(ctx, req)
				if d.Behavior != engine.Deny {
					return true, ""
				}
				why = cmp.Or(why, d.Reason)
			}
		}
	}
	return false, why
}

// profileAnswers are the possible answers of a profile to calls of a tool.
func profileAnswers(p *config.AgentProfile, entry modules.Entry) []*engine.ProfileAnswer {
	switch {
	case p == nil:
		return []*engine.ProfileAnswer{nil}
	case entry.Err != nil:
		return []*engine.ProfileAnswer{p.DecideUnknown(entry.Err.Error())}
	case !describe.Offers(p, entry):
		return []*engine.ProfileAnswer{{Name: p.Name(), Note: cmp.Or(p.Missing(), "it denies every call of this tool")}}
	}
	var out []*engine.ProfileAnswer
	shapes := describe.Shapes(entry)
	if p.Passes(shapes...) {
		out = append(out, &engine.ProfileAnswer{Name: p.Name(), Behavior: engine.Allow})
	}
	if p.Asks(shapes...) {
		out = append(out, &engine.ProfileAnswer{Name: p.Name(), Behavior: engine.Ask})
	}
	return out
}

// servers are the possible MCP servers of a call of this name, as far as allow rules
// distinguish them.
func servers(tool string, rules []engine.Rule) []*engine.Server {
	out := []*engine.Server{nil}
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return out
	}
	identities := []string{""}
	for _, r := range rules {
		if r.Behavior == engine.Allow && r.Server != "" && !slices.Contains(identities, r.Server) {
			identities = append(identities, r.Server)
		}
	}
	for i := 1; i+2 < len(rest) && len(out) < maxReadings; i++ {
		if rest[i:i+2] != "__" {
			continue
		}
		for _, identity := range identities {
			out = append(out, &engine.Server{Name: rest[:i], Identity: identity})
		}
	}
	return out
}

// maxReadings bounds in how many ways a name is read as a server and a tool of it.
const maxReadings = 256

// hopeful is a tool with the most harmless of all calls.
type hopeful struct{ asks bool }

// CheckPermissions implements engine.Tool.
func (hopeful) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	return engine.Verdict{Behavior: engine.Allow}, nil
}

// CheckReadOnly implements engine.Tool.
func (hopeful) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: true}, nil
}

// MatchRule implements engine.Tool.
func (t hopeful) MatchRule(_ context.Context, _ *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	if b == engine.Deny || b == engine.Ask && !t.asks {
		return nil, nil
	}
	all := make([]int, len(rules))
	for i := range all {
		all[i] = i
	}
	return all, nil
}

// GenerateSuggestions implements engine.Tool.
func (hopeful) GenerateSuggestions(context.Context, *engine.Call) ([]engine.SuggestedRule, error) {
	return nil, nil
}
