//go:build !linux && !darwin

package boundary

import "io/fs"

// Supported implements System.
func (l local) Supported() bool { return false }

func owner(fs.FileInfo) (uid, gid int) { return -1, -1 }

func hasACL(string, fs.FileInfo) (bool, error) { return false, nil }
