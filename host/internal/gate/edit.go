package gate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// edit puts the input that a person approved in place of the call's own and judges the
// changed call as a new one. A denial stays a denial. Its safety check, and a call that a
// card does not show as it is, are shown anew: final is nil, and the decision is what to
// ask about. Both inputs are audited before the changed call is allowed. RATIONALE.md,
// "Why is a changed call judged as a new one?".
func (g *Gate) edit(ctx context.Context, c *call, yes *approval) (now engine.Decision, final *wire.Result) {
	if !c.request.TakesInput {
		return now, new(c.failed("an approver changed its input, and its client does not support that"))
	}
	input, err := strictjson.Object(yes.input)
	if err != nil {
		return now, new(c.failed("the changed input: " + err.Error()))
	}
	by := yes.shown.DecidedBy()
	both, err := json.Marshal(map[string]json.RawMessage{"before": c.input, "after": input})
	if err == nil {
		err = g.c.Authority.NoteAsk(ctx, *yes.shown, store.EventInputChanged, store.Row{
			DecidedBy: by, Detail: "the input was changed and approved; the changed call is checked again", Input: string(both),
		})
	}
	if err != nil {
		return now, new(c.failed("the changed input could not be audited: " + err.Error()))
	}
	c.input, c.request.Input, c.edited = input, input, true
	if err := g.again(ctx, c); err != nil {
		return now, new(c.failed(err.Error()))
	}
	now = g.decide(ctx, c)
	switch {
	case now.Behavior == engine.Deny:
		res := c.result(now)
		res.AskID, res.DecidedBy = yes.shown.ID, by
		res.Decision.Message = fmt.Sprintf("%s changed the input of this call, and the changed call was denied: %s", card.Line(by), now.Message)
		return now, &res
	case now.Behavior == engine.Ask && g.wantsOwnCard(ctx, c, now):
		return now, nil
	}
	return now, new(yes.result(c, now))
}

// wantsOwnCard reports whether an approval of the changed call has to be given on a card of its
// own: it takes the id of the ask, other people, or holds characters invisible to its author.
func (g *Gate) wantsOwnCard(ctx context.Context, c *call, d engine.Decision) bool {
	a := g.newAsk(ctx, c, d, nil)
	return a.NeedsConfirmation() || a.Approvers.Quorum() > 1 || d.Stage == engine.StageAskRule || !card.Plain(a.Input)
}

// lostEdit denies a call that comes back after it was approved with another input: the
// answer was lost on its way, and the changed input is not stored.
func (g *Gate) lostEdit(ctx context.Context, c *call, before store.Call) (wire.Result, bool) {
	if before.AskID == "" {
		return wire.Result{}, false
	}
	a, err := g.c.Asks.Get(ctx, before.AskID)
	if err != nil || a.State != ask.Approved || a.Answer == nil || !a.Answer.Edited || a.Digest != c.digest {
		return wire.Result{}, false
	}
	return c.result(denied(CodeCallIDReused, "a person approved it with another input, but the answer was lost; send a new call")), true
}
