package notary

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/proof"
)

// Prove makes the proof of a row. store.ErrNotFound for one that does not exist, or was removed.
func (n *Notary) Prove(ctx context.Context, seq int64) (proof.File, error) {
	for row, err := range n.c.Store.Audit(ctx, store.Filter{After: seq - 1, Before: seq + 1}) {
		if err != nil {
			return proof.File{}, err
		}
		p, err := n.Prover(ctx)
		if err != nil {
			return proof.File{}, err
		}
		return p.Prove(ctx, row)
	}
	return proof.File{}, fmt.Errorf("row %d of the audit: %w", seq, store.ErrNotFound)
}

// Prover proves rows under one checkpoint. It is for one goroutine.
type Prover struct {
	n      *Notary
	now    sealed
	seen   *sealed // the newest with signatures of witnesses; nil for none
	hashes tlog.HashReader
}

// Prover signs what is new and returns a Prover of all rows up to now.
func (n *Notary) Prover(ctx context.Context) (*Prover, error) {
	s, err := n.seal(ctx)
	if err != nil {
		return nil, err
	}
	p := &Prover{n: n, now: s, hashes: n.c.Store.TreeHashes(ctx)}
	if seen, err := proof.Open(s.tree.Seen, s.key, n.keys()...); err == nil && len(seen.Witnesses) > 0 {
		p.seen = &sealed{s.tree, s.key, seen, s.tree.Seen}
	}
	return p, nil
}

// Through is the last row that the prover knows.
func (p *Prover) Through() int64 { return p.now.tree.Through() }

// Prove makes the proof of a row, under the checkpoint of the witnesses if that has the row. The
// proof is verified before it is returned.
func (p *Prover) Prove(ctx context.Context, row store.Row) (proof.File, error) {
	under := p.now
	if leaf, ok := under.tree.Leaf(row.Seq); p.seen != nil && ok && leaf < p.seen.Size {
		under = *p.seen
	}
	out := proof.File{Version: proof.Version, Base: under.tree.Base, Checkpoint: under.text, Key: under.key.String()}
	for _, w := range p.n.witnesses {
		for _, name := range under.Witnesses {
			if name == w.at.Key.Name() {
				out.Witnesses = append(out.Witnesses, w.at.Key.String())
			}
		}
	}
	var err error
	if out.Row, err = p.entry(row, under.Checkpoint); err != nil {
		return proof.File{}, err
	}
	if out.Enrolment, err = p.enrolment(ctx, row, under.Checkpoint); err != nil {
		return proof.File{}, err
	}
	_, err = out.Check(nil, nil)
	return out, err
}

// entry is a row with its path.
func (p *Prover) entry(row store.Row, c proof.Checkpoint) (proof.Entry, error) {
	leaf, ok := p.now.tree.Leaf(row.Seq)
	if !ok || leaf >= c.Size {
		return proof.Entry{}, fmt.Errorf("row %d of the audit is older than its tree: %w", row.Seq, store.ErrNotFound)
	}
	path, err := tlog.ProveRecord(c.Size, leaf, p.hashes)
	return proof.Entry{Row: row, Path: proof.NewPath(path)}, err
}

// enrolment is the row that added the key that signed another row; nil for a row without a
// signature, and where retention has removed it.
func (p *Prover) enrolment(ctx context.Context, signed store.Row, c proof.Checkpoint) (*proof.Entry, error) {
	if signed.Evidence == "" || signed.Event == store.EventPasskeyAdded {
		return nil, nil
	}
	for row, err := range p.n.c.Store.Audit(ctx, store.Filter{Event: store.EventPasskeyAdded, Before: signed.Seq, Newest: true}) {
		if err != nil {
			return nil, err
		}
		if _, ok := p.now.tree.Leaf(row.Seq); ok && proof.Enrols(row, signed) {
			entry, err := p.entry(row, c)
			return &entry, err
		}
	}
	return nil, nil
}

// State signs what is new, and returns the checkpoint. since is the size of an earlier checkpoint,
// for a proof that nothing of it has changed; 0 for none. ErrSize for one larger than the audit.
func (n *Notary) State(ctx context.Context, since int64) (proof.State, error) {
	p, err := n.Prover(ctx)
	if err != nil {
		return proof.State{}, err
	}
	out := proof.State{Checkpoint: p.now.text, Through: p.Through(), Key: p.now.key.String(), Fingerprint: fingerprint(n.private), Since: since, Witnesses: n.states()}
	if p.seen != nil {
		out.Seen = p.seen.text
	}
	switch {
	case since == 0:
		return out, nil
	case since < 0 || since > p.now.Size:
		return proof.State{}, fmt.Errorf("%w: it has %d rows, the checkpoint %d: rows were lost, or the checkpoint is of another audit", ErrSize, p.now.Size, since)
	}
	path, err := tlog.ProveTree(p.now.Size, since, p.hashes)
	out.Path = proof.NewPath(tlog.RecordProof(path))
	return out, err
}

// ErrSize means that an earlier checkpoint has more rows than the audit.
var ErrSize = errors.New("the audit is shorter than the checkpoint")

// Verify verifies the whole chain, the tree, and the signed root.
func (n *Notary) Verify(ctx context.Context) (store.Report, error) {
	r, err := n.c.Store.VerifyAudit(ctx)
	if err != nil || !r.OK() || r.Tree == nil || r.Tree.SignedFor == 0 {
		return r, err
	}
	t, err := n.c.Store.Tree(ctx)
	if err != nil {
		return r, err
	}
	_, key, err := n.signer(t.Origin)
	if err != nil {
		return r, err
	}
	c, err := proof.Open(r.Tree.Signed, key)
	switch {
	case err != nil:
		r.Tree.Unsigned = err.Error()
	case c.Size != r.Tree.SignedFor || store.Hash(c.Root) != r.Tree.SignedRoot:
		r.Break = &store.Break{Seq: r.Tree.Base + 1, What: "the rows are others than those of the signed checkpoint"}
	}
	return r, nil
}
