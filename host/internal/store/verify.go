package store

import (
	"context"
	"fmt"
	"time"
)

// Report is the result of VerifyAudit.
type Report struct {
	// From is the number of the first expected row: 1, or the one after those removed by retention.
	From int64 `json:"from"`
	// Rows is how many rows follow each other soundly from there.
	Rows int64 `json:"rows"`
	// Head is the number and hash of the last row; note it elsewhere to prove later that nothing
	// before it was rewritten.
	Head     int64 `json:"head"`
	HeadHash Hash  `json:"head_hash"`
	// Removed are the rows removed by retention; nil for none.
	Removed *Removed `json:"removed,omitempty"`
	// Tree is the Merkle tree over the row hashes; nil before its first row.
	Tree *TreeReport `json:"tree,omitempty"`
	// Break is the first altered row; nil for a whole audit.
	Break *Break `json:"break,omitempty"`
}

// Removed is the beginning of the audit, removed by retention, as the audit itself records it.
type Removed struct {
	// Through and Hash are of the last removed row: the rest follows it.
	Through int64 `json:"through"`
	Hash    Hash  `json:"hash"`
	// At, By and Detail are of the recording row, number Seq.
	At     time.Time `json:"at,omitzero"`
	By     string    `json:"by,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Seq    int64     `json:"seq,omitempty"`
}

// Break says where and how the audit was changed.
type Break struct {
	Seq  int64  `json:"seq"`
	What string `json:"what"`
}

// OK reports whether the audit is whole.
func (r Report) OK() bool { return r.Break == nil }

// VerifyAudit recomputes the whole chain and names its first break: a row edited, removed, moved,
// added behind the head, or cut off at the end. Rows removed by retention are no break: a row of
// the audit records their removal, and the rest follows the last of them. The error is for an
// unreadable store; tampering is in the Report. An attacker with write access can also compute a
// new chain: compare Head and HeadHash with a copy kept elsewhere. Threat T15.
func (s *Store) VerifyAudit(ctx context.Context) (Report, error) {
	s.pruning.RLock()
	defer s.pruning.RUnlock()
	for tries := 1; ; tries++ {
		report, err := s.verifyAudit(ctx)
		if err != nil {
			return Report{}, fmt.Errorf("verify audit: %w", s.closedOr(err))
		}
		if report.OK() || s.team == nil || tries == maxVerify {
			return report, nil
		}
		// Another daemon may have removed rows meanwhile.
		if now, err := readAnchor(ctx, s.reads); err != nil || now.seq < report.From {
			return report, nil
		}
	}
}

// maxVerify bounds how often a broken chain is looked at again where others remove rows.
const maxVerify = 3

// verifyAudit is VerifyAudit for who keeps retention from going on meanwhile.
func (s *Store) verifyAudit(ctx context.Context) (Report, error) {
	// The tree and then the head first: rows appended meanwhile lie behind them.
	tree, told, err := s.openLeaves(ctx)
	if b := broken(err, 1); b != nil {
		return Report{Break: b}, nil
	}
	if err != nil {
		return Report{}, err
	}
	head, err := readHead(ctx, s.reads)
	if err != nil {
		return Report{}, err
	}
	gone, err := readAnchor(ctx, s.reads)
	if err != nil {
		return Report{}, err
	}
	v := newVerifier(head, gone.link)
	v.tree, v.report.Tree = tree, told
	if err := v.begin(); err != nil || v.report.Break != nil {
		return v.report, err
	}
	for r, err := range s.summedRows(ctx, gone.seq, head.seq) {
		if err != nil {
			return Report{}, err
		}
		if !v.follow(r.row, r.sum) {
			return v.report, nil
		}
		if ok, err := v.inTree(v.last); err != nil || !ok {
			return v.report, err
		}
	}
	// Rows behind the head are those appended since, if the head has moved too.
	last, err := readHead(ctx, s.reads)
	if err != nil {
		return Report{}, err
	}
	v.end(last)
	return v.report, nil
}

// verifier follows the chain row by row.
type verifier struct {
	report Report
	head   link
	gone   link
	last   link
	said   Removed // the last row about removed rows
	tree   *leaves
	buf    []byte
}

// newVerifier follows the chain from the first remaining row to its head.
func newVerifier(head, gone link) *verifier {
	v := &verifier{head: head, gone: gone, last: gone, report: Report{From: gone.seq + 1, Head: head.seq, HeadHash: head.hash}}
	if gone.seq > 0 {
		v.report.Removed = &Removed{Through: gone.seq, Hash: gone.hash}
	}
	return v
}

// next takes the next row and reports whether the chain still holds.
func (v *verifier) next(r Row) bool {
	var sum Hash
	sum, v.buf = r.sum(v.buf)
	return v.follow(r, sum)
}

// follow is next for a row with its hash, computed anew.
func (v *verifier) follow(r Row, sum Hash) bool {
	want := v.last.seq + 1
	switch {
	case r.Seq < want:
		return v.stop(r.Seq, "the row was added where rows were removed")
	case r.Seq != want:
		return v.stop(want, fmt.Sprintf("rows %d to %d are missing", want, r.Seq-1))
	case sum != r.Hash:
		return v.stop(want, "the row was edited or moved")
	case r.Prev != v.last.hash && v.last.seq > v.gone.seq:
		return v.stop(v.last.seq, fmt.Sprintf("the row was replaced: row %d followed another one", want))
	case r.Prev != v.last.hash:
		return v.stop(want, "the first row followed another one: the rows before it were removed")
	case r.Seq == v.head.seq && r.Hash != v.head.hash:
		return v.stop(want, "the row is not the one the head record names: it was replaced")
	}
	if r.Event == EventAuditPruned {
		v.said = removedBy(r)
	}
	v.last = link{r.Seq, r.Hash}
	v.report.Rows++
	return true
}

// begin compares the last removed row and the extent of the tree.
func (v *verifier) begin() error {
	if v.tree != nil && v.tree.tree.Through() > v.head.seq {
		v.stop(v.head.seq+1, fmt.Sprintf("rows %d to %d are missing at the end: the tree has them", v.head.seq+1, v.tree.tree.Through()))
		return nil
	}
	_, err := v.inTree(v.gone)
	return err
}

// inTree compares a row with its leaf in the tree, and reports whether it is the same.
func (v *verifier) inTree(row link) (bool, error) {
	other, err := v.tree.differs(row)
	if b := broken(err, row.seq); b != nil {
		v.report.Break = b
		return false, nil
	}
	if err != nil || !other {
		return err == nil, err
	}
	return v.stop(row.seq, "the row is another one than in the tree: it was replaced"), nil
}

// end compares the last row with the head record as it is after the walk, and the removed rows with
// their record in the audit.
func (v *verifier) end(now link) {
	switch {
	case v.last.seq < v.head.seq:
		v.stop(v.last.seq+1, fmt.Sprintf("rows %d to %d are missing at the end", v.last.seq+1, v.head.seq))
	case v.last.seq > now.seq:
		v.stop(now.seq+1, "the row was added behind the head record")
	case v.gone.seq > v.said.Through, v.gone.seq > 0 && v.gone.seq == v.said.Through && v.gone.hash != v.said.Hash:
		v.stop(1, fmt.Sprintf("rows 1 to %d are missing, and no audit row records their removal", v.gone.seq))
	case v.gone.seq > 0:
		v.report.Removed.At, v.report.Removed.By, v.report.Removed.Detail, v.report.Removed.Seq = v.said.At, v.said.By, v.said.Detail, v.said.Seq
	}
}

func (v *verifier) stop(seq int64, what string) bool {
	v.report.Break = &Break{Seq: seq, What: what}
	return false
}
