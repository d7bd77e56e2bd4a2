//go:build !unix

package target

import (
	"errors"
	"io/fs"
)

var errUnsupported = errors.New("paths cannot be resolved on this system yet: callgate supports Linux and macOS only")

// OS returns a file system that answers every question with an error: on this system no path
// can be resolved, so nothing is allowed because of its place.
func OS() FS { return noFS{} }

type noFS struct{}

func (noFS) Lstat(string) (fs.FileMode, error)     { return 0, errUnsupported }
func (noFS) Readlink(string) (string, error)       { return "", errUnsupported }
func (noFS) ReadSmall(string, int) ([]byte, error) { return nil, errUnsupported }
func (noFS) Names(string, int) ([]string, error)   { return nil, errUnsupported }
func (noFS) Mounts() (map[string]string, error)    { return nil, errUnsupported }
