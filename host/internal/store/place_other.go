//go:build !unix

package store

import "io/fs"

// checksModes is false: permission bits say nothing here. On Windows the store
// is as private as the user's profile directory.
const checksModes = false

func ownedByUs(fs.FileInfo) bool { return true }

func isReadOnlyFS(error) bool { return false }
