//go:build unix && !linux && !darwin

package target

import "io/fs"

// born is when a file was made, as text; empty where the file system does not say.
func born(string, fs.FileInfo) string { return "" }
