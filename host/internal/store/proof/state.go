package proof

import (
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/store"
)

// State is an audit's newest checkpoint, with the key and the witnesses.
type State struct {
	// Checkpoint is signed by the daemon, for all rows up to Through.
	Checkpoint string `json:"checkpoint"`
	Through    int64  `json:"through"`
	Key        string `json:"key"`
	// Fingerprint is the SHA-256 of the key itself.
	Fingerprint string `json:"fingerprint"`
	// Seen is the newest checkpoint with signatures of witnesses; empty for none.
	Seen      string         `json:"seen,omitempty"`
	Witnesses []WitnessState `json:"witnesses"`
	// Since is the size of an earlier checkpoint, and Path proves that the audit begins with its
	// rows.
	Since int64        `json:"since,omitempty"`
	Path  []store.Hash `json:"path,omitempty"`
}

// WitnessState is how a witness answered last.
type WitnessState struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	URL  string `json:"url"`
	// At and Rows are of its last signature; zero before the first.
	At   time.Time `json:"at,omitzero"`
	Rows int64     `json:"rows,omitempty"`
	// Error is why it has not signed the newest checkpoint it was sent; empty when it has.
	Error string `json:"error,omitempty"`
}

// Extends verifies that the audit begins with all rows of an earlier checkpoint, unchanged. The
// state was asked for since the size of it.
func (s State) Extends(old Checkpoint, key Key) error {
	now, err := Open(s.Checkpoint, key)
	if err != nil {
		return err
	}
	var path tlog.TreeProof
	for _, h := range s.Path {
		path = append(path, tlog.Hash(h))
	}
	switch {
	case old.Size > now.Size:
		return fmt.Errorf("%w: the audit has %d rows, the earlier checkpoint %d: rows were lost", ErrCheckpoint, now.Size, old.Size)
	case s.Since != old.Size:
		return fmt.Errorf("%w: the daemon answered for %d rows, not %d", ErrCheckpoint, s.Since, old.Size)
	case old.Size > 0 && tlog.CheckTree(path, now.Size, now.Root, old.Size, old.Root) != nil:
		return fmt.Errorf("%w: the audit does not begin with the %d rows of the earlier checkpoint: it was rewritten", ErrCheckpoint, old.Size)
	}
	return nil
}
