//go:build unix

package private

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file belongs to this account or to root.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
