package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Callback answers asks in place of people, and never decides about allowed or denied calls.
// Source: docs/seeds.md, "`can_use_tool` callback contract".
type Callback interface {
	// Name is who decided, in the audit.
	Name() string
	// Decide answers one ask until ctx ends. An error denies, and so does an answer
	// whose Unexpected or Failed is set; ErrCallbackLate is the audit's ask_timeout.
	// It is called by several goroutines at once.
	Decide(ctx context.Context, r wire.CallbackRequest) (engine.CallbackAnswer, error)
}

// ErrCallbackLate means that a callback had no answer in its time.
var ErrCallbackLate = errors.New("no answer in time")

// maxConsulted bounds how many asks are put to callbacks at once; others wait for a
// place, in their own time.
const maxConsulted = 64

// callbackOf returns the callback for the agent's asks; nil when people answer.
func (g *Gate) callbackOf(agent string) Callback {
	if g.c.Callback == nil {
		return nil
	}
	return g.c.Callback(agent)
}

// mayDecide reports whether a callback may answer an ask about the call: where
// ask_approvers name who may, they have to name it, and people answer otherwise.
func (g *Gate) mayDecide(cb Callback, c *call, d engine.Decision) bool {
	policy := g.c.Authority.ApproversOf(c.agent.Name, c.req.Call.Tool, d)
	return policy.Quorum() == 1 && policy.Authorise(c.req.Call.Context.User, c.settings.Person(cb.Name())).MayApprove
}

// callbackApprover has a callback answer the asks of its agent.
type callbackApprover struct {
	g  *Gate
	cb Callback
}

func (a callbackApprover) name() string  { return a.cb.Name() }
func (a callbackApprover) title() string { return "the callback approver" }

// ask implements approver.
func (a callbackApprover) ask(ctx context.Context, c *call, d engine.Decision, asked *ask.Ask) (*approval, *wire.Result, error) {
	said, outcome := a.g.consult(ctx, a.cb, c, asked)
	result := func(c *call, d engine.Decision) wire.Result {
		res := c.result(engine.ApplyCallback(d, c.req.Call.Tool, said))
		res.DecidedBy, res.Outcome = a.cb.Name(), outcome
		return res
	}
	if res := result(c, d); res.Decision.Behavior != engine.Allow {
		return nil, &res, nil
	}
	return &approval{shown: asked, result: result}, nil, nil
}

// consult puts one ask to a callback and waits until its time is over, even if the callback
// does not return. A late callback keeps its place.
func (g *Gate) consult(ctx context.Context, cb Callback, c *call, asked *ask.Ask) (engine.CallbackAnswer, store.Outcome) {
	limit := g.c.Now().Add(c.patience())
	if !c.deadline.IsZero() && c.deadline.Before(limit) {
		limit = c.deadline
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
		answer, err := cb.Decide(ctx, callbackRequest(c, asked, limit))
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

// maxFailure bounds the text of a callback's error, in bytes.
const maxFailure = 300

func failedCallback(err error) (engine.CallbackAnswer, store.Outcome) {
	if errors.Is(err, ErrCallbackLate) || errors.Is(err, context.DeadlineExceeded) {
		return engine.CallbackAnswer{Failed: ErrCallbackLate.Error()}, store.AskTimeout
	}
	return engine.CallbackAnswer{Failed: clip(err.Error(), maxFailure)}, store.AskDenied
}

func callbackRequest(c *call, asked *ask.Ask, deadline time.Time) wire.CallbackRequest {
	at, d := c.req.Call.Context, asked.Decision
	r := wire.CallbackRequest{
		Tool: asked.Tool, Input: asked.Input,
		Context: wire.CallbackContext{
			Agent: at.Agent, SubAgent: c.request.Context.SubAgent, Session: at.Session, User: at.User, Mode: at.Mode, Kind: at.Kind, Resumed: at.Resumed,
			CWD: at.CWD, WorkingDirectories: at.WorkingDirectories, ProjectRoot: at.ProjectRoot,
		},
		Stage: d.Stage, Code: d.Code, Reason: d.Reason, BypassImmune: d.Safety(), Offending: d.Offending, Action: asked.Action,
		Card: card.Lines(card.Render(*asked, asked.CreatedAt)), Targets: asked.Targets, Changed: asked.Changed, CallID: c.id, Digest: c.digest, Deadline: deadline.UTC(),
	}
	if d.Rule != nil {
		r.Rule = d.Rule.String()
	}
	return r
}
