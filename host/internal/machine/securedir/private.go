// Package securedir keeps files with trusted contents, compiled code and verdicts on modules, out
// of others' reach. All of it goes through the handle of a directory checked once, so later renames
// and links change nothing. Threat T18.
package securedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrUnsafe marks a place others could have filled. The host keeps nothing in it until its owner
// has looked at it.
var ErrUnsafe = errors.New("not safe to use")

// Unwritable reports whether an error only means a place cannot keep files, not that others could
// have written there: it costs no more than time.
func Unwritable(err error) bool {
	if errors.Is(err, ErrUnsafe) {
		return false
	}
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// ChecksModes reports whether modes and owners of files mean the same as on Unix.
const ChecksModes = runtime.GOOS != "windows" && runtime.GOOS != "plan9"

// Dir is a directory only this account, and root, can have filled. It is safe for concurrent use,
// by several processes too.
type Dir struct {
	root *os.Root
	path string
}

// Open makes the directory and its parents with mode 0700, or takes an existing one. It must not be
// a link, must belong to this account or root, and others must not write to it; the directories
// above must not belong to others, nor be writable by everybody, unless sticky like /tmp. Otherwise
// the error is ErrUnsafe. On Windows only links are looked at.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := checkDirectory(path, info); err != nil {
		return nil, err
	}
	if err := checkParents(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return opened(path, info, func() (*os.Root, error) { return os.OpenRoot(path) })
}

// opened makes sure the opened directory is the checked one.
func opened(path string, checked fs.FileInfo, open func() (*os.Root, error)) (*Dir, error) {
	root, err := open()
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && !os.SameFile(info, checked) {
		err = fmt.Errorf("%w: %s was exchanged while it was opened", ErrUnsafe, path)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{root: root, path: path}, nil
}

// Sub opens a directory in d, made with mode 0700, under the same conditions.
func (d *Dir) Sub(name string) (*Dir, error) {
	if err := d.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	path := d.Path(name)
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if err := checkDirectory(path, info); err != nil {
		return nil, err
	}
	return opened(path, info, func() (*os.Root, error) { return d.root.OpenRoot(name) })
}

// Close lets go of the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Path is where a file of the directory is, for messages.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

func checkDirectory(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a link: name the directory it points to", ErrUnsafe, path)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", path)
	case !Ours(info):
		return fmt.Errorf("%w: %s belongs to another account", ErrUnsafe, path)
	case ChecksModes && mode.Perm()&0o022 != 0:
		return fmt.Errorf("%w: others can write %s (mode %04o): remove what it holds, then run chmod 700 %[2]s", ErrUnsafe, path, mode.Perm())
	}
	return nil
}

// checkParents looks at each directory up to the root, once as written and once
// with links followed: who may change one of them may put another one there.
func checkParents(path string) error {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for _, from := range []string{path, resolved} {
		for dir := from; ; dir = filepath.Dir(dir) {
			if err := checkParent(dir); err != nil {
				return err
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}

func checkParent(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	mode := info.Mode()
	switch {
	case !Ours(info):
		return fmt.Errorf("%w: %s belongs to another account", ErrUnsafe, path)
	case !ChecksModes, mode&(fs.ModeSymlink|fs.ModeSticky) != 0:
		return nil
	case mode.Perm()&0o002 != 0:
		return fmt.Errorf("%w: everybody can write %s (mode %04o): run chmod o-w %[2]s, or name another place", ErrUnsafe, path, mode.Perm())
	}
	return nil
}

// exchanges is how often a file may be replaced, as Write does, while it is opened.
const exchanges = 10

// Read returns a file of at most most bytes. A link, and a file others own or can write, is
// ErrUnsafe.
func (d *Dir) Read(name string, most int64) ([]byte, error) {
	f, info, err := d.openFile(name, 0o022)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	if info.Size() > most {
		return nil, fmt.Errorf("%s: %d bytes: at most %d", d.Path(name), info.Size(), most)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Path(name), err)
	}
	return data, nil
}

// openFile opens and checks the named file, not the target of a link.
func (d *Dir) openFile(name string, forbidden fs.FileMode) (*os.File, fs.FileInfo, error) {
	for range exchanges {
		before, err := d.root.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if err := d.checkFile(name, before, forbidden); err != nil {
			return nil, nil, err
		}
		// A pipe in its place must not wait for a writer.
		f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		if err == nil && os.SameFile(before, info) {
			return f, info, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("%w: %s is exchanged all the time", ErrUnsafe, d.Path(name))
}

// checkFile accepts only a plain file of ours; none of the mode's bits in forbidden may be set.
func (d *Dir) checkFile(name string, info fs.FileInfo, forbidden fs.FileMode) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return fmt.Errorf("%w: %s is not a regular file (%s)", ErrUnsafe, d.Path(name), mode.Type())
	case !Ours(info):
		return fmt.Errorf("%w: %s belongs to another account", ErrUnsafe, d.Path(name))
	case ChecksModes && mode.Perm()&forbidden != 0:
		return fmt.Errorf("%w: %s has mode %04o", ErrUnsafe, d.Path(name), mode.Perm())
	}
	return nil
}

// Exists reports whether there is a file of this name, with any content.
func (d *Dir) Exists(name string) bool {
	info, err := d.root.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// partPrefix begins the names of unfinished files.
const partPrefix = ".part-"

// Write writes a file in one step, mode 0600, from its parts. An existing one is replaced; a link
// is not followed. A caller syncs if the file must outlive a power failure.
func (d *Dir) Write(name string, sync bool, parts ...[]byte) error {
	return d.place(name, sync, d.root.Rename, parts)
}

// place writes a file under another name and moves it.
func (d *Dir) place(name string, sync bool, move func(from, to string) error, parts [][]byte) (err error) {
	part := partPrefix + randomName()
	f, err := d.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = d.root.Remove(part) // err says more
		}
	}()
	for _, p := range parts {
		if _, werr := f.Write(p); werr != nil {
			return errors.Join(werr, f.Close())
		}
	}
	if sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return move(part, name)
}

// Remove removes a file, or a directory with all it holds.
func (d *Dir) Remove(name string) error { return d.root.RemoveAll(name) }

// Files lists the finished files, and removes part files left behind by dead processes.
func (d *Dir) Files() ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil: // gone by now
		case strings.HasPrefix(e.Name(), partPrefix):
			d.removeOld(info)
		default:
			files = append(files, info)
		}
	}
	return files, nil
}
