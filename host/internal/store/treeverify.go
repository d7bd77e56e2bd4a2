package store

import (
	"context"
	"errors"

	"golang.org/x/mod/sumdb/tlog"
)

// TreeReport is the tree as VerifyAudit found it.
type TreeReport struct {
	// Base and Size are the tree's: its leaves are rows Base + 1 to Base + Size.
	Base int64 `json:"base"`
	Size int64 `json:"size"`
	Root Hash  `json:"root"`
	// SignedFor is the size of the newest signed checkpoint, SignedRoot the root for it as computed
	// now; 0 for none.
	SignedFor  int64 `json:"signed_for,omitempty"`
	SignedRoot Hash  `json:"signed_root,omitzero"`
	// Signed is the text of that checkpoint, for the caller who knows the key.
	Signed string `json:"-"`
	// Unsigned is why the checkpoint's signature proves nothing here; empty when it was verified.
	Unsigned string `json:"unsigned,omitempty"`
}

// leaves compares rows with the leaves of the tree. Each tile is verified up to the root.
type leaves struct {
	tree   Tree
	hashes tlog.HashReader
	number int64 // of the tile in held
	held   []tlog.Hash
}

// openLeaves reads the tree of a verification; nil for an empty one.
func (s *Store) openLeaves(ctx context.Context) (*leaves, *TreeReport, error) {
	t, err := readTree(ctx, s.reads)
	if err != nil || t.Size == 0 {
		return nil, nil, err
	}
	tiles := s.treeHashes(ctx)
	root, err := tlog.TreeHash(t.Size, tiles)
	if err != nil {
		return nil, nil, err
	}
	l := &leaves{tree: t, hashes: tlog.TileHashReader(tlog.Tree{N: t.Size, Hash: root}, tiles), number: -1}
	report := &TreeReport{Base: t.Base, Size: t.Size, Root: Hash(root), SignedFor: t.SignedFor, Signed: t.Signed}
	if t.SignedFor > 0 {
		if root, err = tlog.TreeHash(t.SignedFor, l.hashes); err != nil {
			return nil, nil, notAuthentic(err)
		}
		report.SignedRoot = Hash(root)
	}
	return l, report, nil
}

// differs reports whether a row is another one than in the tree.
func (l *leaves) differs(row link) (bool, error) {
	if l == nil {
		return false, nil
	}
	leaf, ok := l.tree.Leaf(row.seq)
	if !ok {
		return false, nil
	}
	if number := leaf >> tileHeight; number != l.number {
		if err := l.load(number); err != nil {
			return false, err
		}
	}
	return l.held[leaf&(1<<tileHeight-1)] != tlog.RecordHash(row.hash[:]), nil
}

// load reads the leaves of a tile.
func (l *leaves) load(number int64) (err error) {
	first := number << tileHeight
	var indexes []int64
	for leaf := first; leaf < min(l.tree.Size, first+1<<tileHeight); leaf++ {
		indexes = append(indexes, tlog.StoredHashIndex(0, leaf))
	}
	l.held, err = l.hashes.ReadHashes(indexes)
	l.number = number
	return notAuthentic(err)
}

// broken returns the break for an error of the tree's hashes, nil for any other.
func broken(err error, seq int64) *Break {
	if errors.Is(err, errTiles) {
		return &Break{Seq: seq, What: err.Error()}
	}
	return nil
}
