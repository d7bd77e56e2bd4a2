//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checksModes reports whether permission bits control writing to a file.
const checksModes = true

// ownedByUs reports whether this user or root owns the file.
func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())
}

func isReadOnlyFS(err error) bool { return errors.Is(err, syscall.EROFS) }
