package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ready has the system give a range its pages now, to be written to. It is a hint: a system that
// does not know it gives each page at its first use. RATIONALE.md, "Why are pages asked for before
// they are used?".
func Ready(b []byte) {
	page := uintptr(SystemPage)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	from, to := (at+page-1)&^(page-1), (at+uintptr(len(b)))&^(page-1)
	if from < to {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_HUGEPAGE)
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_POPULATE_WRITE)
	}
}

// Scratch returns n bytes beside Go's heap, their pages ready, and what gives them back. Nothing may
// use them after that.
func Scratch(n int) (b []byte, free func()) {
	if n > 0 {
		b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err == nil {
			Ready(b)
			return b, func() { _ = unix.Munmap(b) } // of Mmap's result
		}
	}
	return make([]byte, n), func() {}
}
