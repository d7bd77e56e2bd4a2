//go:build unix

package securedir

import (
	"io/fs"
	"os"
	"syscall"
)

// NoFollow makes an open refuse a symbolic link at the end of a path, and not block, so a named
// pipe in a file's place cannot stop it.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// Ours reports whether a file belongs to this account or to root.
func Ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}

// Roots reports whether a file belongs to root.
func Roots(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}
