package memory

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Faults reports whether a call could have made copies of pages: only a page fault of its
// thread does. Two looks at the thread's count cost less than one at the page map. Only the
// call's goroutine uses it.
type Faults struct {
	usage  unix.Rusage
	before int64
	pinned bool
}

// Begin keeps the goroutine on its thread and starts to count.
func (f *Faults) Begin() {
	runtime.LockOSThread()
	f.pinned = true
	f.before = f.count()
}

// Unpin lets the goroutine move: the thread's count is meaningless from then on. Only the
// goroutine of Begin may call it. It may be called at any time.
func (f *Faults) Unpin() {
	if f.pinned {
		f.pinned = false
		runtime.UnlockOSThread()
	}
}

// End reports that there was no page fault since Begin; in doubt it is false.
func (f *Faults) End() (quiet bool) {
	if !f.pinned {
		return false
	}
	quiet = f.before >= 0 && f.count() == f.before
	f.Unpin()
	return quiet
}

// count is the number of the thread's page faults so far: minor ones, and major
// ones, where the image's page had to come back from swap. -1 is unknown.
func (f *Faults) count() int64 {
	_, _, errno := unix.RawSyscall(unix.SYS_GETRUSAGE, unix.RUSAGE_THREAD, uintptr(unsafe.Pointer(&f.usage)), 0)
	if errno != 0 {
		return -1
	}
	return int64(f.usage.Minflt) + int64(f.usage.Majflt)
}
