package gate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// admit reads a request and gathers the facts it is decided by. Its error is a bad
// request or a lack of standing; every other failure is among the facts, where it can
// only deny or ask. look finds the session: opening it, or only looking. The caller
// closes the call; after an error there is none.
func (g *Gate) admit(ctx context.Context, caller authority.Caller, r wire.Request, look session) (*call, error) {
	defer stage.Begin(ctx, "admit")()
	c, err := g.read(caller, r)
	if err != nil {
		return nil, err
	}
	c.facts, err = g.gather(ctx, c, look)
	if err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// read is admit without the facts.
func (g *Gate) read(caller authority.Caller, r wire.Request) (*call, error) {
	c := &call{caller: caller, request: r, id: r.CallID, started: g.c.Now()}
	if r.Timeout > 0 {
		c.deadline = c.started.Add(r.Timeout)
	}
	if c.id == "" {
		c.id = rand.Text()
	}
	c.askID = c.id
	err := checkNames(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", authority.ErrBadRequest, err)
	}
	if c.input, err = strictjson.Object(r.Input); err != nil {
		return nil, fmt.Errorf("%w: input: %w", authority.ErrBadRequest, err)
	}
	if c.server, err = serverOf(r.Tool, r.Context.Server); err != nil {
		return nil, fmt.Errorf("%w: %w", authority.ErrBadRequest, err)
	}
	if c.claimed, err = claimedMode(r.Context.Mode); err != nil {
		return nil, err
	}
	return c, nil
}

// again gathers the facts of a call anew. After an error the old ones stay.
func (g *Gate) again(ctx context.Context, c *call) error { return g.againWith(ctx, c, g.seen) }

// againWith is again with another look at the session.
func (g *Gate) againWith(ctx context.Context, c *call, look session) error {
	f, err := g.gather(ctx, c, look)
	if err != nil {
		f.release()
		return err
	}
	c.release()
	c.facts = f
	g.enter(c)
	return nil
}

// close releases the resources of a call.
func (g *Gate) close(c *call) {
	g.leave(c)
	c.release()
}

// gather collects the facts for deciding a call. Its error is a bad request or a missing
// entitlement.
func (g *Gate) gather(ctx context.Context, c *call, look session) (facts, error) {
	ctx = target.OnePicture(ctx)
	f, err := g.outline(ctx, c, look)
	if err != nil {
		return f, err
	}
	return f, g.complete(ctx, c, &f)
}

// outline collects what the call's own words and its place tell: all that a deny or ask rule is tried
// on. The rest is missing.
func (g *Gate) outline(ctx context.Context, c *call, look session) (f facts, err error) {
	r, claim := c.request, c.request.Context
	if f.epoch = g.c.Store.Epoch(); c.caller.Epoch > 0 {
		f.epoch = min(f.epoch, c.caller.Epoch) // the token was looked up before
	}
	f.settings = g.c.Settings()
	f.texts = r.Texts
	made := &engine.Call{Tool: r.Tool, Input: c.input}
	if f.agent, err = g.identify(f.settings, c.caller, claim, &made.Context); err != nil {
		return f, err
	}
	made.Context.Server = c.server
	f.trigger = g.c.Authority.TriggerOf(c.caller, claim, f.agent, made.Context.Kind)
	failure := g.locate(ctx, c.caller, claim, c.trial, &f, &made.Context)
	f.tools = g.c.Catalog()
	f.entry = f.tools.Lookup(r.Tool)
	f.digest = Digest(f.entry.Name, c.input, made.Context.CWD)
	f.req = engine.Request{Call: made, Entry: f.entry.Entry, Lists: f.agent.Lists, ResumeAsks: f.agent.ResumeAsks}
	f.req.Lists.Skills = skillsInForce(claim.ActiveSkills, f.agent.Skills)
	f.req.Err = oneLine(failure, g.fill(ctx, c, &f, look))
	if errors.Is(f.req.Err, store.ErrForeignSession) {
		return f, fmt.Errorf("%w: context.session: %w", authority.ErrNotEntitled, store.ErrForeignSession)
	}
	return f, nil
}

// complete adds to an outline what decides beside the change of one rule: protection, profile,
// folders, the rules in force and the sub-agents.
func (g *Gate) complete(ctx context.Context, c *call, f *facts) error {
	list, names, err := children(f.agent, c.request.Context)
	if len(list) > 0 {
		f.req.Words = nil // each sub-agent's call is described again, and decided with the same rules
	}
	f.req.Err = oneLine(f.req.Err, g.weigh(ctx, f))
	f.req.Err = oneLine(f.req.Err, g.gatherRules(ctx, f))
	if err == nil {
		g.addSubAgents(ctx, f, list, names)
	}
	return err
}

// failure is an error during the preparation of a call, as one line for the model and the card.
type failure struct {
	text string
	err  error
}

// Error implements error.
func (f failure) Error() string { return f.text }

// Unwrap gives errors.Is and errors.As the cause.
func (f failure) Unwrap() error { return f.err }

// oneLine joins errors, each text once.
func oneLine(errs ...error) error {
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	var lines []string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return failure{strings.Join(lines, "; "), err}
}
