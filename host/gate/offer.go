package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/store"
)

// OfferRequest asks which tools are worth showing to a model.
type OfferRequest struct {
	// Context says for which agent and session, and where; as in Request, it
	// narrows.
	Context Claim `json:"context,omitzero"`
	// Tools are names besides those that modules have, such as a client's MCP
	// tools; at most 4096.
	Tools []string `json:"tools,omitempty"`
	// All asks for the tools that are not offered as well, with the reason.
	All bool `json:"all,omitempty"`
}

// Offer is one tool of an Offering.
type Offer struct {
	Name        string          `json:"name"`
	Aliases     []string        `json:"aliases,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	Offered     bool            `json:"offered"`
	// Why says why every call of the tool would be denied; empty when it is offered.
	Why string `json:"why,omitempty"`
}

// Offering are the tools of which some call may be allowed or asked about. It is a
// help for the model and no decision: each call is checked, offered or not.
type Offering struct {
	Agent string      `json:"agent"`
	Mode  engine.Mode `json:"mode"`
	// Profile is the name of the profile in force; empty for none.
	Profile string  `json:"profile,omitempty"`
	Tools   []Offer `json:"tools"`
}

// maxOffered bounds the names of an OfferRequest.
const maxOffered = 4096

// Offer tells which tools some call may be allowed or asked about, by the agent's
// profile, lists, whole-tool rules, active skills, mode and kind. A tool is left out
// only when each of its calls would be denied; what cannot be told is offered. Its
// errors are those of Evaluate, and that of a store that cannot be read.
func (g *Gate) Offer(ctx context.Context, caller Caller, r OfferRequest) (Offering, error) {
	p, err := g.prepareOffer(ctx, caller, r)
	if err != nil {
		return Offering{}, err
	}
	p.tools = g.c.Catalog()
	defer p.release()
	inForce, err := g.profileInForce(ctx, &p)
	if err != nil {
		return Offering{}, err
	}
	out := Offering{Agent: p.agent.Name, Mode: p.req.Call.Context.Mode, Profile: inForce.Name(), Tools: []Offer{}}
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

// prepareOffer finds the agent, its session's mode, and where it stands.
func (g *Gate) prepareOffer(ctx context.Context, caller Caller, r OfferRequest) (p prepared, err error) {
	if len(r.Tools) > maxOffered {
		return p, fmt.Errorf("%w: tools: %d names: at most %d", ErrBadRequest, len(r.Tools), maxOffered)
	}
	for _, name := range append([]string{"any"}, r.Tools...) {
		if err := checkNames(Request{Tool: name, Context: r.Context}); err != nil {
			return p, fmt.Errorf("%w: %w", ErrBadRequest, err)
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
	if p.agent, err = g.place(p.settings, caller, r.Context, &call.Context); err != nil {
		return p, err
	}
	call.Context.Mode = forkMode(caller, p.agent, call.Context.Kind, known, claimed, modeOf(caller, p.agent, known.Mode, claimed))
	p.req.ResumeAsks = p.agent.ResumeAsks
	return p, g.stand(ctx, caller, r.Context, &p, &call.Context)
}

// knownSession is what is known of the claimed session. An approver sees every
// session, as its agent and with the kind and directory it has.
func (g *Gate) knownSession(ctx context.Context, caller Caller, claim *Claim) (store.Session, error) {
	if claim.Session == "" {
		return store.Session{}, nil
	}
	if caller.Standing == Checker || caller.Standing == Integrator {
		name, err := agentName(caller, *claim)
		if err != nil {
			return store.Session{}, err
		}
		known, err := g.seen(ctx, store.Session{ID: claim.Session, Token: caller.Token, Agent: name})
		if err != nil {
			return known, fmt.Errorf("%w: context.session: %w", ErrNotEntitled, err)
		}
		return known, nil
	}
	known, err := g.c.Store.Session(ctx, claim.Session)
	if err != nil {
		return known, err
	}
	claim.Kind, claim.CWD = cmp.Or(claim.Kind, string(known.Kind)), cmp.Or(claim.CWD, known.CWD)
	if claim.Agent = cmp.Or(claim.Agent, known.Agent); claim.Agent != known.Agent {
		return known, fmt.Errorf("%w: context.session: it belongs to agent %q, not %q", ErrBadRequest, known.Agent, claim.Agent)
	}
	return known, nil
}

// nameable are the tools that a model can be told of: those of the modules that have
// a name of their own, and the further names, each once.
func nameable(tools Catalog, more []string) []Offer {
	var out []Offer
	seen := map[string]bool{}
	for _, i := range tools.Tools() {
		if i.Fallback || strings.ContainsAny(i.Name, "*?") {
			continue
		}
		seen[i.Name] = true
		for _, alias := range i.Aliases {
			seen[alias] = true
		}
		out = append(out, Offer{Name: i.Name, Aliases: i.Aliases, Description: cmp.Or(i.RuleHelp, i.Summary), InputSchema: i.InputSchema})
	}
	for _, name := range more {
		if !seen[name] {
			seen[name] = true
			out = append(out, Offer{Name: name})
		}
	}
	return out
}

// Shapes are what the actions of a tool look like that a profile judges.
func Shapes(entry catalog.Entry) []profile.Shape {
	if entry.Embedded {
		return []profile.Shape{profile.ShapeOf(entry.Name)}
	}
	shapes := []profile.Shape{{Text: "tool:" + entry.Name + ":"}}
	for _, alias := range entry.Aliases {
		shapes = append(shapes, profile.Shape{Text: "tool:" + alias + ":"})
	}
	return shapes
}

// Offers reports whether a profile leaves some call of a tool.
func Offers(p *config.AgentProfile, entry catalog.Entry) bool {
	if entry.Err != nil {
		answer := p.DecideUnknown(entry.Err.Error())
		return answer == nil || answer.Behavior != engine.Deny
	}
	return p.Offers(Shapes(entry)...)
}

// offered decides the most harmless call that there could be: one that no deny rule
// with a content matches and all allow rules do, that the tool allows and calls
// read-only, as far as it may; in every way that the profile and the ask rules could
// take it. The table itself tells whether all of these are denied.
func offered(ctx context.Context, req engine.Request, entry catalog.Entry, p *config.AgentProfile) (_ bool, why string) {
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

// profileAnswers are what a profile may say of the calls of a tool.
func profileAnswers(p *config.AgentProfile, entry catalog.Entry) []*engine.ProfileAnswer {
	switch {
	case p == nil:
		return []*engine.ProfileAnswer{nil}
	case entry.Err != nil:
		return []*engine.ProfileAnswer{p.DecideUnknown(entry.Err.Error())}
	case !Offers(p, entry):
		return []*engine.ProfileAnswer{{Name: p.Name(), Note: cmp.Or(p.Missing(), "it denies every call of this tool")}}
	}
	var out []*engine.ProfileAnswer
	shapes := Shapes(entry)
	if p.Grants(shapes...) {
		out = append(out, &engine.ProfileAnswer{Name: p.Name(), Behavior: engine.Allow})
	}
	if p.Asks(shapes...) {
		out = append(out, &engine.ProfileAnswer{Name: p.Name(), Behavior: engine.Ask})
	}
	if p.OnlyLimits() {
		out = append(out, nil) // what it would allow is left to the rest of the table
	}
	return out
}

// servers are the MCP servers that a call of this name may be put to, as far as
// allow rules tell them apart.
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

// Vocabulary are the names that the actions of the tools begin with, tool:NAME:.
func Vocabulary(c Catalog) []string {
	var names []string
	for _, i := range c.Tools() {
		for _, s := range Shapes(c.Lookup(i.Name)) {
			name, _, _ := strings.Cut(strings.TrimPrefix(s.Text, "tool:"), ":")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
