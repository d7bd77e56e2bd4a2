//go:build unix

package runner

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// parentPatience is how often the parent is looked at, in milliseconds; the
// readers of the answer are waited for without looking.
const parentPatience = 1000

// unwatched is how long a hook runs without a look at its client: most calls are decided before, and
// the look keeps a thread.
const unwatched = 50 * time.Millisecond

// WatchClient calls gone when the answer has no reader any more: the other end of stdout or of
// stderr was closed, or the parent process has ended. Behind a shell that holds the answer back,
// only stderr is the client's. A killed client ends no hook; without this its ask would
// wait on. It returns when ctx ends or gone was called.
func WatchClient(ctx context.Context, stdout, stderr *os.File, gone func()) {
	parent, closed := os.Getppid(), int16(unix.POLLERR|unix.POLLHUP)
	if wait(ctx, unwatched) != nil {
		return
	}
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(stdout.Fd())}, {Fd: int32(stderr.Fd())}} // errors and hang-ups are always told
		_, err := unix.Poll(fds, parentPatience)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // only the parent's end goes unnoticed, and the hook has its deadline
		}
		if fds[0].Revents&(closed|unix.POLLNVAL) != 0 || fds[1].Revents&closed != 0 || os.Getppid() != parent {
			gone()
			return
		}
	}
}
