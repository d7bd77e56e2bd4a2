// Package filelock keeps two processes from using one thing at a time, with an
// advisory lock on a file. The kernel drops it when the process ends, however it ends;
// the file stays, because removing it would let two processes lock two files of the
// same name.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Lock is a taken lock.
type Lock struct{ f *os.File }

// HeldError means another process has the lock.
type HeldError struct {
	// Holder names it: "process 123", or "another process" when it did not say.
	Holder string
}

// Error implements error.
func (e *HeldError) Error() string { return "held by " + e.Holder }

// poll is how often a taken lock is tried again.
const poll = 25 * time.Millisecond

// errHeld is try's answer when another process has the lock.
var errHeld = errors.New("held")

// Take takes the lock at path, making the file with mode 0600, and writes the number of this
// process into it. It waits at most wait for its holder to leave; then the error is a *HeldError.
// The caller has checked the place before.
func Take(ctx context.Context, path string, wait time.Duration) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := waitFor(ctx, f, wait); err != nil {
		if errors.Is(err, errHeld) {
			err = &HeldError{holder(f)}
		}
		return nil, errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

func waitFor(ctx context.Context, f *os.File, wait time.Duration) error {
	over := time.NewTimer(wait)
	defer over.Stop()
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		err := try(f)
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

// holder names the process of the number in the lock file.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return "another process"
	}
	return "process " + pid
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.f.Close() }
