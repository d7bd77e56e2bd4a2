package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"syscall"

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

// The bounds of what is read, beside sandbox.MaxModuleBytes of each file.
const (
	maxFiles = 512       // modules in the directory
	maxBytes = 512 << 20 // of all of them
)

// fileName is what IsFile takes.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,122}\.wasm$`)

// IsFile reports whether a module's file in the directory may be called that: what can
// be told, and pinned.
func IsFile(name string) bool { return fileName.MatchString(name) }

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
// special files, and names that cannot be told, are refused one by one; more than
// the bounds allow is an error. An absent directory is empty.
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
	names, err := moduleNames(root)
	if err != nil {
		return nil, nil, fmt.Errorf("directory of tool modules: %w", err)
	}
	total := 0
	for _, name := range names {
		if !IsFile(name) {
			name = clip(strconv.QuoteToASCII(name))
			problems = append(problems, Problem{name, errName})
			files = append(files, file{name: name}) // listed, and nothing of it read
			continue
		}
		data, err := readModule(root, name)
		if err != nil {
			problems = append(problems, Problem{name, err})
		}
		if total += len(data); total > maxBytes {
			return nil, nil, fmt.Errorf("directory of tool modules: its modules have more than %d MiB: remove what is none of them", maxBytes>>20)
		}
		files = append(files, newFile(name, false, data))
	}
	return files, problems, nil
}

var errName = errors.New("not loaded: want a name of letters, digits, dots, dashes and underscores, at most 128")

// clip bounds what is told of a name.
func clip(name string) string { return name[:min(len(name), 80)] }

// moduleNames lists the .wasm files of a directory, sorted.
func moduleNames(root *os.Root) (names []string, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if path.Ext(e.Name()) == ".wasm" {
			names = append(names, e.Name())
		}
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("it has %d modules: at most %d: remove what is none of them", len(names), maxFiles)
	}
	slices.Sort(names)
	return names, nil
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
	// A pipe that took its place must not wait for a writer.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
	data, err := io.ReadAll(io.LimitReader(f, sandbox.MaxModuleBytes+1))
	if err == nil && len(data) > sandbox.MaxModuleBytes {
		err = fmt.Errorf("more than %d bytes", sandbox.MaxModuleBytes)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
