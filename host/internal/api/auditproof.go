package api

import (
	"context"
	"math"
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/store/proof"
)

var errNoNotary = failure(http.StatusServiceUnavailable, protocol.CodeUnavailable, "this daemon signs no checkpoints of the audit; start it with callgate serve")

// proveAudit makes the proof of one row.
func (s *Server) proveAudit(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	seq, err := rowNumber(r)
	if err != nil {
		return err
	}
	if s.c.Notary == nil {
		return errNoNotary
	}
	out, err := s.c.Notary.Prove(r.Context(), seq)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// auditCheckpoint answers with the newest checkpoint, the key, and the proof since an earlier one.
func (s *Server) auditCheckpoint(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, "since")
	if err != nil {
		return err
	}
	since, err := q.number("since", 0, math.MaxInt64)
	if err != nil {
		return err
	}
	if s.c.Notary == nil {
		return errNoNotary
	}
	out, err := s.c.Notary.State(r.Context(), since)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// proofWriter writes one proof per row, all rows under the same checkpoint.
type proofWriter struct {
	ctx    context.Context
	prover *notary.Prover
	to     http.ResponseWriter
}

// newProofWriter signs what is new, and leaves out rows appended later.
func (s *Server) newProofWriter(w http.ResponseWriter, r *http.Request, f *store.Filter) (rowWriter, error) {
	if s.c.Notary == nil {
		return nil, errNoNotary
	}
	prover, err := s.c.Notary.Prover(r.Context())
	if err != nil {
		return nil, err
	}
	if end := prover.Through() + 1; f.Before == 0 || f.Before > end {
		f.Before = end
	}
	w.Header().Set("Content-Type", protocol.LinesType)
	return proofWriter{r.Context(), prover, w}, nil
}

func (p proofWriter) write(row store.Row) error {
	var text []byte
	file, err := p.prover.Prove(p.ctx, row)
	if err == nil {
		text, err = file.Text()
	}
	if err == nil {
		_, err = p.to.Write(append(text, '\n'))
	}
	return err
}

func (p proofWriter) end() error { return nil }

// Notary signs the audit and proves its rows.
type Notary interface {
	Prove(ctx context.Context, seq int64) (proof.File, error)
	Prover(ctx context.Context) (*notary.Prover, error)
	State(ctx context.Context, since int64) (proof.State, error)
	Verify(ctx context.Context) (store.Report, error)
}
