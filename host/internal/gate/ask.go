package gate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
	"github.com/callgate/callgate/host/wire"
)

// maxAsks bounds the repeated asks about one call after changed circumstances while a person
// thought.
const maxAsks = 3

// Progress receives a waiting call's state; it must not block for long.
type Progress func(*ask.Event)

// approver answers the asks about one call: people, or the agent's callback.
type approver interface {
	// name is the approver's name, in notices; title is the same in a sentence.
	name() string
	title() string
	// ask sends one ask about a call decided as d and waits for its answer: an approval, or nil
	// and the result of anything else. Its error is ask.ErrClosed: the gate closes, the ask goes on
	// waiting in the store, and nothing is decided.
	ask(ctx context.Context, c *call, d engine.Decision, a *ask.Ask) (*approval, *wire.Result, error)
}

// approval is a yes.
type approval struct {
	// shown is the ask as it was shown; a returning client did not send it.
	shown *ask.Ask
	// result makes the result of the approved call, decided again as d.
	result func(c *call, d engine.Decision) wire.Result
	// input is the call's new input; nil for its own.
	input json.RawMessage
}

// ask has an approver answer for a call. An approved call is decided again with the rules and
// settings at the time of the answer, and asked about anew when it differs from the shown one.
// changed describes the differences from the earlier approval. RATIONALE.md, "Why does an approved
// call get decided again?".
//
// Thousands of calls may wait in it. So asks and results are passed by address from here to the wait,
// and what comes after it stands in functions of its own: docs/audit/figures.md, "Several daemons".
func (g *Gate) ask(ctx context.Context, c *call, d engine.Decision, changed []string, who approver) (wire.Result, error) {
	for range maxAsks {
		g.leave(c)
		g.noticeRequest(c, d, who.name())
		asked := g.newAsk(ctx, c, d, changed)
		c.release() // a module swapped meanwhile need not be kept for as long as a person thinks
		answered := stage.Begin(ctx, "ask")
		yes, res, err := who.ask(ctx, c, d, asked)
		answered()
		if yes != nil {
			d, changed, res = g.approvedNow(ctx, c, yes)
		}
		if res != nil {
			return *res, err
		}
		c.askID = anew(c) // a new ask: the first approval did not cover the change
	}
	return c.failed(fmt.Sprintf("the call changed %d times while %s was asked", maxAsks, who.title())), nil
}

// approvedNow decides an approved call again. Without a result, it has to be asked about anew, as
// decided and with its changes.
func (g *Gate) approvedNow(ctx context.Context, c *call, yes *approval) (now engine.Decision, changed []string, final *wire.Result) {
	if yes.input != nil {
		now, final = g.edit(ctx, c, yes)
		return now, []string{card.Line(yes.shown.DecidedBy()) + " changed the input: this is the changed call"}, final
	}
	if err := g.again(ctx, c); err != nil {
		return now, nil, new(c.failed(err.Error()))
	}
	now = g.decide(ctx, c)
	switch changed = g.changed(ctx, yes.shown, c, now); {
	case now.Behavior == engine.Deny:
		return now, nil, new(c.result(now))
	case now.Behavior == engine.Allow || len(changed) == 0:
		c.yes = yes
		return now, nil, new(yes.result(c, now))
	}
	return now, append(changed, moduleDifference(yes.shown, c)...), nil
}

// anew is the broker's id for one more ask about a call.
func anew(c *call) string { return c.request.CallID + "~" + rand.Text()[:8] }

// approverOf is the approver of an ask about a call; nil for none.
func (g *Gate) approverOf(c *call, d engine.Decision, progress Progress) approver {
	if cb := g.callbackOf(c.agent.Name); cb != nil && g.mayDecide(cb, c, d) {
		return callbackApprover{g, cb}
	}
	if !g.c.Asks.HasSurface() {
		return nil
	}
	return &people{g, progress}
}

// people are asked through the broker.
type people struct {
	g        *Gate
	progress Progress
}

func (*people) name() string  { return "people" }
func (*people) title() string { return "a person" }

// ask implements approver.
func (p *people) ask(ctx context.Context, c *call, d engine.Decision, a *ask.Ask) (*approval, *wire.Result, error) {
	out, err := p.g.wait(ctx, c, a, p.progress)
	return p.answered(ctx, c, d, out, err)
}

