package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// The bytes of tool modules are in the store where several daemons share it. Elsewhere these
// must not be called.

// KeepModule stores the bytes of a tool module and its answer of describe, for the other daemons,
// under the SHA-256 of the bytes, in hex.
func (s *Store) KeepModule(ctx context.Context, wasm, description []byte) error {
	sum := sha256.Sum256(wasm)
	_, err := s.reads.ExecContext(ctx, `INSERT INTO modules (digest, wasm, description) VALUES (?, ?, ?)
		ON CONFLICT (digest) DO UPDATE SET kept_at = now(), description = excluded.description`, hex.EncodeToString(sum[:]), wasm, description)
	if err != nil {
		return fmt.Errorf("store module %x: %w", sum[:6], s.db.explain(s.closedOr(err)))
	}
	return nil
}

// HasModule reports whether there are bytes of this digest.
func (s *Store) HasModule(ctx context.Context, digest string) (found bool, err error) {
	err = s.reads.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM modules WHERE digest = ?)", digest).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("module %.12s: %w", digest, s.db.explain(s.closedOr(err)))
	}
	return found, nil
}

// Module returns the bytes stored by KeepModule. ErrNotFound when there are none; ErrForged when
// they have another digest.
func (s *Store) Module(ctx context.Context, digest string) (wasm, description []byte, err error) {
	err = s.reads.QueryRowContext(ctx, "SELECT wasm, description FROM modules WHERE digest = ?", digest).Scan(&wasm, &description)
	sum := sha256.Sum256(wasm)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = ErrNotFound
	case err != nil:
		err = s.db.explain(s.closedOr(err))
	case hex.EncodeToString(sum[:]) != digest:
		err = ErrForged
	}
	if err != nil {
		return nil, nil, fmt.Errorf("module %.12s: %w", digest, err)
	}
	return wasm, description, nil
}

// DropModules removes the bytes of all modules but those with these digests, and but those of the
// last hour: another daemon may be about to pin them.
func (s *Store) DropModules(ctx context.Context, needed []string) error {
	rows, err := s.reads.QueryContext(ctx, "SELECT digest FROM modules WHERE kept_at < now() - interval '1 hour'")
	if err != nil {
		return fmt.Errorf("remove modules: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	var old []string
	for rows.Next() {
		var digest string
		if err := rows.Scan(&digest); err != nil {
			return fmt.Errorf("remove modules: %w", err)
		}
		old = append(old, digest)
	}
	for _, digest := range old {
		if !slices.Contains(needed, digest) {
			_, err := s.reads.ExecContext(ctx, "DELETE FROM modules WHERE digest = ? AND kept_at < now() - interval '1 hour'", digest)
			if err != nil {
				return fmt.Errorf("remove modules: %w", s.closedOr(err))
			}
		}
	}
	return rows.Err()
}
