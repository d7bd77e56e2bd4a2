package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/history"
	"github.com/callgate/callgate/host/store"
)

func (s *Server) showAudit(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return badField("seq", fmt.Sprintf("%q: want the number of a row", r.PathValue("seq")))
	}
	out, err := history.Look(r.Context(), s.c.Audit, s.c.Asks, seq)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
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
func (c *Client) AuditRow(ctx context.Context, seq int64) (history.Entry, error) {
	return fetch[history.Entry](ctx, c, http.MethodGet, at("audit", "rows", strconv.FormatInt(seq, 10)), nil, nil)
}

// PruneAudit removes the rows of the audit that are older than before, in the name
// of by; dryRun only tells what would go.
func (c *Client) PruneAudit(ctx context.Context, by string, before time.Time, dryRun bool) (store.Prunable, error) {
	return fetch[store.Prunable](ctx, c, http.MethodPost, at("audit", "prune"), values("by", by), pruneBody{Before: before, DryRun: dryRun})
}
