package memory

import "golang.org/x/sys/unix"

// noReserve keeps what is mapped and not touched out of the system's accounts.
const noReserve = unix.MAP_NORESERVE

// discardRange makes the range what it was when it was mapped: zeros, or an
// image's file. It cannot where the operator has locked the process's memory.
func discardRange(part []byte) bool { return unix.Madvise(part, unix.MADV_DONTNEED) == nil }
