package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// rowNumber reads the row of the audit in a request's path.
func rowNumber(r *http.Request) (int64, error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return 0, badField("seq", fmt.Sprintf("%q: want a row number", r.PathValue("seq")))
	}
	return seq, nil
}

func (s *Server) showAudit(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	seq, err := rowNumber(r)
	if err != nil {
		return err
	}
	out, err := history.Get(r.Context(), s.c.Audit, s.c.Asks, seq)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// pruneAudit removes evidence, and so wants a person.
func (s *Server) pruneAudit(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.Prune
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	release() // it is decoded
	if now := s.c.Now(); body.Before.IsZero() || body.Before.After(now) {
		return badField("before", fmt.Sprintf("want a time in the past, such as %s", now.AddDate(0, -3, 0).UTC().Format(time.RFC3339)))
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
