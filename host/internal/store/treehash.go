package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// tileHeight is the height of a tile: it has up to 256 hashes.
const tileHeight = 8

// tile is a stored one.
type tile struct {
	tlog.Tile
	data []byte
}

// growth are new leaves of a tree, not yet stored.
type growth struct {
	old   tlog.HashReader
	size  int64
	fresh map[int64]tlog.Hash // by stored index
}

// add appends the leaf of a row.
func (g *growth) add(row Hash) error {
	hashes, err := tlog.StoredHashes(g.size, row[:], g)
	if err != nil {
		return err
	}
	first := tlog.StoredHashIndex(0, g.size)
	for i, h := range hashes {
		g.fresh[first+int64(i)] = h
	}
	g.size++
	return nil
}

// ReadHashes implements tlog.HashReader over the old and the new hashes.
func (g *growth) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		h, ok := g.fresh[index]
		if !ok {
			old, err := g.old.ReadHashes([]int64{index})
			if err != nil {
				return nil, err
			}
			h = old[0]
		}
		out[i] = h
	}
	return out, nil
}

// tiles are those to write after a tree of the old size.
func (g *growth) tiles(old int64) ([]tile, error) {
	var out []tile
	for _, t := range tlog.NewTiles(tileHeight, old, g.size) {
		data, err := tlog.ReadTileData(t, g)
		if err != nil {
			return nil, err
		}
		out = append(out, tile{t, data})
	}
	return out, nil
}

// TreeHashes reads the hashes of the tree. It remembers those read, and is for one goroutine.
func (s *Store) TreeHashes(ctx context.Context) tlog.HashReader { return s.treeHashes(ctx) }

func (s *Store) treeHashes(ctx context.Context) *tileReader {
	read := func(level int, number int64) (data []byte, err error) {
		err = s.reads.QueryRowContext(ctx, "SELECT hashes FROM audit_tiles WHERE level = ? AND number = ?", level, number).Scan(&data)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil, fmt.Errorf("%w: the audit's tree has no tile %d of level %d", errTiles, number, level)
		case err != nil:
			return nil, &unreadError{s.closedOr(err)}
		}
		return data, nil
	}
	return &tileReader{read: read, held: map[tlog.Tile][]byte{}}
}

// errTiles means that the tree's hashes were changed outside Callgate.
var errTiles = fmt.Errorf("%w: hashes of the tree", ErrAuditBroken)

// unreadError means that the store could not be read.
type unreadError struct{ error }

func (e *unreadError) Unwrap() error { return e.error }

// notAuthentic is an error of hashes verified up to the root: unless the store could not be read,
// they were changed.
func notAuthentic(err error) error {
	var unread *unreadError
	if err == nil || errors.Is(err, errTiles) || errors.As(err, &unread) {
		return err
	}
	return fmt.Errorf("%w: %w", errTiles, err)
}

// tileReader reads hashes out of the stored tiles. It implements tlog.HashReader, and
// tlog.TileReader.
type tileReader struct {
	read func(level int, number int64) ([]byte, error)
	held map[tlog.Tile][]byte
}

// maxTiles bounds the memory of a tileReader: about 2 MiB.
const maxTiles = 256

// ReadHashes implements tlog.HashReader. It trusts the tiles.
func (r *tileReader) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		t := tlog.TileForIndex(tileHeight, index)
		data, err := r.tile(t)
		if err != nil {
			return nil, err
		}
		if out[i], err = tlog.HashFromTile(t, data, index); err != nil {
			return nil, fmt.Errorf("%w: %w", errTiles, err)
		}
	}
	return out, nil
}

// tile is a stored tile, as wide as asked for.
func (r *tileReader) tile(t tlog.Tile) ([]byte, error) {
	key := tlog.Tile{L: t.L, N: t.N}
	data, ok := r.held[key]
	if !ok {
		var err error
		if data, err = r.read(t.L, t.N); err != nil {
			return nil, err
		}
		if len(r.held) >= maxTiles {
			clear(r.held)
		}
		r.held[key] = data
	}
	if len(data) < t.W*tlog.HashSize {
		return nil, fmt.Errorf("%w: tile %d of level %d is too short", errTiles, t.N, t.L)
	}
	return data[:t.W*tlog.HashSize], nil
}

// Height implements tlog.TileReader.
func (r *tileReader) Height() int { return tileHeight }

// ReadTiles implements tlog.TileReader.
func (r *tileReader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	out := make([][]byte, len(tiles))
	for i, t := range tiles {
		data, err := r.tile(t)
		if err != nil {
			return nil, err
		}
		out[i] = data
	}
	return out, nil
}

// SaveTiles implements tlog.TileReader.
func (r *tileReader) SaveTiles([]tlog.Tile, [][]byte) {}
