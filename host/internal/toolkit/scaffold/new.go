package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// NewOptions describe New's project.
type NewOptions struct {
	// Dir is where; it need not be there, and must be empty when it is.
	Dir string
	// Name is the project's and the module's name: lower-case letters, digits and
	// dashes, 64 at most.
	Name string
	// Language is a name or alias of Languages.
	Language string
	// SDK are the sources of the SDKs: one directory per language, and deploy/ with
	// the cases.
	SDK fs.FS
	// Taken are reserved names of tools.
	Taken []string
}

// New writes the project and returns its files, relative to Dir and sorted. It changes no
// existing file: a Dir with anything in it is an error, and after any error New's files are
// gone again.
func New(o NewOptions) (files []string, err error) {
	l, err := find(o.Language)
	if err != nil {
		return nil, err
	}
	if err := checkName(o.Name, o.Taken); err != nil {
		return nil, err
	}
	if o.SDK == nil {
		return nil, errors.New("the sources of the SDKs were not given")
	}
	contents, err := project(l, o)
	if err != nil {
		return nil, err
	}
	made, err := emptyDir(o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			clear(o.Dir, files, made)
			files = nil
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		if err := write(filepath.Join(o.Dir, filepath.FromSlash(name)), contents[name]); err != nil {
			return files, err
		}
		files = append(files, name)
	}
	return files, nil
}

// emptyDir makes the directory, or finds it empty; made is true for a new one.
func emptyDir(dir string) (made bool, err error) {
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return true, os.MkdirAll(dir, 0o755)
	case err != nil:
		return false, err
	case len(entries) > 0:
		return false, fmt.Errorf("%s is not empty: it holds %s; nothing was written. Choose another directory with --dir, or another name", dir, entries[0].Name())
	}
	return false, nil
}

// write makes a new file.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// clear removes New's files, and the directories empty then.
func clear(dir string, files []string, made bool) {
	dirs := map[string]bool{}
	for _, name := range files {
		_ = os.Remove(filepath.Join(dir, name)) // the error's file shows the rest
		for up := filepath.Dir(name); up != "."; up = filepath.Dir(up) {
			dirs[up] = true
		}
	}
	if made {
		dirs["."] = true
	}
	for _, d := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		_ = os.Remove(filepath.Join(dir, d)) // fails where others put something
	}
}
