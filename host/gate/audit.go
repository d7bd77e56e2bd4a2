package gate

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/store"
)

// auditPatience is how long an audit row may take after its caller has left.
const auditPatience = 10 * time.Second

// audited writes the row of a result; only then may the result be returned. A
// row that cannot be written makes a denial of it.
func (g *Gate) audited(ctx context.Context, way *passage, p prepared, res Result) Result {
	row := store.Row{
		Time: g.c.Now(), Agent: p.req.Call.Context.Agent, Action: p.desc.Action, Decision: res.Outcome,
		User: p.req.Call.Context.User, DecidedBy: res.DecidedBy, Detail: res.Decision.Reason,
		Session: p.req.Call.Context.Session, Tool: p.req.Call.Tool,
		Module: res.Module, ModuleDigest: res.ModuleDigest, AskID: res.AskID,
		Stage: string(res.Decision.Stage), Code: res.Decision.Code, CallID: p.callID, Digest: p.digest,
		Input: string(p.req.Call.Input), Latency: time.Duration(res.Micros) * time.Microsecond,
	}
	row.RuleID, row.RuleText, row.RuleSource = decidedBy(res.Decision, p.req.Profile)
	out, err := g.append(ctx, row, res, g.judged(way, p, res))
	if !errors.Is(err, store.ErrCallReused) {
		return out
	}
	res = g.reused(p)
	res.Outcome = store.Denied
	row.Decision, row.Detail, row.Stage, row.Code = res.Outcome, res.Decision.Reason, string(res.Decision.Stage), res.Decision.Code
	row.RuleID, row.RuleText, row.RuleSource, row.DecidedBy = "", "", "", ""
	out, _ = g.append(ctx, row, res, nil) // its failure is a denial as well
	return out
}

// decidedBy names the rule that decided, or the profile and its pattern, and where
// it came from.
func decidedBy(d engine.Decision, profile *engine.ProfileAnswer) (id, text, source string) {
	switch {
	case d.Rule != nil:
		return d.Rule.ID, d.Rule.String(), ruleSource(d.Rule)
	case profile != nil && (d.Stage == engine.StageProfile || d.ConvertedFrom == engine.StageProfile):
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

// append writes the row, and the judged call with it, even when the caller has
// left, so that what was decided is never missing. The result denies when it
// could not, and the error says why.
func (g *Gate) append(ctx context.Context, row store.Row, res Result, call *store.Call) (Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	var written store.Row
	var err error
	if call == nil {
		written, err = g.c.Store.Append(ctx, row)
	} else {
		written, err = g.c.Store.AppendCall(ctx, row, *call)
	}
	if err != nil {
		return Result{
			Decision: denied(engine.CodeHostError, "the decision could not be audited: "+err.Error()),
			Outcome:  store.Denied, Action: res.Action, Digest: res.Digest, AskID: res.AskID, Micros: res.Micros,
			Module: res.Module, ModuleDigest: res.ModuleDigest,
		}, err
	}
	res.AuditSeq = written.Seq
	return res, nil
}

// refuse audits a request that was not understood or not entitled, as far as
// it can be told what it was.
func (g *Gate) refuse(ctx context.Context, caller Caller, r Request, cause error) (Result, error) {
	res := Result{Decision: denied(engine.CodeHostError, cause.Error()), Outcome: store.Denied}
	code := "bad_request"
	if errors.Is(cause, ErrNotEntitled) {
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
