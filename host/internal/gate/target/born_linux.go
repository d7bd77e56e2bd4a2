package target

import (
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// born is when a file was made, as text; empty where the file system does not say.
func born(path string, _ fs.FileInfo) string {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st) != nil || st.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%09d", st.Btime.Sec, st.Btime.Nsec)
}

func stampOf(st *syscall.Stat_t) Stamp {
	return Stamp{Device: uint64(st.Dev), File: st.Ino, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano()} //nolint:unconvert // not of this type everywhere
}
