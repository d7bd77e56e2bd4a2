package modules

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

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// id tells one .wasm file from all others.
type id struct {
	file     string // base name
	embedded bool   // in the binary, else in the operator's directory
}

// file is one .wasm file. Those of the directory are read once: the bytes hashed are the bytes
// compiled.
type file struct {
	id
	digest string
	size   int
	read   func() ([]byte, error) // nil when the file cannot be read
	// shipped finds compiled code, see sandbox.Source; nil for files of the directory.
	shipped func(name string) *io.SectionReader
}

func newFile(i id, data []byte) file {
	f := file{id: i, digest: sandbox.Digest(data), size: len(data)}
	if data != nil {
		f.read = func() ([]byte, error) { return data, nil }
	}
	return f
}

// The bounds of the directory's content, beside sandbox.MaxModuleBytes of each file.
const (
	maxFiles = 512       // modules in the directory
	maxBytes = 512 << 20 // of all of them
)

// fileName is the form of a module file's name in the directory: printable, and fit for a pin.
var fileName = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*\.wasm$`), 128}

// CheckFile refuses an invalid name of a file in the directory of modules.
func CheckFile(name string) error {
	if !fileName.MatchString(name) {
		return fmt.Errorf("file %s: want letters, digits, dots, dashes and underscores, ending in .wasm, at most 128", strconv.QuoteToASCII(name))
	}
	return nil
}

// Digests is an fs.FS with known digests of its files, in hex: decompressing two modules for
// their digests was a quarter of a warm start. An empty digest means: not known.
type Digests interface {
	fs.FS
	Digest(name string) string
}

// Shipped is an fs.FS that carries the files that Precompile made of its modules; see
// sandbox.Source.
type Shipped interface {
	fs.FS
	Shipped(name string) *io.SectionReader
}

// embeddedFile is a file of fsys, read when it has to be compiled if its digest is known.
func embeddedFile(fsys fs.FS, p string) (file, error) {
	i := id{path.Base(p), true}
	if known, ok := fsys.(Digests); ok && known.Digest(p) != "" {
		info, err := fs.Stat(fsys, p)
		if err != nil {
			return file{id: i}, err
		}
		f := file{id: i, digest: known.Digest(p), size: int(info.Size()), read: func() ([]byte, error) { return fs.ReadFile(fsys, p) }}
		if carries, ok := fsys.(Shipped); ok {
			f.shipped = carries.Shipped
		}
		return f, nil
	}
	data, err := fs.ReadFile(fsys, p)
	return newFile(i, data), err
}

// embeddedFiles lists the .wasm files of fsys, sorted by name.
func embeddedFiles(fsys fs.FS) (files []file, problems []Problem) {
	if fsys == nil {
		return nil, nil
	}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".wasm" {
			return err
		}
		f, err := embeddedFile(fsys, p)
		files = append(files, f)
		return err
	})
	if err != nil {
		problems = append(problems, Problem{"embedded modules", err})
	}
	if len(files) == 0 {
		problems = append(problems, Problem{"embedded modules", errNotBuilt})
	}
	return files, problems
}

var errNotBuilt = errors.New("this build has no tool modules; build it with: make build")

// directoryFiles reads the .wasm files of dir, sorted by name. Links and other special files, and
// unprintable names, are refused one by one; exceeding the bounds is an error. An absent directory
// is empty.
func directoryFiles(dir string) (files []file, problems []Problem, err error) {
	if dir == "" {
		return nil, nil, nil
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("modules directory: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	names, err := moduleNames(root)
	if err != nil {
		return nil, nil, fmt.Errorf("modules directory: %w", err)
	}
	total := 0
	for _, name := range names {
		if !fileName.MatchString(name) {
			name = strconv.QuoteToASCII(name)
			name = name[:min(len(name), 80)]
			problems = append(problems, Problem{name, errName})
			files = append(files, file{id: id{file: name}}) // listed, and nothing of it read
			continue
		}
		data, err := readModule(root, name)
		if err != nil {
			problems = append(problems, Problem{name, err})
		}
		if total += len(data); total > maxBytes {
			return nil, nil, fmt.Errorf("modules directory: its files have more than %d MiB in total; remove files that are not modules", maxBytes>>20)
		}
		files = append(files, newFile(id{file: name}, data))
	}
	return files, problems, nil
}

var errName = errors.New("not loaded: want a name of letters, digits, dots, dashes and underscores, at most 128")

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
		return nil, fmt.Errorf("it has %d modules, but the limit is %d; remove files that are not modules", len(names), maxFiles)
	}
	slices.Sort(names)
	return names, nil
}

// readModule reads the regular file with this name, not the target of a link.
func readModule(root *os.Root, name string) ([]byte, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("not a regular file (links and devices are not loaded)")
	}
	// A pipe in its place must not wait for a writer.
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
		return nil, errors.New("changed while it was being opened")
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
