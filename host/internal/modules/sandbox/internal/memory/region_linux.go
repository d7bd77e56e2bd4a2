package memory

import "golang.org/x/sys/unix"

// noReserve keeps mapped, untouched memory out of the system's accounts.
const noReserve = unix.MAP_NORESERVE

// discardRange returns the range to its state after mapping: zeros, or an image's file. It
// cannot where the operator has locked the process's memory.
func discardRange(part []byte) bool { return unix.Madvise(part, unix.MADV_DONTNEED) == nil }
