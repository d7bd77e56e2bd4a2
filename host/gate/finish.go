package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// Finished is the end of a call, as its client reports it.
type Finished struct {
	// CallID is the client's own id of the call; required, but with AllEnded.
	CallID string `json:"call_id,omitempty"`
	// Tool and Input are what ran.
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// Context says, as in the request, whose call it was.
	Context Claim `json:"context,omitzero"`
	// Failed tells that the call ended without a result.
	Failed bool `json:"failed,omitempty"`
	// AllEnded tells that none of the session's calls is under way any more, in
	// place of CallID, Tool and Input: a client tells no end of a call that was
	// interrupted, or that another hook denied. It holds for the calls of
	// Context.SubAgent alone, the main agent for "": others may run in the
	// background.
	AllEnded bool `json:"all_ended,omitempty"`
}

// Matched tells whether what ran is what was judged. The zero value says no.
type Matched struct {
	Match bool `json:"match"`
	// Reason says what differs.
	Reason string `json:"reason,omitempty"`
}

// Finish compares what ran with what was judged and notes that the call has
// ended. What ran as another tool or with another input, was never judged, or was
// denied, is audited, logged and stops the session: all its calls are denied until
// an approver resumes it (threat T08). To report an end again harms nothing. The
// error is ErrBadRequest, ErrNotEntitled or the store's; with the store's the
// Matched is what was found, all the same.
func (g *Gate) Finish(ctx context.Context, caller Caller, f Finished) (Matched, error) {
	if f.AllEnded {
		return g.finishAll(ctx, caller, f)
	}
	key, agent, err := finishedKey(caller, f)
	if err != nil {
		return Matched{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	judged, err := g.c.Store.Call(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Matched{Reason: "it is not known what was judged"}, err
	}
	ran := ran{f: f, tool: g.named(f.Tool).Name, input: f.Input}
	if ran.input, ran.err = StrictObject(f.Input); ran.err != nil {
		ran.input = f.Input
	}
	if why := ran.differs(judged, err == nil); why != "" {
		return g.alarm(ctx, key, agent, ran, why)
	}
	if judged.FinishedAt.IsZero() {
		err = g.c.Store.FinishCall(ctx, key, g.c.Now(), nil)
	}
	return Matched{Match: true}, err
}

// finishAll notes that no call of a session is under way. It ends what the ledger
// holds and compares nothing; an end that is told of one of them later is still
// compared with what was judged.
func (g *Gate) finishAll(ctx context.Context, caller Caller, f Finished) (Matched, error) {
	if f.CallID != "" || f.Tool != "" || len(f.Input) > 0 || f.Failed {
		return Matched{}, fmt.Errorf("%w: all_ended: it is about no call of its own: leave call_id, tool, input and failed out", ErrBadRequest)
	}
	if err := checkNames(Request{Tool: "-", Context: f.Context}); err != nil {
		return Matched{}, fmt.Errorf("%w: %w", ErrBadRequest, err)
	}
	agent, err := agentName(caller, f.Context)
	if err != nil {
		return Matched{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	session := sessionID(caller, agent, f.Context)
	known, err := g.c.Store.Session(ctx, session)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Matched{Match: true}, nil // no call of it was judged
	case err != nil:
		return Matched{}, err
	case known.Token != caller.Token:
		return Matched{}, fmt.Errorf("%w: context.session: %w", ErrNotEntitled, store.ErrForeignSession)
	}
	if err := g.c.Store.EndCalls(ctx, caller.Token, session, f.Context.SubAgent, g.c.Now()); err != nil {
		return Matched{}, err
	}
	return Matched{Match: true}, nil
}

// finishedKey is the key of the call that a report is about.
func finishedKey(caller Caller, f Finished) (key ask.Key, agent string, err error) {
	if f.CallID == "" {
		return key, "", fmt.Errorf("%w: call_id: missing: it tells which call has ended", ErrBadRequest)
	}
	if err := checkNames(Request{CallID: f.CallID, Tool: f.Tool, Context: f.Context}); err != nil {
		return key, "", fmt.Errorf("%w: %w", ErrBadRequest, err)
	}
	if agent, err = agentName(caller, f.Context); err != nil {
		return key, "", err
	}
	return ask.Key{Token: caller.Token, Session: sessionID(caller, agent, f.Context), CallID: f.CallID}, agent, nil
}

// ran is what ran.
type ran struct {
	f     Finished
	tool  string
	input json.RawMessage
	err   error // the input is none that could have been judged
}

// filledIn are tools that do nothing but ask the client's own user, and whose input
// the client itself changes while it does: Claude Code 2.1.330 adds the answers to
// AskUserQuestion, and takes the plan out of ExitPlanMode. Another input of these is no
// sign of a rewrite.
var filledIn = map[string]bool{"AskUserQuestion": true, "ExitPlanMode": true}

// differs says how what ran differs from what was judged; empty when it does not.
func (r ran) differs(judged store.Call, known bool) string {
	what := fmt.Sprintf("the %.80q call %.80q", r.f.Tool, r.f.CallID)
	switch {
	case !known:
		return what + " ran and was never judged"
	case judged.Tool != r.tool:
		return fmt.Sprintf("%s was judged as a call of %.80q", what, judged.Tool)
	case r.err != nil:
		return what + " ran with an input that could not have been judged"
	case judged.InputDigest != inputDigest(r.tool, r.input) && !filledIn[r.tool]:
		return what + " ran with another input than the one that was judged; another hook may have rewritten it"
	case judged.Behavior != engine.Allow && !r.f.Failed: // a client may also report a call that it blocked
		return what + " was denied and ran all the same"
	}
	return ""
}

// alarm audits a mismatch, logs it and stops the session.
func (g *Gate) alarm(ctx context.Context, key ask.Key, agent string, ran ran, why string) (Matched, error) {
	// The session is opened when it is not known, and never another token's.
	_, err := g.c.Store.TouchSession(ctx, store.Session{ID: key.Session, Token: key.Token, Agent: agent})
	if errors.Is(err, store.ErrForeignSession) {
		return Matched{Reason: why}, fmt.Errorf("%w: context.session: %w", ErrNotEntitled, store.ErrForeignSession)
	}
	g.c.Log.Error("a call ran that is not the one that was judged: the session is stopped",
		"agent", agent, "session", key.Session, "call", key.CallID, "tool", ran.f.Tool, "failed", ran.f.Failed)
	row := store.Row{
		Time: g.c.Now(), Event: store.EventCallMismatch, Agent: agent, Session: key.Session, User: ran.f.Context.User, Tool: ran.tool,
		Detail: why, CallID: key.CallID, Digest: inputDigest(ran.tool, ran.input), Input: string(ran.input),
	}
	err = errors.Join(err, g.c.Store.FinishCall(ctx, key, g.c.Now(), &row), g.c.Asks.Pause(ctx, key.Session, why))
	return Matched{Reason: fmt.Sprintf("%s; this session is stopped until a person resumes it with `%s`", why, ask.Resume(key.Session))}, err
}
