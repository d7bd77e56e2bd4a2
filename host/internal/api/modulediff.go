package api

import (
	"context"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/modulediff"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// mostDiffed bounds the different calls that a comparison puts to both versions.
const mostDiffed = 2000

// diffModule puts past calls to two versions of a module. Nothing is stored. One comparison runs at a
// time; the others wait.
func (s *Server) diffModule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	var body protocol.DiffModule
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	release() // it is decoded
	days, err := bounded("days", body.Days, 30, 365)
	if err != nil {
		return err
	}
	rows, err := bounded("rows", body.Rows, 20, 1000)
	if err != nil {
		return err
	}
	seconds, err := bounded("seconds", body.Seconds, 5, 60)
	if err != nil {
		return err
	}
	select {
	case s.diffing <- struct{}{}:
		defer func() { <-s.diffing }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	var out *history.ModuleDiff
	req := modules.Request{File: r.PathValue("file"), Digest: body.Digest, Replaces: body.Replaces}
	err = s.c.Modules.Versions(r.Context(), req, body.Back, func(was, is modules.Version) (err error) {
		out, err = s.compare(r.Context(), (*trial.Module)(&was), (*trial.Module)(&is), s.c.Now().AddDate(0, 0, -days), time.Duration(seconds)*time.Second)
		return err
	})
	if err != nil {
		return err
	}
	out.Shorten(rows)
	return reply(w, http.StatusOK, out)
}

// compare compares the answers of two versions to the calls since a time.
func (s *Server) compare(ctx context.Context, was, is *trial.Module, since time.Time, within time.Duration) (*history.ModuleDiff, error) {
	rules, err := s.c.Gate.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{} // by tool: looking a name up costs more than the rest of a row
	calls, older, err := modulediff.Past(s.c.Audit.PastCalls(ctx, since), func(tool string) bool {
		known, seen := wanted[tool]
		if !seen {
			_, _, before := was.Tool(tool)
			_, _, after := is.Tool(tool)
			known = tool != "" && (before == nil || after == nil)
			wanted[tool] = known
		}
		return known
	}, mostDiffed)
	if err != nil {
		return nil, err
	}
	out, err := modulediff.Compare(ctx, was, is, calls, rules, within)
	if err != nil {
		return nil, err
	}
	out.Older = older
	return out, nil
}
