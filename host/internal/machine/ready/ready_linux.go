package ready

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Pages has the system give a range its pages now, to be written to, in large ones where it can. It is
// a hint: a system that does not know it gives each page at its first use.
func Pages(b []byte) {
	from, to := whole(b)
	advise(from, to, unix.MADV_HUGEPAGE)
	advise(from, to, unix.MADV_POPULATE_WRITE)
}

// Scratch returns n bytes beside Go's heap, their pages ready, and what gives them back. Nothing may
// use them after that.
func Scratch(n int) (b []byte, free func()) {
	if n > 0 {
		b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err == nil {
			Pages(b)
			return b, func() { _ = unix.Munmap(b) } // of Mmap's result
		}
	}
	return make([]byte, n), func() {}
}

// chunk is what Go's heap grows by.
const chunk = 4 << 20

// probe keeps an object on the heap.
var probe *[4096]byte

// Heap is Pages for the rest of the chunk that Go's heap is in: the initialisers of a large program use
// most of it.
func Heap() {
	probe = new([4096]byte)
	from, _ := whole(probe[:])
	advise(from, from|(chunk-1)+1, unix.MADV_POPULATE_WRITE)
	probe = nil
}

// whole are the whole pages of a range.
func whole(b []byte) (from, to uintptr) {
	page := uintptr(unix.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return (at + page - 1) &^ (page - 1), (at + uintptr(len(b))) &^ (page - 1)
}

// advise gives a hint; nothing depends on its result.
func advise(from, to uintptr, advice uintptr) {
	if from < to {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, advice)
	}
}
