package boundary

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// hasACL reports whether there is a POSIX access list, of this file or for new files in this
// directory.
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
