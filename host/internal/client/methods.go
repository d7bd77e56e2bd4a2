package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/proof"
	"github.com/callgate/callgate/host/wire"
)

// Health tells how the daemon stands.
func (c *Client) Health(ctx context.Context) (protocol.Health, error) {
	return fetch[protocol.Health](ctx, c, http.MethodGet, at("health"), nil, nil)
}

// Ready returns nil when the daemon can decide every call now; a *protocol.Error with status 503 says
// why it cannot.
func (c *Client) Ready(ctx context.Context) error {
	_, err := fetch[protocol.Health](ctx, c, http.MethodGet, "/readyz", nil, nil)
	return err
}

// Live returns nil when the daemon serves.
func (c *Client) Live(ctx context.Context) error {
	_, err := fetch[protocol.Health](ctx, c, http.MethodGet, "/livez", nil, nil)
	return err
}

// Asks lists the waiting asks; f.State is queued, shown or empty.
func (c *Client) Asks(ctx context.Context, f ask.Filter) ([]protocol.AskView, error) {
	q := values("agent", f.Agent, "session", f.Session, "state", string(f.State))
	out, err := fetch[protocol.AskList](ctx, c, http.MethodGet, at("asks"), q, nil)
	return out.Asks, err
}

// Ask returns one ask, waiting or ended.
func (c *Client) Ask(ctx context.Context, id string) (protocol.AskView, error) {
	return fetch[protocol.AskView](ctx, c, http.MethodGet, at("asks", id), nil, nil)
}

// Answer answers an ask. When it was given is the daemon's to say.
func (c *Client) Answer(ctx context.Context, id string, a ask.Answer) (ask.AnswerResult, error) {
	return fetch[ask.AnswerResult](ctx, c, http.MethodPost, at("asks", id, "answer"), nil, answerBody(a))
}

func answerBody(a ask.Answer) protocol.Answer {
	body := protocol.Answer{
		Verdict: &a.Verdict, Sets: a.Sets, Session: a.ForSession, WholeTool: a.WholeTool, ExpiresAt: a.ExpiresAt,
		Together: a.Together, Input: a.Input, Reason: a.Reason, By: a.By, Roles: a.Roles, Administrator: a.Administrator, Surface: a.Surface, ConfirmID: a.ConfirmID,
		Assertion: a.Assertion,
	}
	if a.Scope != "" {
		body.Scope = &a.Scope
	}
	if a.Folder != "" {
		body.Folder = &a.Folder
	}
	return body
}

// Seen reports that the approver has seen an ask's card.
func (c *Client) Seen(ctx context.Context, id, approver string) error {
	_, err := fetch[protocol.AskView](ctx, c, http.MethodPost, at("asks", id, "seen"), nil, protocol.Seen{Approver: approver})
	return err
}

// Rules lists stored rules.
func (c *Client) Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error) {
	out, err := c.RuleList(ctx, f)
	return out.Rules, err
}

// RuleList is Rules with why some of them are not used.
func (c *Client) RuleList(ctx context.Context, f store.RuleFilter) (protocol.RuleList, error) {
	q := values("scope", string(f.Scope), "key", f.Key, "tool", f.Tool)
	if f.Behavior != nil {
		q.Set("behavior", f.Behavior.String())
	}
	setFlag(q, "expired", f.Expired)
	return fetch[protocol.RuleList](ctx, c, http.MethodGet, at("rules"), q, nil)
}

// AddRule stores a rule in the name of by; empty means the token's.
func (c *Client) AddRule(ctx context.Context, by string, r protocol.NewRule) (protocol.AddedRule, error) {
	return fetch[protocol.AddedRule](ctx, c, http.MethodPost, at("rules"), values("by", by), r)
}

// RemoveRule deletes a stored rule in the name of by.
func (c *Client) RemoveRule(ctx context.Context, by, id string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodDelete, at("rules", id), values("by", by), nil)
	return err
}

