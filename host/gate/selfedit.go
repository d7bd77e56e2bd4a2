package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/people"
)

// selfEditPermissions is the tool by which an agent asks for another profile. What
// it is to do, the Gate itself does: nobody else knows who may. Source: the Chorus
// seed, "Role-Based Gating for Self-Edit Permissions"; design section 5.
const selfEditPermissions = "self_edit_permissions"

// The codes of its denials.
const (
	codeNotGranted     = "not_granted"
	codeUnknownProfile = "unknown_profile"
)

// trigger is who triggered a call: the user that the operator gave the agent or, from
// a caller that is believed, the one it names. It is nobody in the background.
func (g *Gate) trigger(caller Caller, claim Claim, agent config.Agent, kind engine.Kind) people.Person {
	switch {
	case kind == engine.Background:
		return people.Person{}
	case caller.believed() && claim.User != "":
		return g.Person(caller, claim.User, claim.Roles, claim.Administrator)
	}
	return g.c.Settings().Person(agent.User)
}

// wantsProfile is the profile that a call would give its agent; empty when it would
// give none. The error is an input from which that cannot be told for sure.
func (p prepared) wantsProfile() (string, error) {
	if p.entry.Name != selfEditPermissions {
		return "", nil
	}
	var input map[string]json.RawMessage
	var name *string
	if json.Unmarshal(p.req.Call.Input, &input) != nil || len(input) != 1 ||
		json.Unmarshal(input["profile"], &name) != nil || name == nil || *name == "" {
		return "", errors.New(`it wants an input of one member, {"profile": "NAME"}`)
	}
	return *name, nil
}

// granted denies a call that would give its agent a profile which is none, or which
// whoever triggered it may not grant; everything else stays as it was decided.
func (g *Gate) granted(p prepared, d engine.Decision) engine.Decision {
	if d.Behavior == engine.Deny {
		return d
	}
	name, err := p.wantsProfile()
	if name == "" && err == nil {
		return d
	}
	code := codeUnknownProfile
	if err == nil {
		err = g.knownProfile(name)
	}
	if err == nil {
		code = codeNotGranted
		err = g.c.Settings().MayGrant(p.trigger, name)
	}
	if err == nil {
		return d
	}
	out := engine.Decision{Stage: engine.StageProfile, Code: code, Reason: err.Error(), Message: "The call was denied: " + err.Error() + "."}
	out.Trace = append(d.Trace, engine.Step{Step: "grant", Saw: err.Error(), Result: engine.Deny.String()})
	return out
}

// applied gives the agent the profile that an allowed call is about. What cannot be
// kept is denied.
func (g *Gate) applied(ctx context.Context, caller Caller, r Request, p prepared, res Result) Result {
	if res.Decision.Behavior != engine.Allow {
		return res
	}
	name, err := p.wantsProfile()
	if name == "" && err == nil {
		return res
	}
	agent, kind := p.req.Call.Context.Agent, p.req.Call.Context.Kind
	person := g.trigger(caller, r.Context, p.agent, kind)
	if err == nil {
		err = g.c.Settings().MayGrant(person, name)
	}
	if err == nil {
		_, err = g.GiveProfile(ctx, agent, name, person.Name, res.DecidedBy)
	}
	if err != nil {
		out := p.result(denied(engine.CodeHostError, "the profile was not given: "+err.Error()))
		out.AskID, out.DecidedBy = res.AskID, res.DecidedBy
		return out
	}
	res.Decision.Reason = fmt.Sprintf("%s; %s has the profile %s from its next call on, granted by %s", res.Decision.Reason, agent, name, person.Name)
	return res
}
