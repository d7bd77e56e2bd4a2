//go:build !unix

package protect

import (
	"os"

	"github.com/callgate/callgate/engine"
)

// isFile reports whether a path leads to a known file.
func isFile(p string, known os.FileInfo) bool {
	info, err := os.Stat(p)
	return err == nil && os.SameFile(info, known)
}

// exists reports whether there is anything at a path; a link is not followed.
func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// linked knows nothing of files of several names on this system: paths alone
// are judged.
func (j *judge) linked(engine.Target) string { return "" }
