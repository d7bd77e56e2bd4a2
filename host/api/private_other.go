//go:build !unix

package api

import (
	"io"
	"io/fs"
	"os"
	"strings"
)

// Elsewhere the system's own access lists of the user's directories hold.
const checksModes = false

const noFollow = 0

func ours(fs.FileInfo) bool { return true }

func roots(fs.FileInfo) bool { return false }

func isRefused(err error) bool { return strings.Contains(err.Error(), "refused") }

func isInUse(err error) bool {
	return strings.Contains(err.Error(), "Only one usage of each socket address")
}

// lockFile opens the file; without locks the answer of a live daemon alone keeps
// a second one away.
func lockFile(path string) (io.Closer, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}
