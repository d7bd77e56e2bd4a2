package gate

import (
	"context"
	"errors"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
	"github.com/callgate/callgate/host/wire"
)

// Check decides one call, asks a person where one must decide, and audits the answer before
// returning it. The error is non-nil only for a malformed request, one outside the caller's
// token (authority.ErrBadRequest, authority.ErrNotEntitled), or when the gate closes during an
// ask (ask.ErrClosed: nothing is decided, the ask waits for the call to come back); the result
// then denies, as it does on every failure.
func (g *Gate) Check(ctx context.Context, caller authority.Caller, r wire.Request, progress Progress) (wire.Result, error) {
	c, err := g.admit(ctx, caller, r, g.c.Store.TouchSession)
	if err != nil {
		return g.reject(ctx, caller, r, err)
	}
	defer g.close(c)
	g.enter(c)
	if past, final := g.recall(ctx, c); final {
		res, _ := g.record(ctx, c, past) // its failure is a denial as well
		return res, nil
	}
	d := g.awaitInFlight(ctx, c, g.decide(ctx, c))
	micros := g.c.Now().Sub(c.started).Microseconds()
	res, err := g.settle(ctx, c, d, micros, progress)
	if err != nil {
		return res, err
	}
	if c.edited && res.Decision.Behavior == engine.Allow {
		res.Input = c.input
	}
	return res, nil
}

// settle answers, records and returns a decision. It is made anew as long as something it depends on
// changes before its row is stored.
func (g *Gate) settle(ctx context.Context, c *call, d engine.Decision, micros int64, progress Progress) (wire.Result, error) {
	for range maxAfresh {
		res, err := g.answer(ctx, c, d, progress)
		if err != nil {
			return res, err
		}
		res.Micros = micros
		if !c.recalled { // an approval's effect happens once, and may have been reverted since
			res = g.leaveExplore(ctx, c, g.giveWanted(ctx, c, res))
		}
		c.recalled = c.recalled || c.changes
		res, kept := g.keeps(ctx, c, res)
		if kept {
			return res, nil
		}
		var again bool
		if d, res, again = g.afresh(ctx, c); !again {
			res, _ = g.record(ctx, c, res) // its failure is a denial as well
			return res, nil
		}
	}
	res, _ := g.record(ctx, c, c.failed("the rules changed again and again while it was decided; try again"))
	return res, nil
}

// Evaluate decides as Check would, without asking, storing or auditing.
func (g *Gate) Evaluate(ctx context.Context, caller authority.Caller, r wire.Request) (wire.Result, error) {
	c, err := g.admit(ctx, caller, r, g.seen)
	if err != nil {
		return wire.Result{Decision: denied(engine.CodeHostError, err.Error())}, err
	}
	defer g.close(c)
	if why := g.c.Asks.Stopped(c.key().Session); why != "" {
		return c.stopped(why), nil
	}
	res := c.result(g.decide(ctx, c))
	res.Micros = g.c.Now().Sub(c.started).Microseconds()
	return res, nil
}

// decide decides a call by its facts: the engine first, then each of the tighteners.
func (g *Gate) decide(ctx context.Context, c *call) engine.Decision {
	defer stage.Begin(ctx, "decide")()
	g.unsettle(ctx, c)
	return g.decideAlone(ctx, c)
}

// decideAlone is decide without a look at other calls under way.
func (g *Gate) decideAlone(ctx context.Context, c *call) engine.Decision {
	d := engine.Decide(ctx, c.req)
	for _, t := range tighteners {
		d = t(g, ctx, c, d)
	}
	return d
}

// tightener makes the decision on a call stricter, or leaves it alone.
type tightener func(g *Gate, ctx context.Context, c *call, d engine.Decision) engine.Decision

// tighteners run in this order. TestTightenersNeverLoosen holds for all of them.
var tighteners = []tightener{hideSecrets, subAgents, selfEdit, planExit}

// answer makes a result of a decision: an ask is answered by an earlier approval of this very
// call, by the agent's callback, or by a person.
func (g *Gate) answer(ctx context.Context, c *call, d engine.Decision, progress Progress) (wire.Result, error) {
	res, changed, ok := g.approvedAlready(ctx, c, d)
	if ok {
		return res, nil
	}
	if d.Behavior != engine.Ask {
		return c.result(d), nil
	}
	if c.yes != nil {
		c.yes, c.askID = nil, anew(c) // the approval did not cover the change
	} else if res, changed, ok = g.approvedBefore(ctx, c, d); ok {
		c.recalled = true
		return res, nil
	}
	who := g.approverOf(c, d, progress)
	if who == nil {
		return c.result(engine.NoApprover(d, c.request.Tool, "attach one with `callgate asks watch`, or answer through the API")), nil
	}
	return g.ask(ctx, c, d, changed, who)
}

// record stores a result's changes, audits it and notifies of a denial; only then may it be
// returned. With an error it denies, and store.ErrStale means that it must be decided anew.
func (g *Gate) record(ctx context.Context, c *call, res wire.Result) (wire.Result, error) {
	if res.Outcome == "" {
		res.Outcome = outcomes[res.Decision.Behavior]
	}
	if kept := g.noteShell(ctx, c, res); kept.Decision.Behavior != res.Decision.Behavior {
		kept.Outcome, kept.Micros = store.Denied, res.Micros
		res = kept
	}
	res, err := g.audited(ctx, c, res)
	if !errors.Is(err, store.ErrStale) {
		g.noticeDenied(c, res)
	}
	return res, err
}

// outcomes are the audit's words for decisions without a person.
var outcomes = map[engine.Behavior]store.Outcome{engine.Allow: store.Allowed, engine.Deny: store.Denied}
