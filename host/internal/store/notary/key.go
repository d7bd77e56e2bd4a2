package notary

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/store/proof"
)

// KeyFile is the name of the key's file in the state directory.
const KeyFile = "audit.key"

// lastPath is the file with the newest checkpoint of this daemon. It stands beside the key and not in
// the store, so a store that went back, or was rewritten, shows.
func lastPath(state string) string { return filepath.Join(state, "audit.checkpoint") }

// readLast reads the newest checkpoint; empty for none.
func readLast(state string) (string, error) {
	text, err := securedir.ReadFile(lastPath(state), proof.MaxCheckpoint)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the last checkpoint of the audit log: %w", err)
	}
	return string(text), nil
}

// keep writes the newest checkpoint. The caller holds sealing.
func (n *Notary) keep(text string) error {
	if text == n.last {
		return nil
	}
	if err := atomicfile.Write(lastPath(n.c.State), []byte(text), nil); err != nil {
		return fmt.Errorf("keep the checkpoint: %w", err)
	}
	n.last = text
	return nil
}

// fingerprint is the SHA-256 of a public key in hex: people compare it.
func fingerprint(key ed25519.PrivateKey) string {
	sum := sha256.Sum256(key.Public().(ed25519.PublicKey))
	return hex.EncodeToString(sum[:])
}