// answered is what ask returns for an outcome.
func (p *people) answered(ctx context.Context, c *call, d engine.Decision, out ask.Outcome, err error) (*approval, *wire.Result, error) {
	switch {
	case errors.Is(err, ask.ErrClosed):
		return nil, new(c.failed(err.Error())), err
	case err != nil:
		return nil, new(c.failed("no approver could be asked: " + err.Error())), nil
	case !out.Approved():
		return nil, new(c.refused(d, out)), nil
	}
	_ = p.g.awaitRules(context.WithoutCancel(ctx), out.Ask.ID) // never given up: it is one write
	yes := &approval{shown: out.Ask, result: func(c *call, d engine.Decision) wire.Result { return c.approved(d, out) }}
	if out.Ask.Answer != nil {
		yes.input = out.Ask.Answer.Input
	}
	return yes, nil, nil
}

// waiter identifies a waiting call.
type waiter struct {
	key    ask.Key
	digest string
}

func waiterOf(a *ask.Ask) waiter { return waiter{a.Key(), a.Digest} }

// wait sends the ask to the broker. Meanwhile others may see the call.
func (g *Gate) wait(ctx context.Context, c *call, a *ask.Ask, progress Progress) (ask.Outcome, error) {
	key := waiterOf(a)
	g.mu.Lock()
	g.waiting[key] = c
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
	events := g.c.Asks.Follow(ctx, key.key)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range events {
			if waiterOf(&ev.Ask) == key {
				progress(&ev)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (g *Gate) newAsk(ctx context.Context, c *call, d engine.Decision, changed []string) *ask.Ask {
	at := c.req.Call.Context
	a := &ask.Ask{
		Token: c.caller.Token, Agent: at.Agent, SubAgent: c.request.Context.SubAgent, Session: at.Session, User: at.User, CallID: c.askID, Digest: c.digest,
		Tool: c.req.Call.Tool, Input: c.req.Call.Input, CWD: at.CWD, Decision: d, Targets: at.Targets, Effects: c.req.Effects, Action: c.desc.Action,
		Identities:   g.identities(ctx, c),
		ModuleDigest: c.entry.Digest, Kind: at.Kind, ProjectRoot: at.ProjectRoot, Repository: at.Repository, Changed: changed, Timeout: c.patience(),
		CallerDeadline: c.deadline, TakesInput: c.request.TakesInput, Approvers: g.c.Authority.ApproversOf(at.Agent, c.req.Call.Tool, d),
	}
	if !a.Long() {
		a.Folder = g.offerFolder(ctx, c, d)
	}
	return a
}

// refused is the result of a refused ask.
func (c *call) refused(d engine.Decision, out ask.Outcome) wire.Result {
	res := c.result(d)
	res.AskID, res.DecidedBy, res.Outcome = out.Ask.ID, answeredBy(out), refusals[out.Cause]
	if res.Outcome == "" {
		res.Outcome = store.Denied
	}
	res.Decision.Behavior = engine.Deny
	res.Decision.ConvertedFrom, res.Decision.ConvertedBy = d.Stage, string(out.Cause)
	res.Decision.BypassImmune, res.Decision.SafetyCheck, res.Decision.SafetyReason = false, false, ""
	res.Decision.Suggestions, res.Decision.SuggestionsNote = nil, ""
	res.Decision.Reason, res.Decision.Message = out.Message, out.Message
	return res
}

// approved is the result of an ask approved by a person and decided again as d.
func (c *call) approved(d engine.Decision, out ask.Outcome) wire.Result {
	res := c.result(d)
	res.AskID, res.DecidedBy, res.Outcome = out.Ask.ID, answeredBy(out), store.AskApproved
	if d.Behavior == engine.Ask {
		res.Decision.Behavior = engine.Allow
		res.Decision.ConvertedFrom, res.Decision.ConvertedBy = d.Stage, "approved"
		res.Decision.BypassImmune, res.Decision.SafetyCheck, res.Decision.SafetyReason = false, false, ""
		res.Decision.Suggestions, res.Decision.SuggestionsNote = nil, ""
		res.Decision.Reason, res.Decision.Message = "approved by "+answeredBy(out), ""
	}
	return res
}

func answeredBy(out ask.Outcome) string {
	return out.Ask.DecidedBy()
}

// refusals are the audit's words for the ends of an ask; a refusal without a
// card is a plain denial.
var refusals = map[ask.Cause]store.Outcome{
	ask.CauseAnswered:  store.AskDenied,
	ask.CauseCovered:   store.AskDenied,
	ask.CauseTimeout:   store.AskTimeout,
	ask.CauseInterrupt: store.AskCancelled,
	ask.CauseForkExit:  store.AskCancelled,
	ask.CauseClear:     store.AskCancelled,
	ask.CauseCaller:    store.AskCancelled,
	ask.CausePaused:    store.Denied,
	ask.CauseStopped:   store.Denied,

	ask.CauseCardChanged: store.AskCancelled,
}
