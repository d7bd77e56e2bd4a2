//go:build unix

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// anonymous is memory of zeros that takes room only where it is touched.
const anonymous = unix.MAP_PRIVATE | unix.MAP_ANON

func mapRange(size int) []byte {
	all, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, anonymous|noReserve)
	if err != nil {
		return nil
	}
	return all
}

func unmapRange(all []byte) { _ = unix.Munmap(all) } // of a range that Mmap gave

// discardRange maps new memory over the range: what madvise promises differs
// from system to system.
func discardRange(part []byte) {
	at := unsafe.Pointer(unsafe.SliceData(part))
	if _, err := unix.MmapPtr(-1, 0, at, uintptr(len(part)), unix.PROT_READ|unix.PROT_WRITE, anonymous|noReserve|unix.MAP_FIXED); err != nil {
		clear(part)
	}
}
