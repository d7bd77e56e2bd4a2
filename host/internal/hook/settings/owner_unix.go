//go:build unix

package settings

import (
	"io/fs"
	"os"
	"syscall"
)

// ownLike gives f the owner of like, where root may.
func ownLike(f *os.File, like fs.FileInfo) error {
	st, ok := like.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
