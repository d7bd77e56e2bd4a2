package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// A known token's request for a check is a denied call even when it was unreadable, so the audit
// has it: at most refusedRows of one token in refusedWindow, and one row counting the rest, so a
// flood does not fill the disk (threat T12).
const (
	refusedRows   = 30
	refusedWindow = time.Minute
)

// refusals are the refused requests of each token in its present window.
type refusals struct {
	mu sync.Mutex
	by map[string]*window
}

// window are the refusals since start.
type window struct {
	start  time.Time
	caller authority.Caller
	rows   int
	more   int // those without a row of their own
}

// add counts one refusal. It tells whether it gets a row, and how many of the
// window before had none.
func (f *refusals) add(caller authority.Caller, now time.Time) (row bool, before int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil {
		f.by = map[string]*window{}
	}
	w := f.by[caller.Token]
	if w == nil || now.Sub(w.start) >= refusedWindow {
		if w != nil {
			before = w.more
		}
		w = &window{start: now, caller: caller}
		f.by[caller.Token] = w
	}
	if w.rows < refusedRows {
		w.rows++
		return true, before
	}
	w.more++
	return false, before
}

// rest takes the refusals without a row.
func (f *refusals) rest() []window {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []window
	for token, w := range f.by {
		if w.more > 0 {
			out = append(out, *w)
		}
		delete(f.by, token)
	}
	return out
}

// checkPath is where calls are put.
const checkPath = "/v1/check"

// auditRefusal writes the row of a request refused before the gate. The gate audits its own
// refusals.
func (s *Server) auditRefusal(r *http.Request, caller authority.Caller, err error) {
	var e *protocol.Error
	if caller.Token == "" || strings.TrimSuffix(r.URL.Path, "/") != checkPath || !errors.As(err, &e) {
		return
	}
	row, before := s.refusals.add(caller, s.c.Now())
	if before > 0 {
		s.append(r.Context(), caller, "refused", countText(before))
	}
	if row {
		s.append(r.Context(), caller, e.Code, e.Error())
	}
}

func countText(n int) string {
	return fmt.Sprintf("%d more requests were refused before they were read", n)
}

// append writes the row of a denial. The denial stands whether it can be written
// or not.
func (s *Server) append(ctx context.Context, caller authority.Caller, code, detail string) {
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	_, err := s.c.Audit.Append(ctx, store.Row{
		Time: s.c.Now(), Agent: caller.Agent, Decision: store.Denied, Stage: string(engine.StageError), Code: code,
		Detail: fmt.Sprintf("token %s: %s", caller.Token, detail),
	})
	if err != nil {
		s.c.Log.Error("a refused request could not be audited", "token", caller.Token, "error", err)
	}
}
