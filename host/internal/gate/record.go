package gate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/mask"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
	"github.com/callgate/callgate/host/wire"
)

// audited writes the row of a result; only then may the result be returned. A failed row turns
// it into a denial.
func (g *Gate) audited(ctx context.Context, c *call, res wire.Result) (wire.Result, error) {
	defer stage.Begin(ctx, "audit")()
	row := store.Row{
		Time: g.c.Now(), Agent: c.req.Call.Context.Agent, Action: c.desc.Action, Decision: res.Outcome,
		User: c.req.Call.Context.User, DecidedBy: res.DecidedBy, Detail: res.Decision.Reason,
		Session: c.req.Call.Context.Session, Tool: c.req.Call.Tool,
		Module: res.Module, ModuleDigest: res.ModuleDigest, AskID: res.AskID,
		Stage: string(res.Decision.Stage), Code: res.Decision.Code, CallID: c.id, Digest: c.digest,
		Input: string(c.req.Call.Input), Latency: time.Duration(res.Micros) * time.Microsecond, Epoch: c.dependsOn(res),
	}
	row.RuleID, row.RuleText, row.RuleSource = decidedBy(res, c.req.Profile)
	out, err := g.append(ctx, row, res, g.judged(c, res))
	if !errors.Is(err, store.ErrCallReused) {
		return out, err
	}
	res = g.reused(c)
	res.Outcome = store.Denied
	row.Decision, row.Detail, row.Stage, row.Code = res.Outcome, res.Decision.Reason, string(res.Decision.Stage), res.Decision.Code
	row.RuleID, row.RuleText, row.RuleSource, row.DecidedBy, row.Epoch = "", "", "", "", 0
	return g.append(ctx, row, res, nil) // its failure is a denial as well
}

// decidedBy names the deciding rule, or the profile and its pattern, and its origin. A
// profile's ask denied for another reason, as in a paused session, is not the profile's denial.
func decidedBy(res wire.Result, profile *engine.ProfileAnswer) (id, text, source string) {
	d := res.Decision
	switch {
	case d.Rule != nil:
		return d.Rule.ID, d.Rule.String(), ruleSource(d.Rule)
	case profile != nil && d.Code == engine.CodeProfile && (d.ConvertedBy == "" || res.Outcome != store.Denied):
		return "", profile.Pattern, "profile " + profile.Name
	}
	return "", "", ""
}

// ruleSource is where a rule holds, where it was written, and by whom.
func ruleSource(r *engine.Rule) string {
	out := strings.TrimSpace(string(r.Scope) + " " + r.ScopeKey)
	if r.Source != "" {
		out += ": " + r.Source
	}
	if r.CreatedBy != "" {
		out += " (" + r.CreatedBy + ")"
	}
	return out
}

// append writes the row, and the judged call with it, even without the caller, so no decision
// is ever missing. On failure the result denies, and the error says why.
func (g *Gate) append(ctx context.Context, row store.Row, res wire.Result, call *store.Call) (wire.Result, error) {
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	var written store.Row
	var err error
	if call == nil {
		written, err = g.c.Store.Append(ctx, row)
	} else {
		written, err = g.c.Store.AppendCall(ctx, row, *call)
	}
	if err != nil {
		return wire.Result{
			Decision: unaudited(err),
			Outcome:  store.Denied, Action: res.Action, Digest: res.Digest, AskID: res.AskID, Micros: res.Micros,
			Module: res.Module, ModuleDigest: res.ModuleDigest,
		}, err
	}
	res.AuditSeq = written.Seq
	return res, nil
}

// unaudited is the denial of a call whose decision is in no row. The error may name the database: it
// is for the log, not for the agent.
func unaudited(err error) engine.Decision {
	switch {
	case errors.Is(err, store.ErrUnavailable):
		d := denied(engine.CodeStoreUnavailable, "the store's database does not answer, so the decision could not be audited")
		d.Message += " Try again in a minute."
		return d
	case errors.Is(err, store.ErrRewound), errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrLocked):
		d := denied(engine.CodeStoreUnavailable, "the store takes no changes, so the decision could not be audited")
		d.Message += " Do not try again: a person has to look at the daemon's log."
		return d
	}
	return denied(engine.CodeHostError, "the decision could not be audited: "+err.Error())
}

