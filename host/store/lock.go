package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// fileLock is the advisory lock that keeps two processes from writing one store.
// The kernel drops it when the process ends, however it ends; the file stays.
type fileLock struct{ f *os.File }

// lockPoll is how often a taken lock is tried again.
const lockPoll = 25 * time.Millisecond

// errHeld is tryLock's answer when another process has the lock.
var errHeld = errors.New("held")

// takeLock takes the lock at path, waiting at most wait for its holder to leave.
func takeLock(ctx context.Context, path string, wait time.Duration) (*fileLock, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, readOnly(err)
	}
	if err := waitLock(ctx, f, wait); err != nil {
		if errors.Is(err, errHeld) {
			err = fmt.Errorf("%w by %s: stop it, or talk to it instead of opening its store", ErrLocked, holder(f))
		}
		return nil, errors.Join(err, f.Close())
	}
	return &fileLock{f}, errors.Join(f.Truncate(0), writePID(f))
}

func waitLock(ctx context.Context, f *os.File, wait time.Duration) error {
	over := time.NewTimer(wait)
	defer over.Stop()
	again := time.NewTicker(lockPoll)
	defer again.Stop()
	for {
		err := tryLock(f)
		if !errors.Is(err, errHeld) {
			return err
		}
		select {
		case <-again.C:
		case <-over.C:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func writePID(f *os.File) error {
	_, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

// holder names the process that wrote its number into the lock file.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return "another process"
	}
	return "process " + pid
}

// release gives the lock back. The file is left, because removing it would let
// two processes lock two files of the same name.
func (l *fileLock) release() error { return l.f.Close() }