// TestRule reports whether a rule matches a call.
func (c *Client) TestRule(ctx context.Context, t protocol.RuleTest) (bool, error) {
	out, err := fetch[protocol.RuleMatch](ctx, c, http.MethodPost, at("rules", "test"), nil, t)
	return out.Match, err
}

// Tools lists the tools.
func (c *Client) Tools(ctx context.Context) ([]wire.Tool, error) {
	out, err := fetch[protocol.ToolList](ctx, c, http.MethodGet, at("tools"), nil, nil)
	return out.Tools, err
}

// Tool returns one tool by its name or an alias.
func (c *Client) Tool(ctx context.Context, name string) (wire.Tool, error) {
	return fetch[wire.Tool](ctx, c, http.MethodGet, at("tools", name), nil, nil)
}

// Sessions lists sessions, the last seen first.
func (c *Client) Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error) {
	q := values("agent", f.Agent, "token", f.Token)
	setTime(q, "since", f.Since)
	setFlag(q, "paused", f.Paused)
	setNumber(q, "limit", int64(f.Limit))
	out, err := fetch[view.SessionList](ctx, c, http.MethodGet, at("sessions"), q, nil)
	return out.Sessions, err
}

// Session returns one session with its remembered calls.
func (c *Client) Session(ctx context.Context, id string) (view.Session, error) {
	return fetch[view.Session](ctx, c, http.MethodGet, at("sessions", id), nil, nil)
}

// SetMode gives a session a mode of its own; nil gives it back to the agent's.
func (c *Client) SetMode(ctx context.Context, by, session string, mode *engine.Mode) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("sessions", session, "mode"), values("by", by), map[string]*engine.Mode{"mode": mode})
	return err
}

// SetForkMode gives a session's interactive forks a mode of their own until they end;
// nil gives them the session's.
func (c *Client) SetForkMode(ctx context.Context, by, session string, mode *engine.Mode) error {
	body := struct {
		Mode *engine.Mode `json:"mode"`
		Kind engine.Kind  `json:"kind"`
	}{mode, engine.InteractiveFork}
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("sessions", session, "mode"), values("by", by), body)
	return err
}

// ClearSession cancels a session's waiting asks and drops its grants.
func (c *Client) ClearSession(ctx context.Context, by, session string) (wire.ClearResult, error) {
	return fetch[wire.ClearResult](ctx, c, http.MethodPost, at("sessions", session, "clear"), values("by", by), nil)
}

// InterruptSession cancels a session's waiting asks and returns their number.
func (c *Client) InterruptSession(ctx context.Context, by, session string) (int, error) {
	out, err := fetch[protocol.Interrupted](ctx, c, http.MethodPost, at("sessions", session, "interrupt"), values("by", by), nil)
	return out.Asks, err
}

// ExitFork cancels the waiting asks of the session's interactive forks and returns their number.
func (c *Client) ExitFork(ctx context.Context, by, session string) (int, error) {
	out, err := fetch[protocol.Interrupted](ctx, c, http.MethodPost, at("sessions", session, "exit-fork"), values("by", by), nil)
	return out.Asks, err
}

// ResumeSession ends a session's pause.
func (c *Client) ResumeSession(ctx context.Context, by, session string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("sessions", session, "resume"), values("by", by), nil)
	return err
}

// Audit returns one page of the audit; f.Limit 0 means 100 rows, at most 1000.
func (c *Client) Audit(ctx context.Context, f store.Filter) (view.AuditPage, error) {
	return fetch[view.AuditPage](ctx, c, http.MethodGet, at("audit"), auditQuery(f), nil)
}

// TallyAudit counts the decisions of a time in steps, at most 100; see store.Tally.
func (c *Client) TallyAudit(ctx context.Context, since, until time.Time, step time.Duration) (store.Tally, error) {
	q := values("step", step.String())
	setTime(q, "since", since)
	setTime(q, "until", until)
	return fetch[store.Tally](ctx, c, http.MethodGet, at("audit", "tally"), q, nil)
}

