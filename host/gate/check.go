package gate

import (
	"context"
	"strings"

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
	defer p.release()
	if err != nil {
		return g.refuse(ctx, caller, r, err)
	}
	way := &passage{g: g, r: r}
	defer way.leave()
	way.enter(p)
	res, final := g.recall(ctx, way, p)
	var micros int64
	if !final {
		d := g.decide(ctx, r, &p, way.before)
		micros = g.c.Now().Sub(p.started).Microseconds()
		if res, err = g.answered(ctx, caller, way, p, d, progress); err != nil {
			return res, err
		}
		if !way.recalled { // what an approval was for is done once, and may have been taken back since
			res = g.applied(ctx, caller, r, p, res)
			res = g.left(ctx, p, res)
		}
	}
	res.Micros = micros
	if res.Outcome == "" {
		res.Outcome = outcomes[res.Decision.Behavior]
	}
	if noted := g.noteShell(ctx, p, res); noted.Decision.Behavior != res.Decision.Behavior {
		res, res.Outcome = noted, store.Denied
	}
	res = g.audited(ctx, way, p, res)
	g.noticeDenied(p, res)
	return res, nil
}

// answered makes a result of a decision: an ask is put to a person, unless one
// has approved this very call before.
func (g *Gate) answered(ctx context.Context, caller Caller, way *passage, p prepared, d engine.Decision, progress Progress) (Result, error) {
	if d.Behavior != engine.Ask {
		return p.result(d), nil
	}
	res, changed, ok := g.approvedBefore(ctx, p, d, way.before)
	if ok {
		way.recalled = true
		return res, nil
	}
	if cb := g.callbackOf(p.agent.Name); cb != nil && g.mayDecide(cb, p, d) {
		return g.askCallback(ctx, caller, way, p, d, cb, changed), nil
	}
	return g.askHuman(ctx, caller, way, p, d, changed, progress)
}

// Evaluate decides without asking, storing or auditing: what Check would see.
func (g *Gate) Evaluate(ctx context.Context, caller Caller, r Request) (Result, error) {
	p, err := g.prepare(ctx, caller, r, g.seen)
	defer p.release()
	if err != nil {
		return Result{Decision: denied(engine.CodeHostError, err.Error())}, err
	}
	if why := g.c.Asks.Stopped(p.key().Session); why != "" {
		return p.stopped(why), nil
	}
	res := p.result(g.decide(ctx, r, &p, store.Call{}))
	res.Micros = g.c.Now().Sub(p.started).Microseconds()
	return res, nil
}

func (p prepared) result(d engine.Decision) Result {
	return Result{
		Decision: d, Action: p.desc.Action, Targets: p.req.Call.Context.Targets, Digest: p.digest,
		Module: strings.TrimSpace(p.entry.Module + " " + p.entry.Version), ModuleDigest: p.entry.Digest,
	}
}

func denied(code, reason string) engine.Decision {
	return engine.Decision{Stage: engine.StageError, Code: code, Reason: reason, Message: "The call was denied: " + reason + "."}
}

// outcomes are the audit's words for what was decided without a person.
var outcomes = map[engine.Behavior]store.Outcome{engine.Allow: store.Allowed, engine.Deny: store.Denied}
