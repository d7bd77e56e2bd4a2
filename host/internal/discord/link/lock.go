package link

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/machine/filelock"
	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// ErrInUse means: another daemon of this account has the same bot.
var ErrInUse = errors.New("another daemon uses the same Discord bot")

// TakeLock keeps two daemons of one account from using one bot: clicks would go to either of
// them. Its file is in dir, writable by this account only, and in each of the others that
// exists, is writable and differs: meeting places of daemons with directories of their own. Its
// name is derived from the token without revealing it. ErrInUse names the process holding it.
// RATIONALE.md, "Do two daemons with one bot meet?".
func TakeLock(dir, token string, others ...string) (release func(), err error) {
	var taken []*filelock.Lock
	release = func() {
		for _, lock := range taken {
			_ = lock.Release() // the kernel drops it in any case
		}
	}
	for _, place := range append([]string{dir}, elsewhere(dir, others)...) {
		lock, err := takeIn(place, token)
		if err != nil && place != dir && securedir.Unwritable(err) {
			continue // a service with read-only access to the account's home
		}
		if err != nil {
			release()
			return nil, err
		}
		taken = append(taken, lock)
	}
	return release, nil
}

// elsewhere are the existing directories different from dir and from each other.
func elsewhere(dir string, others []string) (found []string) {
	var known []fs.FileInfo
	if own, err := os.Stat(dir); err == nil {
		known = append(known, own)
	}
next:
	for _, other := range others {
		path, err := filepath.EvalSymlinks(other)
		if err != nil || path == filepath.Clean(dir) {
			continue // missing: no daemon uses it
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		for _, k := range known {
			if os.SameFile(k, info) {
				continue next
			}
		}
		known, found = append(known, info), append(found, path)
	}
	return found
}

func takeIn(dir, token string) (*filelock.Lock, error) {
	place, err := securedir.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("the lock of the Discord bot: %w", err)
	}
	path := place.Path(lockName(token))
	if err := place.Close(); err != nil {
		return nil, err
	}
	lock, err := filelock.Take(context.Background(), path, 0)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w: %s (%s): stop it, or give this one a bot of its own", ErrInUse, held.Holder, path)
	}
	if err != nil {
		return nil, fmt.Errorf("the lock of the Discord bot: %w", err)
	}
	return lock, nil
}

// lockName is the same for one token, and does not help to guess it: a token's last
// part alone has more than 160 bits.
func lockName(token string) string {
	sum := sha256.Sum256([]byte("callgate discord lock\x00" + token))
	return "discord-" + hex.EncodeToString(sum[:12]) + ".lock"
}

// OnThisMachine reports whether an address of the API is one of this machine: a trial's or a
// test's, not Discord's.
func OnThisMachine(apiURL string) bool {
	u, err := url.Parse(apiURL)
	return err == nil && loopback(u.Hostname())
}
