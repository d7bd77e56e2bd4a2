//go:build !unix

package securedir

import "io/fs"

// NoFollow is nothing here.
const NoFollow = 0

// Ours cannot be told where files have no owner by number: a directory below
// the account's own is as private as the account.
func Ours(fs.FileInfo) bool { return true }

// SameOwner cannot be told here.
func SameOwner(fs.FileInfo, fs.FileInfo) bool { return true }

// Roots cannot be told here.
func Roots(fs.FileInfo) bool { return false }
