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

// SameOwner reports whether two files belong to one account.
func SameOwner(a, b fs.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	other, too := b.Sys().(*syscall.Stat_t)
	return ok && too && one.Uid == other.Uid
}

// Roots reports whether a file belongs to root.
func Roots(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}
