package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/sandbox"
)

// file is one .wasm file, read once: the bytes hashed are the bytes compiled.
type file struct {
	name     string // base name
	embedded bool
	data     []byte
	digest   string // of data
}

func newFile(name string, embedded bool, data []byte) file {
	return file{name, embedded, data, sandbox.Digest(data)}
}

// maxFile is the largest file read; the sandbox's own limit may be lower.
const maxFile = 64 << 20

// embeddedFiles reads the .wasm files of fsys, sorted by name.
func embeddedFiles(fsys fs.FS) (files []file, problems []Problem) {
	if fsys == nil {
		return nil, nil
	}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".wasm" {
			return err
		}
		data, err := fs.ReadFile(fsys, p)
		files = append(files, newFile(path.Base(p), true, data))
		return err
	})
	if err != nil {
		problems = append(problems, Problem{"embedded modules", err})
	}
	if len(files) == 0 {
		problems = append(problems, Problem{"embedded modules", errors.New("this binary was built without its tool modules: run `make build`")})
	}
	return files, problems
}

// directoryFiles reads the .wasm files of dir, sorted by name. Links and other
// special files are refused one by one; an absent directory is empty.
func directoryFiles(dir string) (files []file, problems []Problem, err error) {
	if dir == "" {
		return nil, nil, nil
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("directory of tool modules: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, fmt.Errorf("directory of tool modules: %w", err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if path.Ext(e.Name()) != ".wasm" {
			continue
		}
		data, err := readModule(root, e.Name())
		if err != nil {
			problems = append(problems, Problem{e.Name(), err})
		}
		files = append(files, newFile(e.Name(), false, data))
	}
	return files, problems, nil
}

// readModule reads a regular file that is the one named, not what a link of
// that name points to.
func readModule(root *os.Root, name string) ([]byte, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("not a regular file: links and devices are not loaded")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, opened) {
		return nil, errors.New("changed while it was opened")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("more than %d bytes", maxFile)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
