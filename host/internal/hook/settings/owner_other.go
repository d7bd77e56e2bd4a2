//go:build !unix

package settings

import (
	"io/fs"
	"os"
)

// ownLike does nothing: a new file belongs to who makes it.
func ownLike(*os.File, fs.FileInfo) error { return nil }