// reject audits a malformed or unentitled request, with its known parts.
func (g *Gate) reject(ctx context.Context, caller authority.Caller, r wire.Request, cause error) (wire.Result, error) {
	res := wire.Result{Decision: denied(engine.CodeHostError, cause.Error()), Outcome: store.Denied}
	code := "bad_request"
	if errors.Is(cause, authority.ErrNotEntitled) {
		code = "not_entitled"
	}
	res.Decision.Code = code
	row := store.Row{
		Time: g.c.Now(), Agent: caller.Agent, Tool: clip(r.Tool, 200), Decision: store.Denied, CallID: clip(r.CallID, 200),
		Detail: clip(cause.Error(), 500), Stage: string(engine.StageError), Code: code,
	}
	res, _ = g.append(ctx, row, res, nil) // its failure is a denial as well
	g.noticeRefused(caller, r, res)
	return res, cause
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}

// maxArguments bounds the arguments of a notice, in bytes.
const maxArguments = 64 << 10

// Masked is a notice as it may leave the daemon, with secrets masked as in the
// audit.
func Masked(n wire.Notice, m *mask.Masker) wire.Notice {
	secrets := mask.Secrets(string(n.Arguments))
	hide := func(s string) string { return m.Known(s, secrets) }
	if len(n.Arguments) == 0 || len(n.Arguments) > maxArguments || !json.Valid(n.Arguments) {
		n.Arguments = json.RawMessage("null")
	} else {
		n.Arguments = m.JSON(slices.Clone(n.Arguments))
	}
	for _, p := range []*string{&n.Reason, &n.Message, &n.Action, &n.SubAgent, &n.Metadata.Rule} {
		*p = hide(*p)
	}
	n.Metadata.Offending, n.Metadata.Permitted = slices.Clone(n.Metadata.Offending), slices.Clone(n.Metadata.Permitted)
	for _, list := range [][]string{n.Metadata.Offending, n.Metadata.Permitted} {
		for i := range list {
			list[i] = hide(list[i])
		}
	}
	return n
}

// notice is the common part of both kinds.
func (g *Gate) notice(event string, c *call, d engine.Decision) wire.Notice {
	at := c.req.Call.Context
	n := wire.Notice{
		Event: event, ID: rand.Text(), Time: g.c.Now().UTC(), ToolName: c.req.Call.Tool, ToolUseID: c.id, Arguments: json.RawMessage(c.req.Call.Input),
		Reason: d.Reason, Code: d.Code, Stage: d.Stage,
		Metadata: wire.NoticeMetadata{Mode: at.Mode, Offending: d.Offending, Permitted: d.Permitted, ConvertedBy: d.ConvertedBy, BypassImmune: d.BypassImmune},
		Agent:    at.Agent, SubAgent: c.request.Context.SubAgent, Session: at.Session, User: at.User, CWD: at.CWD, Action: c.desc.Action, Digest: c.digest,
	}
	if d.Rule != nil {
		n.Metadata.Rule = d.Rule.String()
	}
	return n
}

// noticeRequest announces an ask to approver.
func (g *Gate) noticeRequest(c *call, d engine.Decision, approver string) {
	if g.c.Notify == nil {
		return
	}
	n := g.notice(wire.PermissionRequest, c, d)
	n.Approver = approver
	g.c.Notify(n)
}

// noticeDenied announces a denial.
func (g *Gate) noticeDenied(c *call, res wire.Result) {
	if g.c.Notify == nil || res.Decision.Behavior == engine.Allow {
		return
	}
	n := g.notice(wire.PermissionDenied, c, res.Decision)
	n.Message, n.Outcome, n.DecidedBy, n.AskID, n.AuditSeq = res.Decision.Message, res.Outcome, res.DecidedBy, res.AskID, res.AuditSeq
	g.c.Notify(n)
}

// noticeRefused announces a malformed or unentitled request.
func (g *Gate) noticeRefused(caller authority.Caller, r wire.Request, res wire.Result) {
	if g.c.Notify == nil {
		return
	}
	d := res.Decision
	g.c.Notify(wire.Notice{
		Event: wire.PermissionDenied, ID: rand.Text(), Time: g.c.Now().UTC(), ToolName: clip(r.Tool, 200), ToolUseID: clip(r.CallID, 200),
		Reason: clip(d.Reason, 500), Code: d.Code, Stage: d.Stage, Agent: caller.Agent,
		Message: clip(d.Message, 500), Outcome: res.Outcome, AuditSeq: res.AuditSeq,
	})
}
