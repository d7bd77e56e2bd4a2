//go:build !unix

package api

import (
	"io"
	"os"
	"strings"
)

func isInUse(err error) bool {
	return strings.Contains(err.Error(), "Only one usage of each socket address")
}

// lockFile opens the file; without locks the answer of a live daemon alone keeps
// a second one away.
func lockFile(path string) (io.Closer, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}
