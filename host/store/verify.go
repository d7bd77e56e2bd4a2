package store

import (
	"context"
	"fmt"
)

// Report is what VerifyAudit found.
type Report struct {
	// Rows is how many rows follow each other soundly from the first one.
	Rows int64 `json:"rows"`
	// Head is the number and hash of the last row; note it elsewhere to prove
	// later that nothing before it was rewritten.
	Head     int64 `json:"head"`
	HeadHash Hash  `json:"head_hash"`
	// Break is the first row at which the audit is not what was written; nil
	// when it is whole.
	Break *Break `json:"break,omitempty"`
}

// Break says where and how the audit was changed.
type Break struct {
	Seq  int64  `json:"seq"`
	What string `json:"what"`
}

// OK reports whether the audit is whole.
func (r Report) OK() bool { return r.Break == nil }

// VerifyAudit recomputes the whole chain and names its first break: a row that
// was edited, removed, moved, added behind the head, or cut off at the end. The
// error is for a store that cannot be read; tampering is in the Report. Who can
// write the file can also compute a new chain: compare Head and HeadHash with a
// copy kept elsewhere. Threat T15.
func (s *Store) VerifyAudit(ctx context.Context) (Report, error) {
	// The head first: rows appended meanwhile lie behind it.
	head, err := readHead(ctx, s.reads)
	if err != nil {
		return Report{}, fmt.Errorf("verify audit: %w", s.closedOr(err))
	}
	v := verifier{head: head, report: Report{Head: head.seq, HeadHash: head.hash}}
	for row, err := range s.Audit(ctx, Filter{}) {
		if err != nil {
			return Report{}, fmt.Errorf("verify audit: %w", err)
		}
		if !v.next(row) {
			return v.report, nil
		}
	}
	// Rows behind the head are those appended since, if the head has moved too.
	last, err := readHead(ctx, s.reads)
	if err != nil {
		return Report{}, fmt.Errorf("verify audit: %w", s.closedOr(err))
	}
	v.end(last)
	return v.report, nil
}

// verifier follows the chain row by row.
type verifier struct {
	report Report
	head   link
	last   link
	buf    []byte
}

// next takes the next row and reports whether the chain still holds.
func (v *verifier) next(r Row) bool {
	want := v.last.seq + 1
	var sum Hash
	sum, v.buf = r.sum(v.buf)
	switch {
	case r.Seq != want:
		return v.stop(want, fmt.Sprintf("rows %d to %d are missing", want, r.Seq-1))
	case sum != r.Hash:
		return v.stop(want, "the row is not what was written: it was edited or moved")
	case r.Prev != v.last.hash && v.last.seq > 0:
		return v.stop(v.last.seq, fmt.Sprintf("the row was replaced: row %d followed another one", want))
	case r.Prev != v.last.hash:
		return v.stop(want, "the first row followed another one: the rows before it were removed")
	case r.Seq == v.head.seq && r.Hash != v.head.hash:
		return v.stop(want, "the row is not the one the head record names: it was replaced")
	}
	v.last = link{r.Seq, r.Hash}
	v.report.Rows = r.Seq
	return true
}

// end compares the last row with the head record as it is after the walk.
func (v *verifier) end(now link) {
	switch {
	case v.last.seq < v.head.seq:
		v.stop(v.last.seq+1, fmt.Sprintf("rows %d to %d are missing at the end", v.last.seq+1, v.head.seq))
	case v.last.seq > now.seq:
		v.stop(now.seq+1, "the row was added behind the head record")
	}
}

func (v *verifier) stop(seq int64, what string) bool {
	v.report.Break = &Break{Seq: seq, What: what}
	return false
}
