package link

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/filelock"
	"github.com/callgate/callgate/host/internal/private"
)

// ErrInUse tells that another daemon of this account has the same bot.
var ErrInUse = errors.New("another daemon uses the same Discord bot")

// TakeLock keeps two daemons of one account from using one bot: clicks would go to
// either of them. Its file is in dir, which only this account can write, and is named
// after the token without telling it. ErrInUse names the process that has it.
func TakeLock(dir, token string) (release func(), err error) {
	place, err := private.Open(dir)
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
		return nil, fmt.Errorf("%w: %s: stop it, or give this one a bot of its own", ErrInUse, held.Holder)
	}
	if err != nil {
		return nil, fmt.Errorf("the lock of the Discord bot: %w", err)
	}
	return func() { _ = lock.Release() }, nil // the kernel drops it in any case
}

// lockName is the same for one token, and does not help to guess it: a token's last
// part alone has more than 160 bits.
func lockName(token string) string {
	sum := sha256.Sum256([]byte("callgate discord lock\x00" + token))
	return "discord-" + hex.EncodeToString(sum[:12]) + ".lock"
}
