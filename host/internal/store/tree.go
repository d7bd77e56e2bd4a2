package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Tree is the Merkle tree over the audit's row hashes, as far as it goes. Its hashes are those of
// RFC 6962 and stay when retention removes rows. RATIONALE.md, "Why a tree beside the chain?".
type Tree struct {
	// Origin names the log in its checkpoints; empty before the first row.
	Origin string
	// Base is the last row removed before there was a tree: leaf i is row Base + 1 + i.
	Base int64
	// Size is the number of leaves.
	Size int64
	// Signed is the newest signed checkpoint, for SignedFor leaves; empty for none.
	Signed    string
	SignedFor int64
	// Seen is the newest checkpoint that every witness has signed too, for SeenFor leaves.
	Seen    string
	SeenFor int64
}

// Through is the last row in the tree.
func (t Tree) Through() int64 { return t.Base + t.Size }

// Leaf is the number of a row's leaf, and whether it has one.
func (t Tree) Leaf(seq int64) (int64, bool) {
	return seq - t.Base - 1, seq > t.Base && seq <= t.Through()
}

// Tree returns the tree's extent and its checkpoints.
func (s *Store) Tree(ctx context.Context) (Tree, error) {
	t, err := readTree(ctx, s.reads)
	if err != nil {
		return Tree{}, s.closedOr(err)
	}
	return t, nil
}

func readTree(ctx context.Context, q queryer) (t Tree, err error) {
	row := q.QueryRowContext(ctx, "SELECT origin, base, size, signed, signed_for, seen, seen_for FROM audit_tree WHERE one = 1")
	if err := row.Scan(&t.Origin, &t.Base, &t.Size, &t.Signed, &t.SignedFor, &t.Seen, &t.SeenFor); err != nil {
		return Tree{}, fmt.Errorf("%w: read the audit's tree: %w", ErrCorrupt, err)
	}
	return t, nil
}

// SaveCheckpoint stores a signed checkpoint of the tree's first size leaves unless there is a newer
// one; seen is for one with the signatures of all witnesses.
func (s *Store) SaveCheckpoint(ctx context.Context, size int64, text string, seen bool) error {
	query := "UPDATE audit_tree SET signed = ?, signed_for = ? WHERE one = 1 AND signed_for <= ? AND size >= ?"
	if seen {
		query = "UPDATE audit_tree SET seen = ?, seen_for = ? WHERE one = 1 AND seen_for <= ? AND size >= ?"
	}
	run := func(ctx context.Context, t *tx) error {
		_, err := t.ExecContext(ctx, query, text, size, size, size)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return fmt.Errorf("store a checkpoint: %w", err)
	}
	return nil
}

// treeBatch is the number of rows added to the tree at once, so a decision waits for few of them.
const treeBatch = 1024

// GrowTree adds all rows to the tree, verifying the chain on the way, and returns it. ErrAuditBroken
// at the first altered row: the tree never covers one. Rows appended meanwhile may or may not be in.
func (s *Store) GrowTree(ctx context.Context) (Tree, error) {
	s.pruning.RLock()
	defer s.pruning.RUnlock()
	head, err := readHead(ctx, s.reads)
	if err != nil {
		return Tree{}, s.closedOr(err)
	}
	t, err := s.growTree(ctx, head.seq)
	if err != nil {
		return t, fmt.Errorf("extend the audit's tree: %w", s.closedOr(err))
	}
	return t, nil
}

// growTree is GrowTree through a row. The caller keeps retention from removing rows.
func (s *Store) growTree(ctx context.Context, through int64) (Tree, error) {
	for {
		t, err := readTree(ctx, s.reads)
		if err != nil || t.Through() >= through {
			return t, err
		}
		if err := s.growSome(ctx, t, min(through, t.Through()+treeBatch)); err != nil && !errors.Is(err, errTreeMoved) {
			return t, err
		}
	}
}

// errTreeMoved means that another daemon extended the tree meanwhile.
var errTreeMoved = errors.New("the tree was extended meanwhile")

// growSome adds the rows after the tree's last one, through a row.
func (s *Store) growSome(ctx context.Context, t Tree, through int64) error {
	last, err := s.lastLeaf(ctx, t)
	if err != nil {
		return err
	}
	grown := &growth{old: s.treeHashes(ctx), size: t.Size, fresh: map[int64]tlog.Hash{}}
	v := newVerifier(link{}, last)
	for row, err := range s.Audit(ctx, Filter{After: t.Through(), Before: through + 1}) {
		if err != nil {
			return err
		}
		if !v.next(row) {
			return fmt.Errorf("%w: row %d: %s: see `callgate audit verify`", ErrAuditBroken, v.report.Break.Seq, v.report.Break.What)
		}
		if err := grown.add(row.Hash); err != nil {
			return err
		}
	}
	if v.last.seq != through {
		return fmt.Errorf("%w: rows %d to %d are missing: see `callgate audit verify`", ErrAuditBroken, v.last.seq+1, through)
	}
	return s.saveGrowth(ctx, t, grown)
}

// lastLeaf is the row before the next one of the tree. Its hash must still be that of its leaf.
func (s *Store) lastLeaf(ctx context.Context, t Tree) (link, error) {
	gone, err := readAnchor(ctx, s.reads)
	if err != nil || gone.seq == t.Through() {
		return gone.link, err
	}
	if t.Size == 0 {
		return link{}, fmt.Errorf("%w: rows %d to %d are missing: see `callgate audit verify`", ErrAuditBroken, gone.seq+1, t.Base)
	}
	last := link{seq: t.Through()}
	var hash []byte
	if err := s.reads.QueryRowContext(ctx, "SELECT hash FROM audit_log WHERE seq = ?", last.seq).Scan(&hash); errors.Is(err, sql.ErrNoRows) {
		return link{}, fmt.Errorf("%w: row %d is missing: see `callgate audit verify`", ErrAuditBroken, last.seq)
	} else if err != nil {
		return link{}, err
	}
	copy(last.hash[:], hash)
	leaf, err := s.treeHashes(ctx).ReadHashes([]int64{tlog.StoredHashIndex(0, t.Size-1)})
	if err == nil && leaf[0] != tlog.RecordHash(last.hash[:]) {
		err = fmt.Errorf("%w: row %d: it is not the one in the tree: see `callgate audit verify`", ErrAuditBroken, last.seq)
	}
	return last, err
}

// saveGrowth writes the changed tiles and the tree's new size, if it has still its old one.
func (s *Store) saveGrowth(ctx context.Context, t Tree, g *growth) error {
	tiles, err := g.tiles(t.Size)
	if err != nil {
		return err
	}
	origin := "callgate-audit-" + strings.ToLower(rand.Text())
	run := func(ctx context.Context, x *tx) error {
		done, err := x.ExecContext(ctx, "UPDATE audit_tree SET size = ?, origin = CASE WHEN origin = '' THEN ? ELSE origin END WHERE one = 1 AND size = ? AND base = ?",
			g.size, origin, t.Size, t.Base)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errTreeMoved, err)
		}
		for _, tile := range tiles {
			if _, err := x.ExecContext(ctx, "INSERT INTO audit_tiles (level, number, hashes) VALUES (?, ?, ?) ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes",
				tile.L, tile.N, tile.data); err != nil {
				return err
			}
		}
		return nil
	}
	return s.writer.do(ctx, &job{run: run})
}
