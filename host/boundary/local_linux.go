package boundary

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
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

// hasACL tells whether there is a POSIX access list, of this file or for what is
// made in this directory.
func hasACL(path string, _ fs.FileInfo) (bool, error) {
	for _, name := range []string{"system.posix_acl_access", "system.posix_acl_default", "system.nfs4_acl"} {
		_, err := unix.Lgetxattr(path, name, nil)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.ENODATA), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOENT), errors.Is(err, unix.EPERM):
		default:
			return false, fmt.Errorf("access list of %s: %w", path, err)
		}
	}
	return false, nil
}
