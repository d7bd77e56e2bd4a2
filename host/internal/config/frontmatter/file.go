package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
)

// maxFile bounds a chat's file, in bytes.
const maxFile = 16 << 20

// ReadFile reads a chat's file: a regular one of at most 16 MiB, without links on its path.
func ReadFile(path string) (string, error) {
	text, _, err := readFile(path)
	return string(text), err
}

func readFile(path string) ([]byte, os.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: not a regular file: links and devices are not followed", path)
	}
	// A pipe in its place must not make this wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(before, info) {
		return nil, nil, fmt.Errorf("%s: it was replaced while it was opened: try again", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(text) > maxFile {
		return nil, nil, fmt.Errorf("%s: more than %d bytes", path, maxFile)
	}
	return text, info, err
}

// EditFile replaces a chat's file by the result of edit, in one step and with its mode; without a
// change it writes nothing. The file must satisfy ReadFile.
func EditFile(path string, edit func(text string) (string, error)) (changed bool, err error) {
	text, info, err := readFile(path)
	if err != nil {
		return false, err
	}
	next, err := edit(string(text))
	if err != nil || next == string(text) {
		return false, err
	}
	part, err := atomicfile.Begin(path, []byte(next), func(f *os.File) error { return f.Chmod(info.Mode().Perm()) })
	if err != nil {
		return false, err
	}
	defer part.Discard()
	again, other, err := readFile(path)
	if err == nil && (!os.SameFile(info, other) || !bytes.Equal(text, again)) {
		err = errors.New("it was changed meanwhile: try again")
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return true, part.Place()
}
