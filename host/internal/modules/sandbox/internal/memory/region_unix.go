//go:build unix

package memory

import "golang.org/x/sys/unix"

// anonymous is memory of zeros, taking room only where it is touched.
const anonymous = unix.MAP_PRIVATE | unix.MAP_ANON

func mapRange(size int) []byte {
	all, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, anonymous|noReserve)
	if err != nil {
		return nil
	}
	return all
}

func unmapRange(all []byte) { _ = unix.Munmap(all) } // of a range from Mmap
