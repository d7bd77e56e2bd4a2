package recipe

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/whole"
)

// Write puts the text that Apply returned in place of the configuration file at
// path, in one step. The file keeps its mode; a new one, and a new directory, are
// the account's alone.
func Write(path string, text []byte) error {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return whole.Write(path, text, func(f *os.File) error { return f.Chmod(mode) })
}
