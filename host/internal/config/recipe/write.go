package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
)

// Write replaces the configuration file at path, in one step, by a result of Apply or Merge made
// from was; was is empty for a new file. A file changed since then stays as it is. The file keeps
// its mode; a new one, and a new directory, are the account's alone.
func Write(path string, was, text []byte) error {
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, was) {
		return fmt.Errorf("%s was changed meanwhile: look at it and try again", path)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, text, func(f *os.File) error { return f.Chmod(mode) })
}
