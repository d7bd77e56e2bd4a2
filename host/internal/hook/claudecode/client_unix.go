//go:build unix

package claudecode

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// parentPatience is how often the parent is looked at, in milliseconds; the
// reader of the answer is waited for without looking.
const parentPatience = 1000

// WatchClient calls gone when the answer has no reader any more: the other end of stdout was
// closed, or the parent process has ended. A killed client ends no hook; without this its ask would
// wait on. It returns when ctx ends or gone was called.
func WatchClient(ctx context.Context, stdout *os.File, gone func()) {
	parent, fd := os.Getppid(), int32(stdout.Fd())
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: fd}} // errors and hang-ups are always told
		_, err := unix.Poll(fds, parentPatience)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // only the parent's end goes unnoticed, and the hook has its deadline
		}
		if fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 || os.Getppid() != parent {
			gone()
			return
		}
	}
}
