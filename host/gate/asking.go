package gate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// maxAsks bounds how often one call may be asked about anew because its
// circumstances changed while a person thought.
const maxAsks = 3

// waiter is what a waiting call is known by.
type waiter struct {
	key    ask.Key
	digest string
}

func waiterOf(a ask.Ask) waiter { return waiter{a.Key(), a.Digest} }

// askHuman stores and shows the ask, waits, and decides again with what holds
// when the answer comes. Source: design section 8, "On approval the call is
// decided again". Its error is ask.ErrClosed: the gate closes, the ask goes on
// waiting in the store, and nothing is decided.
// changed says what differs from what was approved before.
func (g *Gate) askHuman(ctx context.Context, caller Caller, way *passage, p prepared, d engine.Decision, changed []string, progress Progress) (Result, error) {
	r := way.r
	if !g.c.Asks.HasSurface() {
		return p.result(engine.NoApprover(d, r.Tool, "attach one with `callgate asks watch`, or answer through the API")), nil
	}
	for range maxAsks {
		way.leave()
		g.noticeRequest(p, d, "people")
		asked := g.newAsk(ctx, p, d, changed)
		p.release() // a module that is swapped meanwhile need not be kept for as long as a person thinks
		out, err := g.wait(ctx, caller, way, asked, progress)
		if errors.Is(err, ask.ErrClosed) {
			return p.result(denied(engine.CodeHostError, err.Error())), err
		}
		if err != nil {
			return p.result(denied(engine.CodeHostError, "nobody could be asked: "+err.Error())), nil
		}
		if !out.Approved() {
			return p.refused(d, out), nil
		}
		_ = g.awaitRules(context.WithoutCancel(ctx), out.Ask.ID) // never given up: it is one write
		again, err := g.prepare(ctx, caller, r, g.seen)
		defer again.release()
		if err != nil {
			return p.result(denied(engine.CodeHostError, err.Error())), nil
		}
		way.enter(again)
		d2 := g.decide(ctx, r, &again, way.before)
		switch changed = g.changed(ctx, out.Ask, again, d2); {
		case d2.Behavior == engine.Deny:
			return again.result(d2), nil
		case d2.Behavior == engine.Allow || len(changed) == 0:
			return again.approved(d2, out), nil
		}
		changed = append(changed, moduleDifference(out.Ask, again)...)
		again.deadline = p.deadline
		p, d = again, d2
		p.callID = r.CallID + "~" + rand.Text()[:8] // a new ask: the first approval was for what has changed
	}
	return p.result(denied(engine.CodeHostError, fmt.Sprintf("the call changed %d times while a person was asked", maxAsks))), nil
}

// wait puts the ask to the broker, and lets others decide the call again while
// it waits.
func (g *Gate) wait(ctx context.Context, caller Caller, way *passage, a ask.Ask, progress Progress) (ask.Outcome, error) {
	key := waiterOf(a)
	g.mu.Lock()
	g.waiting[key] = func(ctx context.Context) engine.Decision {
		p, err := g.prepare(ctx, caller, way.r, g.seen)
		defer p.release()
		if err != nil {
			return engine.Decision{}
		}
		return g.decide(ctx, way.r, &p, way.before)
	}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.waiting, key)
	}()
	if progress != nil {
		stop := g.report(ctx, key, progress)
		defer stop()
	}
	return g.c.Asks.Ask(ctx, a)
}

// report tells progress of every event of the ask until stop is called; stop
// returns when no further call will come.
func (g *Gate) report(ctx context.Context, key waiter, progress Progress) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	events := g.c.Asks.Subscribe(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range events {
			if waiterOf(ev.Ask) == key {
				progress(ev)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (g *Gate) newAsk(ctx context.Context, p prepared, d engine.Decision, changed []string) ask.Ask {
	c := p.req.Call.Context
	return ask.Ask{
		Token: p.token, Agent: c.Agent, SubAgent: p.subAgent, Session: c.Session, User: c.User, CallID: p.callID, Digest: p.digest,
		Tool: p.req.Call.Tool, Input: p.req.Call.Input, CWD: c.CWD, Decision: d, Targets: c.Targets, Action: p.desc.Action,
		Identities:   g.identities(ctx, p),
		ModuleDigest: p.entry.Digest, Kind: c.Kind, ProjectRoot: c.ProjectRoot, Changed: changed, Timeout: p.patience(),
		CallerDeadline: p.deadline, Approvers: g.approversOf(c.Agent, p.req.Call.Tool, d),
	}
}

// refused is the result of an ask that was not approved.
func (p prepared) refused(d engine.Decision, out ask.Outcome) Result {
	res := p.result(d)
	res.AskID, res.DecidedBy, res.Outcome = out.Ask.ID, answeredBy(out), refusals[out.Cause]
	if res.Outcome == "" {
		res.Outcome = store.Denied
	}
	res.Decision.Behavior = engine.Deny
	res.Decision.ConvertedFrom, res.Decision.ConvertedBy = d.Stage, string(out.Cause)
	res.Decision.BypassImmune, res.Decision.SafetyCheck = false, false
	res.Decision.Suggestions, res.Decision.SuggestionsNote = nil, ""
	res.Decision.Reason, res.Decision.Message = out.Message, out.Message
	return res
}

// approved is the result of an ask that a person approved and that was decided
// again as d.
func (p prepared) approved(d engine.Decision, out ask.Outcome) Result {
	res := p.result(d)
	res.AskID, res.DecidedBy, res.Outcome = out.Ask.ID, answeredBy(out), store.AskApproved
	if d.Behavior == engine.Ask {
		res.Decision.Behavior = engine.Allow
		res.Decision.ConvertedFrom, res.Decision.ConvertedBy = d.Stage, "approved"
		res.Decision.BypassImmune, res.Decision.SafetyCheck = false, false
		res.Decision.Suggestions, res.Decision.SuggestionsNote = nil, ""
		res.Decision.Reason, res.Decision.Message = "approved by "+answeredBy(out), ""
	}
	return res
}

func answeredBy(out ask.Outcome) string {
	return out.Ask.DecidedBy()
}

// refusals are the audit's words for the ends of an ask; a refusal without a
// card is a plain denial. Source: design section 9.
var refusals = map[ask.Cause]store.Outcome{
	ask.CauseAnswered:  store.AskDenied,
	ask.CauseSettled:   store.AskDenied,
	ask.CauseTimeout:   store.AskTimeout,
	ask.CauseInterrupt: store.AskCancelled,
	ask.CauseForkExit:  store.AskCancelled,
	ask.CauseClear:     store.AskCancelled,
	ask.CauseCaller:    store.AskCancelled,
	ask.CausePaused:    store.Denied,
	ask.CauseStopped:   store.Denied,

	ask.CauseCardChanged: store.AskCancelled,
}
