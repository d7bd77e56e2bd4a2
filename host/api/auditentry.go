package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// AuditEntry is one row of the audit with what is still known beside it.
type AuditEntry struct {
	Row store.Row `json:"row"`
	// Ask is the ask that a person answered, as long as it is kept: without its
	// input and without the secrets that its texts quoted.
	Ask *ask.Ask `json:"ask,omitempty"`
	// RuleChanges tell what became of the stored rule that decided, the oldest
	// first; at most 20.
	RuleChanges []store.Row `json:"rule_changes,omitempty"`
}

// maxRuleChanges bounds RuleChanges.
const maxRuleChanges = 20

func (s *Server) showAudit(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return badField("seq", fmt.Sprintf("%q: want the number of a row", r.PathValue("seq")))
	}
	var out AuditEntry
	rows, err := s.auditRows(r.Context(), store.Filter{After: seq - 1, Before: seq + 1, Limit: 1})
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("row %d of the audit: %w", seq, store.ErrNotFound)
	}
	out.Row = rows[0]
	if out.Row.AskID != "" {
		a, err := s.c.Asks.Get(r.Context(), out.Row.AskID)
		switch {
		case err == nil && !a.State.Waiting():
			out.Ask = &a
		case err != nil && !errors.Is(err, ask.ErrUnknown):
			return err
		}
	}
	if out.Row.RuleID != "" {
		if out.RuleChanges, err = s.ruleChanges(r.Context(), out.Row.RuleID); err != nil {
			return err
		}
	}
	return reply(w, http.StatusOK, out)
}

// ruleChanges are the rows about a stored rule that are no decisions.
func (s *Server) ruleChanges(ctx context.Context, id string) ([]store.Row, error) {
	var out []store.Row
	for _, event := range []store.Event{store.EventRuleAdded, store.EventRuleKept, store.EventRuleExtended, store.EventRuleRemoved, store.EventRuleExpired} {
		rows, err := s.auditRows(ctx, store.Filter{Rule: id, Event: event, Limit: maxRuleChanges - len(out)})
		if err != nil {
			return nil, err
		}
		if out = append(out, rows...); len(out) >= maxRuleChanges {
			break
		}
	}
	return out, nil
}

func (s *Server) auditRows(ctx context.Context, f store.Filter) ([]store.Row, error) {
	var out []store.Row
	for row, err := range s.c.Audit.Audit(ctx, f) {
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// pruneBody says which rows of the audit are to go.
type pruneBody struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitempty"`
}

// pruneAudit removes evidence, and so wants a person.
func (s *Server) pruneAudit(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body pruneBody
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	release() // it is decoded
	if now := s.c.Now(); body.Before.IsZero() || body.Before.After(now) {
		return badField("before", fmt.Sprintf("want a time that has passed, such as %s", now.AddDate(0, -3, 0).UTC().Format(time.RFC3339)))
	}
	do := func(ctx context.Context) (store.Prunable, error) { return s.c.Audit.Prunable(ctx, body.Before) }
	if !body.DryRun {
		if err := s.present(r, caller); err != nil {
			return err
		}
		do = func(ctx context.Context) (store.Prunable, error) { return s.c.Audit.PruneAudit(ctx, body.Before, by) }
	}
	out, err := do(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// AuditRow returns one row of the audit with what is known beside it.
func (c *Client) AuditRow(ctx context.Context, seq int64) (AuditEntry, error) {
	return fetch[AuditEntry](ctx, c, http.MethodGet, at("audit", "rows", strconv.FormatInt(seq, 10)), nil, nil)
}

// PruneAudit removes the rows of the audit that are older than before, in the name
// of by; dryRun only tells what would go.
func (c *Client) PruneAudit(ctx context.Context, by string, before time.Time, dryRun bool) (store.Prunable, error) {
	return fetch[store.Prunable](ctx, c, http.MethodPost, at("audit", "prune"), values("by", by), pruneBody{Before: before, DryRun: dryRun})
}
