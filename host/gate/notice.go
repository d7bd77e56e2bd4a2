package gate

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/mask"
	"github.com/callgate/callgate/host/store"
)

// The names of notices. Source: the ExAthena seed, "Hooks reference".
const (
	// PermissionRequest: a call needs the decision of a person or a callback.
	PermissionRequest = "PermissionRequest"
	// PermissionDenied: a call is denied, by whomever.
	PermissionDenied = "PermissionDenied"
)

// Notice tells other programs of an ask or a denial. Those of the seed's members
// have the seed's names. Everything that comes from the agent may hold secrets:
// Masked takes them out.
type Notice struct {
	Event string `json:"event"`
	// ID is the notice's own: one that is told twice has the same.
	ID   string    `json:"id"`
	Time time.Time `json:"timestamp"`

	ToolName  string `json:"tool_name"`
	ToolUseID string `json:"tool_use_id"`
	// Arguments are the tool's input; null when it is no JSON object or has more than
	// 64 KiB.
	Arguments json.RawMessage `json:"arguments"`
	// Reason is the reason as a text, Code and Stage the same for programs.
	Reason string       `json:"reason"`
	Code   string       `json:"code"`
	Stage  engine.Stage `json:"stage"`
	// Metadata says more about the reason.
	Metadata NoticeMetadata `json:"metadata"`

	Agent    string `json:"agent"`
	SubAgent string `json:"sub_agent,omitempty"`
	Session  string `json:"session"`
	User     string `json:"user,omitempty"`
	CWD      string `json:"cwd,omitempty"`
	Action   string `json:"action,omitempty"`
	Digest   string `json:"digest,omitempty"`

	// Approver is who is asked: "people", or a callback's name. Only of a request.
	Approver string `json:"approver,omitempty"`
	// Message is the sentence that the model reads, Outcome, DecidedBy, AskID and
	// AuditSeq are the result's. Only of a denial.
	Message   string        `json:"message,omitempty"`
	Outcome   store.Outcome `json:"outcome,omitempty"`
	DecidedBy string        `json:"decided_by,omitempty"`
	AskID     string        `json:"ask_id,omitempty"`
	AuditSeq  int64         `json:"audit_seq,omitempty"`
}

// NoticeMetadata is what a reason is about.
type NoticeMetadata struct {
	Mode engine.Mode `json:"mode"`
	// Rule is the text of the rule that decided.
	Rule string `json:"rule,omitempty"`
	// Offending are the parts of the call that the decision is about, Permitted what
	// would be allowed; empty where that is not known.
	Offending []string `json:"offending,omitempty"`
	Permitted []string `json:"permitted,omitempty"`
	// ConvertedBy says why an ask became a denial.
	ConvertedBy  string `json:"converted_by,omitempty"`
	BypassImmune bool   `json:"bypass_immune,omitempty"`
}

// maxArguments bounds the arguments of a notice, in bytes.
const maxArguments = 64 << 10

// Masked is the notice as it may leave the daemon, with secrets masked as in the
// audit.
func (n Notice) Masked(m *mask.Masker) Notice {
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

// notice is what both kinds have in common.
func (g *Gate) notice(event string, p prepared, d engine.Decision) Notice {
	c := p.req.Call.Context
	n := Notice{
		Event: event, ID: rand.Text(), Time: g.c.Now().UTC(), ToolName: p.req.Call.Tool, ToolUseID: p.callID, Arguments: json.RawMessage(p.req.Call.Input),
		Reason: d.Reason, Code: d.Code, Stage: d.Stage,
		Metadata: NoticeMetadata{Mode: c.Mode, Offending: d.Offending, Permitted: d.Permitted, ConvertedBy: d.ConvertedBy, BypassImmune: d.BypassImmune},
		Agent:    c.Agent, SubAgent: p.subAgent, Session: c.Session, User: c.User, CWD: c.CWD, Action: p.desc.Action, Digest: p.digest,
	}
	if d.Rule != nil {
		n.Metadata.Rule = d.Rule.String()
	}
	return n
}

// noticeRequest tells that approver is asked.
func (g *Gate) noticeRequest(p prepared, d engine.Decision, approver string) {
	if g.c.Notify == nil {
		return
	}
	n := g.notice(PermissionRequest, p, d)
	n.Approver = approver
	g.c.Notify(n)
}

// noticeDenied tells of a result that denies.
func (g *Gate) noticeDenied(p prepared, res Result) {
	if g.c.Notify == nil || res.Decision.Behavior == engine.Allow {
		return
	}
	n := g.notice(PermissionDenied, p, res.Decision)
	n.Message, n.Outcome, n.DecidedBy, n.AskID, n.AuditSeq = res.Decision.Message, res.Outcome, res.DecidedBy, res.AskID, res.AuditSeq
	g.c.Notify(n)
}

// noticeRefused tells of a request that was not understood or not entitled.
func (g *Gate) noticeRefused(caller Caller, r Request, res Result) {
	if g.c.Notify == nil {
		return
	}
	d := res.Decision
	g.c.Notify(Notice{
		Event: PermissionDenied, ID: rand.Text(), Time: g.c.Now().UTC(), ToolName: clip(r.Tool, 200), ToolUseID: clip(r.CallID, 200),
		Reason: clip(d.Reason, 500), Code: d.Code, Stage: d.Stage, Agent: caller.Agent,
		Message: clip(d.Message, 500), Outcome: res.Outcome, AuditSeq: res.AuditSeq,
	})
}
