package memory

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Faults tells whether a call could have made copies of pages: only a page
// fault of the thread that runs it does. Asking twice for the thread's count
// costs less than looking at the page map once. The goroutine that runs the call
// uses it.
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

// Unpin lets the goroutine move: what the thread took is not known any more.
// Only the goroutine that began may call it. It may be called at any time.
func (f *Faults) Unpin() {
	if f.pinned {
		f.pinned = false
		runtime.UnlockOSThread()
	}
}

// End tells whether there was no page fault since Begin; false is
// also what it says when it does not know.
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
