package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// selfEditPermissions is the tool for an agent's request for another profile. The Gate itself
// acts on it: only the Gate knows the granters. Source: docs/seeds.md, "Role-Based Gating for
// Self-Edit Permissions".
const selfEditPermissions = "self_edit_permissions"

// codeUnknownProfile is a denial because there is no such profile.
const codeUnknownProfile = "unknown_profile"

// CodeProfileWanted is an ask for another profile of the agent.
const CodeProfileWanted = "profile_wanted"

// wantsProfile is the profile a call would give its agent; empty for none. The error is an
// ambiguous input.
func (c *call) wantsProfile() (string, error) {
	if c.entry.Name != selfEditPermissions {
		return "", nil
	}
	var input map[string]json.RawMessage
	var name *string
	if json.Unmarshal(c.req.Call.Input, &input) != nil || len(input) != 1 ||
		json.Unmarshal(input["profile"], &name) != nil || name == nil || *name == "" {
		return "", errors.New(`it wants an input of one member, {"profile": "NAME"}`)
	}
	return *name, nil
}

// selfEdit denies a call that would give its agent an unknown profile, or one its trigger may
// not grant. Without an ask by mode, rule or module, as in bypass, it asks itself: nothing but
// an approval gives a profile. RATIONALE.md, "Why does the Gate ask about a profile itself?".
func selfEdit(g *Gate, ctx context.Context, c *call, d engine.Decision) engine.Decision {
	if d.Behavior == engine.Deny {
		return d
	}
	name, err := c.wantsProfile()
	if name == "" && err == nil {
		return d
	}
	code := codeUnknownProfile
	if err == nil {
		err = g.c.Profiles.Known(name)
	}
	if err == nil {
		code = authority.CodeNotGranted
		err = g.c.Authority.MayTrigger(ctx, c.trigger, name, false)
	}
	if err == nil {
		return askedAbout(c, d, name)
	}
	out := engine.Decision{Stage: engine.StageProfile, Code: code, Reason: err.Error(), Message: "The call was denied: " + err.Error() + "."}
	out.Trace = append(d.Trace, engine.Step{Step: "grant", Saw: err.Error(), Result: engine.Deny.String()})
	return out
}

// askedAbout turns the allow of a call that would give its agent a profile into an ask above
// all rules.
func askedAbout(c *call, d engine.Decision, name string) engine.Decision {
	if d.Behavior != engine.Allow {
		return d
	}
	out := engine.Decision{
		Behavior: engine.Ask, Stage: engine.StageProfile, Code: CodeProfileWanted, BypassImmune: true,
		Reason:          "the agent asks for the profile " + name,
		SuggestionsNote: "a person decides each time whether an agent gets another profile",
	}
	out.Message = fmt.Sprintf("%s is waiting for approval: %s.", c.req.Call.Tool, out.Reason)
	if c.req.Call.Context.Mode == engine.DontAsk {
		out.Behavior, out.BypassImmune, out.SuggestionsNote = engine.Deny, false, ""
		out.ConvertedBy, out.ConvertedFrom = engine.DontAsk.String(), engine.StageProfile
		out.Message = fmt.Sprintf("%s was denied: %s, and mode dont_ask never asks.", c.req.Call.Tool, out.Reason)
	}
	out.Trace = append(d.Trace, engine.Step{Step: "grant", Saw: out.Reason, Result: out.Behavior.String()})
	return out
}

// errNobodyApproved keeps a profile from an agent whose call was allowed without an approval.
var errNobodyApproved = errors.New("no person approved it")

// giveWanted gives the agent the profile of an approved call. A failure to store it denies.
func (g *Gate) giveWanted(ctx context.Context, c *call, res wire.Result) wire.Result {
	if res.Decision.Behavior != engine.Allow {
		return res
	}
	name, err := c.wantsProfile()
	if name == "" && err == nil {
		return res
	}
	agent, kind := c.req.Call.Context.Agent, c.req.Call.Context.Kind
	person := g.c.Authority.TriggerOf(c.caller, c.request.Context, c.agent, kind)
	if err == nil {
		err = g.c.Authority.MayTrigger(ctx, person, name, true)
	}
	if err == nil && res.DecidedBy == "" {
		err = errNobodyApproved
	}
	if err == nil {
		c.changes = true
		_, err = g.c.Changes.GiveProfile(ctx, agent, name, person.Name, res.DecidedBy)
	}
	if err != nil {
		out := c.failed("the profile was not given: " + err.Error())
		out.AskID, out.DecidedBy = res.AskID, res.DecidedBy
		return out
	}
	res.Decision.Reason = fmt.Sprintf("%s; %s has the profile %s from its next call on, granted by %s", res.Decision.Reason, agent, name, person.Name)
	return res
}

