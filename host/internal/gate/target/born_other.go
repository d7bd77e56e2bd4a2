//go:build unix && !linux && !darwin

package target

import (
	"io/fs"
	"syscall"
)

// born is when a file was made, as text; empty where the file system does not say.
func born(string, fs.FileInfo) string { return "" }

// stampOf knows no portable name for the time of the last change.
func stampOf(*syscall.Stat_t) Stamp { return Stamp{} }
