package gate

import (
	"context"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/store"
)

// Check decides one call, waits for a human where one must decide, and audits
// the answer before returning it. The error is non-nil only for a request that
// is malformed or not covered by the caller's token (ErrBadRequest,
// ErrNotEntitled), or when the gate closes while a person is asked
// (ask.ErrClosed: nothing is decided, the ask waits for the call to come back);
// the result then denies, as it does on every failure.
func (g *Gate) Check(ctx context.Context, caller Caller, r Request, progress Progress) (Result, error) {
	p, err := g.prepare(ctx, caller, r, g.c.Store.TouchSession)
	if err != nil {
		return g.refuse(ctx, caller, r, err)
	}
	d := engine.Decide(ctx, p.req)
	micros := g.c.Now().Sub(p.started).Microseconds()
	res := p.result(d)
	if d.Behavior == engine.Ask {
		if res, err = g.askHuman(ctx, caller, r, p, d, progress); err != nil {
			return res, err
		}
	}
	res.Micros = micros
	if res.Outcome == "" {
		res.Outcome = outcomes[res.Decision.Behavior]
	}
	return g.audited(ctx, p, res), nil
}

// Evaluate decides without asking, storing or auditing: what Check would see.
func (g *Gate) Evaluate(ctx context.Context, caller Caller, r Request) (Result, error) {
	p, err := g.prepare(ctx, caller, r, g.seen)
	if err != nil {
		return Result{Decision: denied(engine.CodeHostError, err.Error())}, err
	}
	res := p.result(engine.Decide(ctx, p.req))
	res.Micros = g.c.Now().Sub(p.started).Microseconds()
	return res, nil
}

func (p prepared) result(d engine.Decision) Result {
	return Result{
		Decision: d, Action: p.desc.Action, Targets: p.req.Call.Context.Targets, Digest: p.digest,
	}
}

func denied(code, reason string) engine.Decision {
	return engine.Decision{Stage: engine.StageError, Code: code, Reason: reason, Message: "The call was denied: " + reason + "."}
}

// outcomes are the audit's words for what was decided without a person.
var outcomes = map[engine.Behavior]store.Outcome{engine.Allow: store.Allowed, engine.Deny: store.Denied}
