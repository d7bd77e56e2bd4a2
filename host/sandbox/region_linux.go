package sandbox

import "golang.org/x/sys/unix"

// noReserve keeps what is mapped and not touched out of the system's accounts.
const noReserve = unix.MAP_NORESERVE

// discardRange makes the range what it was when it was mapped: zeros, or an
// image's file.
func discardRange(part []byte) {
	if unix.Madvise(part, unix.MADV_DONTNEED) != nil {
		clear(part) // never seen: the range is ours and made of whole pages
	}
}
