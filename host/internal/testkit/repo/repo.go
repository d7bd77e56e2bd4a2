// Package repo finds the files of this repository for tests of any package.
package repo

import (
	"os"
	"path/filepath"
	"sync"
)

// File is the absolute path of a file of the repository, by its parts from the root.
// Outside a checkout, where a test binary may run as another program, it is a relative
// path. Safe for concurrent use.
func File(parts ...string) string {
	return filepath.Join(append([]string{root()}, parts...)...)
}

// root is the directory with go.mod, this one or one above it; empty for none.
var root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
})
