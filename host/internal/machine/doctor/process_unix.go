//go:build unix

package doctor

import (
	"os"
	"syscall"
)

// checksModes reports whether permission bits control the use of a file.
const checksModes = true

// owner is the account of a file.
func owner(info os.FileInfo) (uid int, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// free is how many bytes an account without privileges may still write.
func free(dir string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}
