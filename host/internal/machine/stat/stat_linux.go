//go:build linux && (amd64 || arm64)

package stat

import (
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// noFollow is AT_SYMLINK_NOFOLLOW.
const noFollow = 0x100

// here is AT_FDCWD: a relative path begins at the current directory.
const here = -100

// name is a path with its NUL, as long as the kernel reads one.
type name [4096]byte

var names = sync.Pool{New: func() any { return new(name) }}

func at(path string, st *syscall.Stat_t, flags int) error {
	var n *name
	switch {
	case len(path) >= len(n):
		return syscall.ENAMETOOLONG
	case strings.IndexByte(path, 0) >= 0:
		return syscall.EINVAL
	}
	n = names.Get().(*name) //nolint:forcetypeassert // it holds nothing else
	defer names.Put(n)
	n[copy(n[:], path)] = 0
	dir := here
	for {
		_, _, errno := syscall.Syscall6(number, uintptr(dir), uintptr(unsafe.Pointer(n)), uintptr(unsafe.Pointer(st)), uintptr(flags), 0, 0)
		switch errno {
		case 0:
			return nil
		case syscall.EINTR:
		default:
			return errno
		}
	}
}
