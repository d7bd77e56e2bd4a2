package target

import (
	"fmt"
	"io/fs"
	"syscall"
)

// born is when a file was made, as text; empty where the file system does not say.
func born(_ string, info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%09d", st.Birthtimespec.Sec, st.Birthtimespec.Nsec)
}

func stampOf(st *syscall.Stat_t) Stamp {
	return Stamp{Device: uint64(st.Dev), File: st.Ino, Modified: st.Mtimespec.Nano(), Changed: st.Ctimespec.Nano()}
}
