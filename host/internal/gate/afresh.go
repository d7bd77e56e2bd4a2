package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// maxAfresh bounds how often a call is decided anew because something changed under it.
const maxAfresh = 5

// dependsOn is the state of the rules a result depends on; 0 for a person's denial, a time-out and
// a failure, which hold whatever the rules say.
func (c *call) dependsOn(res wire.Result) int64 {
	if res.Decision.Stage == engine.StageError {
		return 0
	}
	switch res.Outcome {
	case store.Allowed, store.Denied, store.AskApproved:
		return c.epoch
	}
	return 0
}

// keeps records a result decided on the present rules. When they changed meanwhile, on this daemon
// or another one, nothing is stored and it returns false: the call must be decided anew.
func (g *Gate) keeps(ctx context.Context, c *call, res wire.Result) (wire.Result, bool) {
	out, err := g.record(ctx, c, res)
	if errors.Is(err, store.ErrStale) && c.changes {
		// The change may be the call's own effect, such as its session's new mode.
		c.changes = false
		now, own, lookErr := g.c.Store.OwnChanges(ctx, c.epoch, c.key().Session)
		if lookErr == nil && own {
			c.epoch = now
			out, err = g.record(ctx, c, res)
		}
	}
	return out, !errors.Is(err, store.ErrStale)
}

// afresh decides a call anew with the rules as they are now. The result is final when ok is false.
func (g *Gate) afresh(ctx context.Context, c *call) (d engine.Decision, res wire.Result, ok bool) {
	if err := g.c.Store.CatchUp(ctx); err != nil {
		return d, c.result(unaudited(err)), false
	}
	if err := g.stillCaller(ctx, c); err != nil {
		return d, c.failed(err.Error()), false
	}
	if why := g.c.Asks.Stopped(c.key().Session); why != "" {
		return d, c.stopped(why), false
	}
	if err := g.againWith(ctx, c, g.c.Store.TouchSession); err != nil {
		return d, c.failed(err.Error()), false
	}
	return g.awaitInFlight(ctx, c, g.decide(ctx, c)), res, true
}

// stillCaller refuses a caller whose token was revoked, by another daemon, before the request.
func (g *Gate) stillCaller(ctx context.Context, c *call) error {
	epoch := g.c.Store.Epoch()
	if c.caller.Epoch == 0 || c.caller.Epoch >= epoch {
		return nil
	}
	usable, err := g.c.Store.TokenUsable(ctx, c.caller.Token)
	if err != nil {
		return fmt.Errorf("look up the token: %w", err)
	}
	if !usable {
		return fmt.Errorf("%w: its token was revoked", authority.ErrNotEntitled)
	}
	c.caller.Epoch = epoch
	return nil
}

// approvedAlready answers an ask from the approval of this very call, which was decided anew
// because something changed; changed describes how it differs from the approved one.
func (g *Gate) approvedAlready(ctx context.Context, c *call, d engine.Decision) (res wire.Result, changed []string, ok bool) {
	switch {
	case c.yes == nil || d.Behavior == engine.Deny:
		return wire.Result{}, nil, false
	case d.Behavior == engine.Allow:
		return c.yes.result(c, d), nil, true
	}
	if changed = g.changed(ctx, c.yes.shown, c, d); len(changed) == 0 {
		return c.yes.result(c, d), nil, true
	}
	return wire.Result{}, append(changed, moduleDifference(c.yes.shown, c)...), false
}
