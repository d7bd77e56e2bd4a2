package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// Finish compares a finished call with the judged one and notes its end. A call run as another
// tool or with another input, never judged, or denied, is audited, logged and stops the
// session: all its calls are denied until an approver resumes it (threat T08). Reporting an end
// again harms nothing. The error is authority.ErrBadRequest, authority.ErrNotEntitled or the
// store's; the Matched is valid even with the store's.
func (g *Gate) Finish(ctx context.Context, caller authority.Caller, f wire.Finished) (wire.FinishResult, error) {
	if f.AllEnded {
		return g.finishAll(ctx, caller, f)
	}
	key, agent, err := finishedKey(caller, f)
	if err != nil {
		return wire.FinishResult{}, err
	}
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	judged, err := g.c.Store.Call(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return wire.FinishResult{Reason: "the record of the check could not be read"}, err
	}
	ran := ran{f: f, tool: describe.Named(g.c.Catalog, f.Tool).Name, input: f.Input}
	if ran.input, ran.err = strictjson.Object(f.Input); ran.err != nil {
		ran.input = f.Input
	}
	if why := ran.differs(judged, err == nil); why != "" {
		return g.alarm(ctx, key, agent, ran, why)
	}
	if judged.FinishedAt.IsZero() {
		err = g.c.Store.FinishCall(ctx, key, g.c.Now(), nil)
		g.stir()
	}
	return wire.FinishResult{Match: true}, err
}

// finishAll notes that no call of a session is under way. It ends the calls in the ledger and
// compares nothing; a later report about one of them is still compared with the judged call.
func (g *Gate) finishAll(ctx context.Context, caller authority.Caller, f wire.Finished) (wire.FinishResult, error) {
	if f.CallID != "" || f.Tool != "" || len(f.Input) > 0 || f.Failed {
		return wire.FinishResult{}, fmt.Errorf("%w: all_ended: it is about no call of its own: leave call_id, tool, input and failed out", authority.ErrBadRequest)
	}
	if err := checkNames(wire.Request{Tool: "-", Context: f.Context}); err != nil {
		return wire.FinishResult{}, fmt.Errorf("%w: %w", authority.ErrBadRequest, err)
	}
	agent, err := agentName(caller, f.Context)
	if err != nil {
		return wire.FinishResult{}, err
	}
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	session := sessionID(caller, agent, f.Context)
	known, err := g.c.Store.Session(ctx, session)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return wire.FinishResult{Match: true}, nil // no call of it was judged
	case err != nil:
		return wire.FinishResult{}, err
	case known.Token != caller.Token:
		return wire.FinishResult{}, fmt.Errorf("%w: context.session: %w", authority.ErrNotEntitled, store.ErrForeignSession)
	}
	if err := g.c.Store.EndCalls(ctx, caller.Token, session, f.Context.SubAgent, g.c.Now()); err != nil {
		return wire.FinishResult{}, err
	}
	g.stir()
	return wire.FinishResult{Match: true}, nil
}

// finishedKey is the key of the call in a report.
func finishedKey(caller authority.Caller, f wire.Finished) (key ask.Key, agent string, err error) {
	if f.CallID == "" {
		return key, "", fmt.Errorf("%w: call_id: missing: want the ID of the ended call", authority.ErrBadRequest)
	}
	if err := checkNames(wire.Request{CallID: f.CallID, Tool: f.Tool, Context: f.Context}); err != nil {
		return key, "", fmt.Errorf("%w: %w", authority.ErrBadRequest, err)
	}
	if agent, err = agentName(caller, f.Context); err != nil {
		return key, "", err
	}
	return ask.Key{Token: caller.Token, Session: sessionID(caller, agent, f.Context), CallID: f.CallID}, agent, nil
}

// ran is the finished call.
type ran struct {
	f     wire.Finished
	tool  string
	input json.RawMessage
	err   error // the input could never have been judged
}

// filledIn are tools that only ask the client's own user, and whose input the client itself
// changes meanwhile: Claude Code 2.1.330 adds the answers to AskUserQuestion, and takes the
// plan out of ExitPlanMode. Another input of these is no sign of a rewrite. RATIONALE.md,
// "Which calls are not compared with what ran?".
var filledIn = map[string]bool{"AskUserQuestion": true, "ExitPlanMode": true}

// differs describes the difference between the finished and the judged call; empty for none.
func (r ran) differs(judged store.Call, known bool) string {
	what := fmt.Sprintf("the %.80q call %.80q", r.f.Tool, r.f.CallID)
	switch {
	case !known:
		return what + " ran without a check"
	case judged.Tool != r.tool:
		return fmt.Sprintf("%s was checked as a call of %.80q", what, judged.Tool)
	case r.err != nil:
		return what + " ran with an unreadable input"
	case judged.InputDigest != inputDigest(r.tool, r.input) && !filledIn[r.tool]:
		return what + " ran with another input than the checked one; another hook may have rewritten it"
	case judged.Behavior != engine.Allow && !r.f.Failed: // a client may also report a blocked call
		return what + " ran although it was denied"
	}
	return ""
}

// alarm audits a mismatch, logs it and stops the session.
func (g *Gate) alarm(ctx context.Context, key ask.Key, agent string, ran ran, why string) (wire.FinishResult, error) {
	// The session is opened when it is not known, and never another token's.
	_, err := g.c.Store.TouchSession(ctx, store.Session{ID: key.Session, Token: key.Token, Agent: agent})
	if errors.Is(err, store.ErrForeignSession) {
		return wire.FinishResult{Reason: why}, fmt.Errorf("%w: context.session: %w", authority.ErrNotEntitled, store.ErrForeignSession)
	}
	g.c.Log.Error("the call that ran differs from the checked call: the session is stopped",
		"agent", agent, "session", key.Session, "call", key.CallID, "tool", ran.f.Tool, "failed", ran.f.Failed)
	row := store.Row{
		Time: g.c.Now(), Event: store.EventCallMismatch, Agent: agent, Session: key.Session, User: ran.f.Context.User, Tool: ran.tool,
		Detail: why, CallID: key.CallID, Digest: inputDigest(ran.tool, ran.input), Input: string(ran.input),
	}
	err = errors.Join(err, g.c.Store.FinishCall(ctx, key, g.c.Now(), &row), g.c.Asks.Pause(ctx, key.Session, why))
	return wire.FinishResult{Reason: fmt.Sprintf("%s; this session is stopped until a person resumes it with `%s`", why, ask.Resume(key.Session))}, err
}