// The tools for an agent's request to leave explore: the clients' and ExAthena's, which also
// enters it. The Gate itself acts on them.
const (
	exitPlanMode = "ExitPlanMode"
	planMode     = "PlanMode"
)

// CodeLeaveExplore is an ask to leave mode explore.
const CodeLeaveExplore = "leave_explore"

// leaving is the mode a call requests for its session in place of explore. A mode reported only
// by the client is the client's to leave.
type leaving struct {
	into engine.Mode
	fork bool
}

// leave reports whether the call asks to leave explore; nil when it does not. known is its
// session, operator the mode in force without the client's report.
func (f *facts) leave(known store.Session, operator engine.Mode) *leaving {
	if operator != engine.Explore || !f.exits() {
		return nil
	}
	fork := f.req.Call.Context.Kind == engine.InteractiveFork && known.ForkMode != nil && *known.ForkMode == engine.Explore
	into := f.agent.Mode
	if fork && known.Mode != nil {
		into = *known.Mode
	}
	if into == engine.Explore {
		into = engine.DefaultMode
	}
	return &leaving{into, fork}
}

// exits reports whether a call is about the end of planning.
func (f *facts) exits() bool {
	switch f.entry.Name {
	case exitPlanMode:
		return true
	case planMode:
		var input map[string]json.RawMessage
		var action string
		return json.Unmarshal(f.req.Call.Input, &input) == nil && json.Unmarshal(input["action"], &action) == nil && action == "exit"
	}
	return false
}

// planExit asks about a call that would leave explore. Its trigger must be permitted to grant
// the mode, where the configuration names granters, and a person or a callback has to approve.
// A denial stays a denial. Source: docs/seeds.md, "`:plan`".
func planExit(g *Gate, ctx context.Context, c *call, d engine.Decision) engine.Decision {
	l := c.leaves
	if l == nil || d.Behavior == engine.Deny {
		return d
	}
	out := engine.Decision{Stage: engine.StageMode, Code: CodeLeaveExplore, Trace: d.Trace}
	err := g.c.Authority.MayTrigger(ctx, c.trigger, approvers.ModePrefix+l.into.String(), false)
	switch {
	case c.request.Context.SubAgent != "" || len(c.children) > 0:
		out.Reason = "a sub-agent may not change the mode of its session; a person can, with `callgate sessions mode`"
	case c.req.Call.Context.Kind == engine.Background:
		out.Reason, out.ConvertedBy, out.ConvertedFrom = "a background session may not ask to leave mode explore", engine.CodeBackground, engine.StageMode
	case err != nil && !g.c.Settings().NamesNobody():
		out.Code, out.Reason = authority.CodeNotGranted, fmt.Sprintf("it would leave mode explore: %v", err)
	default:
		out.Behavior, out.BypassImmune = engine.Ask, true
		out.Reason = fmt.Sprintf("the agent asks to leave mode explore into mode %s", l.into)
		out.SuggestionsNote = "a person decides each time whether an agent may leave explore"
	}
	out.Message = fmt.Sprintf("%s is waiting for approval: %s.", c.req.Call.Tool, out.Reason)
	if out.Behavior == engine.Deny {
		out.Message = fmt.Sprintf("%s was denied: %s.", c.req.Call.Tool, out.Reason)
	}
	out.Trace = append(out.Trace, engine.Step{Step: string(engine.StageMode), Saw: out.Reason, Result: out.Behavior.String()})
	return out
}

// leaveExplore gives the session the mode of an approved call. A failure to store it denies.
func (g *Gate) leaveExplore(ctx context.Context, c *call, res wire.Result) wire.Result {
	l := c.leaves
	if l == nil || res.Decision.Behavior != engine.Allow {
		return res
	}
	set := g.c.Changes.SetMode
	if l.fork {
		set = g.c.Changes.SetForkMode
	}
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	c.changes = true
	if err := set(ctx, c.key().Session, &l.into, res.DecidedBy); err != nil {
		out := c.failed("the session's mode could not be changed: " + err.Error())
		out.AskID, out.DecidedBy = res.AskID, res.DecidedBy
		return out
	}
	res.Decision.Reason = fmt.Sprintf("%s; the session is in mode %s from its next call on", res.Decision.Reason, l.into)
	return res
}
