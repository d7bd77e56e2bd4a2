package gate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// The tools by which an agent asks to leave explore: the clients' and the ExAthena
// seed's, which also enters it. What they are to do, the Gate itself does.
const (
	exitPlanMode = "ExitPlanMode"
	planMode     = "PlanMode"
)

// CodeLeaveExplore is the code of an ask whether the agent may leave explore.
const CodeLeaveExplore = "leave_explore"

// leaving is the mode that a call asks its session to be given in place of explore.
// A mode that only the client reports is the client's to leave.
type leaving struct {
	into engine.Mode
	fork bool
}

// leave tells whether the call asks to leave explore; nil when it does not. known is
// its session, operator the mode that holds without what the client reports.
func (p prepared) leave(known store.Session, operator engine.Mode) *leaving {
	if operator != engine.Explore || !p.exits() {
		return nil
	}
	fork := p.req.Call.Context.Kind == engine.InteractiveFork && known.ForkMode != nil && *known.ForkMode == engine.Explore
	into := p.agent.Mode
	if fork && known.Mode != nil {
		into = *known.Mode
	}
	if into == engine.Explore {
		into = engine.DefaultMode
	}
	return &leaving{into, fork}
}

// exits reports whether a call is about the end of planning.
func (p prepared) exits() bool {
	switch p.entry.Name {
	case exitPlanMode:
		return true
	case planMode:
		var input map[string]json.RawMessage
		var action string
		return json.Unmarshal(p.req.Call.Input, &input) == nil && json.Unmarshal(input["action"], &action) == nil && action == "exit"
	}
	return false
}

// mayLeave asks about a call that would leave explore. Whoever triggered it has to be
// one who may grant the mode, and a person or a callback has to approve. What is
// denied stays denied. Source: the ExAthena seed, "plan"; design section 5.
func (g *Gate) mayLeave(p prepared, d engine.Decision) engine.Decision {
	l := p.leaves
	if l == nil || d.Behavior == engine.Deny {
		return d
	}
	out := engine.Decision{Stage: engine.StageMode, Code: CodeLeaveExplore, Trace: d.Trace}
	err := g.c.Settings().MayGrant(p.trigger, people.ModePrefix+l.into.String())
	switch {
	case p.subAgent != "" || len(p.children) > 0:
		out.Reason = "a sub-agent may not change the mode of its session; a person can, with `callgate sessions mode`"
	case p.req.Call.Context.Kind == engine.Background:
		out.Reason, out.ConvertedBy, out.ConvertedFrom = "a background session may not ask to leave mode explore", engine.CodeBackground, engine.StageMode
	case err != nil:
		out.Code, out.Reason = codeNotGranted, fmt.Sprintf("it would leave mode explore: %v", err)
	default:
		out.Behavior, out.BypassImmune = engine.Ask, true
		out.Reason = fmt.Sprintf("the agent asks to leave mode explore into mode %s", l.into)
		out.SuggestionsNote = "a person decides each time whether an agent may leave explore"
	}
	out.Message = fmt.Sprintf("%s waits for a human: %s.", p.req.Call.Tool, out.Reason)
	if out.Behavior == engine.Deny {
		out.Message = fmt.Sprintf("%s was denied: %s.", p.req.Call.Tool, out.Reason)
	}
	out.Trace = append(out.Trace, engine.Step{Step: string(engine.StageMode), Saw: out.Reason, Result: out.Behavior.String()})
	return out
}

// left gives the session the mode that an approved call asked for. What cannot be
// kept is denied.
func (g *Gate) left(ctx context.Context, p prepared, res Result) Result {
	l := p.leaves
	if l == nil || res.Decision.Behavior != engine.Allow {
		return res
	}
	set := g.SetMode
	if l.fork {
		set = g.SetForkMode
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	if err := set(ctx, p.key().Session, &l.into, res.DecidedBy); err != nil {
		out := p.result(denied(engine.CodeHostError, "the session's mode could not be changed: "+err.Error()))
		out.AskID, out.DecidedBy = res.AskID, res.DecidedBy
		return out
	}
	res.Decision.Reason = fmt.Sprintf("%s; the session is in mode %s from its next call on", res.Decision.Reason, l.into)
	return res
}
