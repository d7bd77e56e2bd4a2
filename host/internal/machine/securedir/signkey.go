package securedir

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
)

// SigningKey reads a private file with the seed of an Ed25519 key in hex, or makes one with mode
// 0600; made reports a new one. A damaged file is an error: a key is never replaced.
func SigningKey(path string) (key ed25519.PrivateKey, made bool, err error) {
	text, err := ReadFile(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		made = true
		seed := make([]byte, ed25519.SeedSize)
		_, _ = rand.Read(seed) // it never fails
		if err = atomicfile.Write(path, []byte(hex.EncodeToString(seed)+"\n"), nil); err == nil {
			text, err = ReadFile(path, 1<<10)
		}
	}
	if err != nil {
		return nil, false, err
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, false, fmt.Errorf("%s does not hold a key: restore a copy, or delete it, and a new key is made at the next start", path)
	}
	return ed25519.NewKeyFromSeed(seed), made, nil
}