// ExportAudit copies all rows chosen by f to w, as "jsonl", "csv", "ocsf" or "proof". After an error the output is
// incomplete.
func (c *Client) ExportAudit(ctx context.Context, f store.Filter, format string, w io.Writer) error {
	q := auditQuery(f)
	q.Set("format", format)
	resp, err := c.send(ctx, http.MethodGet, at("audit", "export"), q, nil, "*/*")
	if err != nil {
		return fmt.Errorf("export audit: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or given up
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("export audit: incomplete: %w", err)
	}
	return nil
}

// VerifyAudit recomputes the audit's chain.
func (c *Client) VerifyAudit(ctx context.Context) (store.Report, error) {
	return fetch[store.Report](ctx, c, http.MethodGet, at("audit", "verify"), nil, nil)
}

// ProveAudit makes the proof of one row.
func (c *Client) ProveAudit(ctx context.Context, seq int64) (proof.File, error) {
	return fetch[proof.File](ctx, c, http.MethodGet, at("audit", "rows", strconv.FormatInt(seq, 10), "proof"), nil, nil)
}

// AuditCheckpoint returns the newest checkpoint and the key. since is the size of an earlier one,
// for a proof that the audit still begins with its rows; 0 for none.
func (c *Client) AuditCheckpoint(ctx context.Context, since int64) (proof.State, error) {
	q := values()
	setNumber(q, "since", since)
	return fetch[proof.State](ctx, c, http.MethodGet, at("audit", "checkpoint"), q, nil)
}

func auditQuery(f store.Filter) url.Values {
	q := values("agent", f.Agent, "session", f.Session, "tool", f.Tool, "user", f.User,
		"decided_by", f.DecidedBy, "person", f.Person, "rule", f.Rule, "call", f.Call, "ask", f.Ask,
		"event", string(f.Event), "decision", string(f.Decision), "text", f.Text)
	setTime(q, "since", f.Since)
	setTime(q, "until", f.Until)
	setNumber(q, "after", f.After)
	setNumber(q, "before", f.Before)
	setFlag(q, "newest", f.Newest)
	setNumber(q, "limit", int64(f.Limit))
	setNumber(q, "look", f.Look)
	return q
}

// Event is one event of the stream: Name is one of the Event constants, Data its
// JSON.
type Event struct {
	Name string
	Data []byte
}

// Ask reads the data of an EventAsk.
func (e Event) Ask() (ask.Event, error) {
	var ev ask.Event
	err := caller.Decode(e.Data, &ev)
	return ev, err
}

// Events passes events to each until ctx ends, the stream breaks, or each returns an error; it
// returns this error. With a surface's name the caller counts as a place where approver answers,
// for as long as it reads. The first event is EventReady.
func (c *Client) Events(ctx context.Context, surface, approver string, each func(Event) error) error {
	resp, err := c.send(ctx, http.MethodGet, at("events"), values("surface", surface, "approver", approver), nil, protocol.EventsType)
	if err != nil {
		return fmt.Errorf("events: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or given up
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, caller.MaxAnswer)
	var ev Event
	for lines.Scan() {
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		switch string(name) {
		case "event":
			ev.Name = string(value)
		case "data":
			ev.Data = bytes.Clone(value)
		case "":
			if ev.Name != "" {
				if err := each(ev); err != nil {
					return err
				}
			}
			ev = Event{}
		}
	}
	if err := errors.Join(lines.Err(), ctx.Err()); err != nil {
		return fmt.Errorf("events: %w", err)
	}
	return fmt.Errorf("events: %w", ErrNoDaemon)
}

// values builds a query of the pairs with a value.
func values(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

func setTime(q url.Values, name string, t time.Time) {
	if !t.IsZero() {
		q.Set(name, t.UTC().Format(time.RFC3339Nano))
	}
}

func setNumber(q url.Values, name string, n int64) {
	if n > 0 {
		q.Set(name, strconv.FormatInt(n, 10))
	}
}

func setFlag(q url.Values, name string, on bool) {
	if on {
		q.Set(name, "true")
	}
}
