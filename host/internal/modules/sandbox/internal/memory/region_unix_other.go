//go:build unix && !linux

package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// noReserve is Linux's.
const noReserve = 0

// discardRange maps new memory over the range: the promises of madvise differ from system to
// system.
func discardRange(part []byte) bool {
	at := unsafe.Pointer(unsafe.SliceData(part))
	_, err := unix.MmapPtr(-1, 0, at, uintptr(len(part)), unix.PROT_READ|unix.PROT_WRITE, anonymous|noReserve|unix.MAP_FIXED)
	return err == nil
}
