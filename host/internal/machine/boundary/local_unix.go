//go:build linux || darwin

package boundary

import (
	"io/fs"
	"syscall"
)

// Supported implements System.
func (l local) Supported() bool { return true }

func owner(info fs.FileInfo) (uid, gid int) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -1
	}
	return int(st.Uid), int(st.Gid)
}
