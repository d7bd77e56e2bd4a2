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

// answerLife is how long an answer holds for a call that comes back under its id
// before it has ended, and how long a call that has not ended may still move
// things. Source: design section 8, "ends with the call or after ten minutes".
const answerLife = 10 * time.Minute

// CodeCallIDReused is the code of a denial because the call's id stood for
// another call before. Threat T10.
const CodeCallIDReused = string(ask.CauseReused)

// CodeSessionStopped is the code of a denial because the session was stopped.
const CodeSessionStopped = string(ask.CauseStopped)

// inputDigest identifies what a call does wherever it runs: Digest without the
// cwd.
func inputDigest(tool string, input json.RawMessage) string { return Digest(tool, input, "") }

// key is what the ledger knows a call by; named tells whether the client gave the
// call an id.
func (p prepared) key() ask.Key {
	return ask.Key{Token: p.token, Session: p.req.Call.Context.Session, CallID: p.callID}
}

// recall answers a call from what was judged before, where that answers it, and
// otherwise leaves it in way. A true means that the result is final.
func (g *Gate) recall(ctx context.Context, way *passage, p prepared) (Result, bool) {
	if why := g.c.Asks.Stopped(p.key().Session); why != "" {
		return p.stopped(why), true
	}
	before, found, err := g.before(ctx, way.r, p)
	switch {
	case err != nil:
		return p.result(denied(engine.CodeHostError, err.Error())), true
	case !found:
		return Result{}, false
	case before.InputDigest != inputDigest(p.entry.Name, p.req.Call.Input):
		return g.reused(p), true
	case !way.r.Reports && !way.r.FollowsUp, before.Digest != p.digest, !before.FinishedAt.IsZero(), g.c.Now().Sub(before.JudgedAt) >= answerLife:
		return Result{}, false // judged anew
	}
	way.before = before
	if before.Outcome != store.AskDenied || before.AskID == "" { // a callback is asked again
		return Result{}, false
	}
	res, err := g.deniedAgain(ctx, p, before)
	if err != nil {
		return p.result(denied(engine.CodeHostError, err.Error())), true
	}
	return res, true
}

// before finds the judged call that this one is, or follows up.
func (g *Gate) before(ctx context.Context, r Request, p prepared) (call store.Call, found bool, err error) {
	k := p.key()
	err = store.ErrNotFound
	if r.FollowsUp {
		call, err = g.c.Store.OpenCall(ctx, k.Token, k.Session, inputDigest(p.entry.Name, p.req.Call.Input), g.c.Now().Add(-answerLife))
	}
	if r.CallID != "" && errors.Is(err, store.ErrNotFound) {
		call, err = g.c.Store.Call(ctx, k)
	}
	if errors.Is(err, store.ErrNotFound) {
		return call, false, nil
	}
	return call, err == nil, err
}

func (p prepared) stopped(why string) Result {
	d := denied(CodeSessionStopped, "this session is stopped: "+why)
	d.Message = fmt.Sprintf("The %s call was not run: this session is stopped, because %s. A person resumes it with `%s`.",
		p.req.Call.Tool, why, ask.Resume(p.key().Session))
	return p.result(d)
}

// reused denies a call whose id stood for another one, and reports it.
func (g *Gate) reused(p prepared) Result {
	g.c.Log.Warn("a call id was used for another call: denied", "token", p.token, "session", p.key().Session, "call", p.callID, "tool", p.req.Call.Tool)
	return p.result(denied(CodeCallIDReused, "its call id was used before for another call; send a new call id"))
}

// deniedAgain gives a call that a person denied the same answer.
func (g *Gate) deniedAgain(ctx context.Context, p prepared, before store.Call) (Result, error) {
	a, err := g.c.Asks.Get(ctx, before.AskID)
	if err != nil {
		return Result{}, fmt.Errorf("look up ask %s: %w", before.AskID, err)
	}
	out := ask.OutcomeOf(a)
	if a.State != ask.Denied {
		return Result{}, fmt.Errorf("ask %s is not the denial of this call", a.ID)
	}
	return p.refused(a.Decision, out), nil
}

// approvedBefore gives a call that a person approved the same answer, if it is
// still the ask that was approved; false means that it has to be asked anew, with
// what has changed.
func (g *Gate) approvedBefore(ctx context.Context, p prepared, d engine.Decision, before store.Call) (Result, []string, bool) {
	if before.Outcome != store.AskApproved {
		return Result{}, nil, false
	}
	a, err := g.c.Asks.Get(ctx, before.AskID)
	out := ask.OutcomeOf(a)
	if err != nil || !out.Approved() || a.Token != p.token || a.Session != p.key().Session || a.Digest != p.digest {
		return Result{}, nil, false
	}
	if changed := g.changed(ctx, a, p, d); len(changed) > 0 {
		return Result{}, append(changed, moduleDifference(a, p)...), false
	}
	return p.approved(d, out), nil, true
}

// judged is the ledger's line of a result; nil for a call without an id.
func (g *Gate) judged(way *passage, p prepared, res Result) *store.Call {
	if way.r.CallID == "" || res.Decision.Code == CodeCallIDReused {
		return nil
	}
	c := p.req.Call.Context
	call := &store.Call{
		Key:   ask.Key{Token: p.token, Session: c.Session, CallID: way.r.CallID},
		Agent: c.Agent, SubAgent: way.r.Context.SubAgent, Tool: p.entry.Name, CWD: c.CWD, InputDigest: inputDigest(p.entry.Name, p.req.Call.Input), Digest: p.digest,
		Behavior: res.Decision.Behavior, Outcome: res.Outcome, AskID: res.AskID, JudgedAt: g.c.Now(),
		Moves: p.moves() && !way.r.FollowsUp, // the call that it follows moves; of this one no end is ever told
	}
	if call.AskID != "" && call.AskID == way.before.AskID {
		call.JudgedAt = way.before.JudgedAt // the same answer does not live longer for being given again
	}
	return call
}
