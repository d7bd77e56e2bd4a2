package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// Callback answers asks in place of people. It is asked where a person would be,
// and never about what is allowed or denied. Source: the ExAthena seed,
// "can_use_tool callback contract"; design section 3.
type Callback interface {
	// Name is who decided, in the audit.
	Name() string
	// Decide answers one ask until ctx ends. An error denies, and so does an answer
	// whose Unexpected or Failed is set; ErrCallbackLate is the audit's ask_timeout.
	// It is called by several goroutines at once.
	Decide(ctx context.Context, r CallbackRequest) (engine.CallbackAnswer, error)
}

// CallbackRequest is an ask as a callback sees it. The input is whole: whoever
// decides has to see what is decided.
type CallbackRequest struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Context says where and for whom the call runs.
	Context CallbackContext `json:"context"`
	// Stage, Code and Reason say why it asks, as in engine.Decision; Rule is the
	// text of the rule that asks.
	Stage        engine.Stage `json:"stage"`
	Code         string       `json:"code"`
	Reason       string       `json:"reason"`
	Rule         string       `json:"rule,omitempty"`
	BypassImmune bool         `json:"bypass_immune"`
	// Offending are the parts of the call that no rule covers, where that is known.
	Offending []string        `json:"offending,omitempty"`
	Action    string          `json:"action,omitempty"`
	Targets   []engine.Target `json:"targets,omitempty"`
	// Changed says what differs from what was allowed a moment ago.
	Changed []string `json:"changed,omitempty"`
	// CallID is the client's id of the call, Digest the SHA-256 of tool, input and cwd.
	CallID string `json:"call_id"`
	Digest string `json:"digest"`
	// Deadline is when the answer is too late.
	Deadline time.Time `json:"deadline"`
}

// CallbackContext is what a callback learns of a call's surroundings.
type CallbackContext struct {
	Agent              string      `json:"agent"`
	SubAgent           string      `json:"sub_agent,omitempty"`
	Session            string      `json:"session"`
	User               string      `json:"user,omitempty"`
	Mode               engine.Mode `json:"mode"`
	Kind               engine.Kind `json:"kind,omitempty"`
	Resumed            bool        `json:"resumed,omitempty"`
	CWD                string      `json:"cwd,omitempty"`
	WorkingDirectories []string    `json:"working_directories,omitempty"`
	ProjectRoot        string      `json:"project_root,omitempty"`
}

// ErrCallbackLate means that a callback had no answer in its time.
var ErrCallbackLate = errors.New("no answer in time")

// maxConsulted bounds how many asks are put to callbacks at once; others wait for a
// place, in their own time.
const maxConsulted = 64

// callbackOf is what answers the agent's asks; nil when people do.
func (g *Gate) callbackOf(agent string) Callback {
	if g.c.Callback == nil {
		return nil
	}
	return g.c.Callback(agent)
}

// mayDecide reports whether a callback may answer an ask about the call: where
// ask_approvers name who may, they have to name it, and people answer otherwise.
func (g *Gate) mayDecide(cb Callback, p prepared, d engine.Decision) bool {
	policy := g.approversOf(p.agent.Name, p.req.Call.Tool, d)
	return policy.Quorum() == 1 && policy.Authorise(p.req.Call.Context.User, p.settings.Person(cb.Name())).MayApprove
}

// askCallback has a callback answer an ask. What it allows is decided again with
// targets resolved again, as after a person's approval; what has changed meanwhile
// is put to it anew.
func (g *Gate) askCallback(ctx context.Context, caller Caller, way *passage, p prepared, d engine.Decision, cb Callback, changed []string) Result {
	for range maxAsks {
		way.leave()
		asked := g.newAsk(ctx, p, d, changed)
		g.noticeRequest(p, d, cb.Name())
		p.release()
		answer, outcome := g.consult(ctx, cb, p, asked)
		if out := engine.ApplyCallback(d, p.req.Call.Tool, answer); out.Behavior != engine.Allow {
			return p.consulted(out, cb, outcome)
		}
		again, err := g.prepare(ctx, caller, way.r, g.seen)
		defer again.release()
		if err != nil {
			return p.result(denied(engine.CodeHostError, err.Error()))
		}
		way.enter(again)
		d2 := g.decide(ctx, way.r, &again, way.before)
		switch changed = g.changed(ctx, asked, again, d2); {
		case d2.Behavior == engine.Deny:
			return again.result(d2)
		case d2.Behavior == engine.Allow || len(changed) == 0:
			return again.consulted(engine.ApplyCallback(d2, again.req.Call.Tool, answer), cb, outcome)
		}
		changed = append(changed, moduleDifference(asked, again)...)
		again.deadline = p.deadline
		p, d = again, d2
	}
	return p.result(denied(engine.CodeHostError, fmt.Sprintf("the call changed %d times while the callback approver was asked", maxAsks)))
}

