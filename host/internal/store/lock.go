package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/machine/filelock"
)

// takeLock takes the lock at path, waiting at most wait for its holder to leave. It keeps two
// processes from writing one store.
func takeLock(ctx context.Context, path string, wait time.Duration) (*filelock.Lock, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	lock, err := filelock.Take(ctx, path, wait)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%w by %s: stop it, or talk to it instead of opening its store", ErrLocked, held.Holder)
	}
	if err != nil {
		return nil, readOnly(err)
	}
	return lock, nil
}