// consulted is the result of an ask that a callback answered.
func (p prepared) consulted(d engine.Decision, cb Callback, outcome store.Outcome) Result {
	res := p.result(d)
	res.DecidedBy, res.Outcome = cb.Name(), outcome
	return res
}

// consult puts one ask to a callback and waits until its time is over, whatever the
// callback does. A callback that outlives its time keeps its place.
func (g *Gate) consult(ctx context.Context, cb Callback, p prepared, asked ask.Ask) (engine.CallbackAnswer, store.Outcome) {
	limit := g.c.Now().Add(p.patience())
	if !p.deadline.IsZero() && p.deadline.Before(limit) {
		limit = p.deadline
	}
	ctx, cancel := context.WithTimeout(ctx, limit.Sub(g.c.Now()))
	defer cancel()
	select {
	case g.consulting <- struct{}{}:
	case <-ctx.Done():
		return failedCallback(ErrCallbackLate)
	}
	type said struct {
		answer engine.CallbackAnswer
		err    error
	}
	done := make(chan said, 1)
	go func() {
		defer func() { <-g.consulting }()
		defer func() {
			if r := recover(); r != nil {
				done <- said{err: fmt.Errorf("it failed (%T)", r)}
			}
		}()
		answer, err := cb.Decide(ctx, callbackRequest(p, asked, limit))
		done <- said{answer, err}
	}()
	select {
	case s := <-done:
		if s.err != nil {
			return failedCallback(s.err)
		}
		return s.answer, answeredOutcome(s.answer)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return engine.CallbackAnswer{Failed: "the call was withdrawn"}, store.AskCancelled
		}
		return failedCallback(ErrCallbackLate)
	}
}

func answeredOutcome(a engine.CallbackAnswer) store.Outcome {
	if a.Behavior == engine.Allow && a.Unexpected == "" && a.Failed == "" {
		return store.AskApproved
	}
	return store.AskDenied
}

// maxFailure bounds what is told of a callback's error, in bytes.
const maxFailure = 300

func failedCallback(err error) (engine.CallbackAnswer, store.Outcome) {
	if errors.Is(err, ErrCallbackLate) || errors.Is(err, context.DeadlineExceeded) {
		return engine.CallbackAnswer{Failed: ErrCallbackLate.Error()}, store.AskTimeout
	}
	return engine.CallbackAnswer{Failed: clip(err.Error(), maxFailure)}, store.AskDenied
}

func callbackRequest(p prepared, asked ask.Ask, deadline time.Time) CallbackRequest {
	c, d := p.req.Call.Context, asked.Decision
	r := CallbackRequest{
		Tool: asked.Tool, Input: asked.Input,
		Context: CallbackContext{
			Agent: c.Agent, SubAgent: p.subAgent, Session: c.Session, User: c.User, Mode: c.Mode, Kind: c.Kind, Resumed: c.Resumed,
			CWD: c.CWD, WorkingDirectories: c.WorkingDirectories, ProjectRoot: c.ProjectRoot,
		},
		Stage: d.Stage, Code: d.Code, Reason: d.Reason, BypassImmune: d.Safety(), Offending: d.Offending, Action: asked.Action,
		Targets: asked.Targets, Changed: asked.Changed, CallID: p.callID, Digest: p.digest, Deadline: deadline.UTC(),
	}
	if d.Rule != nil {
		r.Rule = d.Rule.String()
	}
	return r
}
