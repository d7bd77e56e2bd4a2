package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
)

// Result is the result for a settings file.
type Result struct {
	// File is the path as it was given, Real the file behind its links.
	File string `json:"file"`
	Real string `json:"real,omitempty"`
	// Backup is the copy of the former content; empty when there is none.
	Backup string `json:"backup,omitempty"`
	// Added, Updated, Removed and Same are events.
	Added   []string `json:"added,omitempty"`
	Updated []string `json:"updated,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Same    []string `json:"same,omitempty"`
	// Restored means the file has its former content again, Deleted that it is gone as before,
	// Written that anything was changed at all.
	Restored bool `json:"restored,omitempty"`
	Deleted  bool `json:"deleted,omitempty"`
	Written  bool `json:"written"`
	// Alone means the file is managed settings against every other hook.
	Alone bool `json:"alone,omitempty"`
	// Text is the file's would-be content, of a dry install alone.
	Text string `json:"text,omitempty"`
}

// errChanged is a file changed by another program at the same moment.
var errChanged = errors.New("another program has just changed the file; run the command again")

// backupSuffix follows the file's name in the name of its backup.
const backupSuffix = ".before-callgate"

// InstallFile puts the hooks into the file at path (see Install) and makes it and its directory
// when they are missing. The content before the first install is kept beside it. Links are
// followed, mode and owner kept; the new text replaces the old in one step. A new file of scope
// Managed can be read by every account, any other by its own alone; with e.Alone it stops every
// other hook; an existing file decides this itself. dry changes nothing and returns the would-be
// result.
func InstallFile(path string, scope Scope, e Entry, dry bool) (Result, error) {
	t, err := openTarget(path)
	if err != nil {
		return Result{}, err
	}
	t.shared, t.client = scope == Managed, e.Client
	from := t.text
	if t.shared && e.Alone && t.info == nil {
		from = e.Client.bases()[0]
	}
	c, err := Install(path, from, e)
	if err != nil {
		return Result{}, err
	}
	r := t.result(c)
	if r.Alone, err = t.alone(c.Text); err != nil {
		return Result{}, err
	}
	if bytes.Equal(c.Text, t.text) {
		return r, nil
	}
	first, err := t.first()
	if err != nil {
		return Result{}, err
	}
	if first && t.info != nil {
		r.Backup = t.backup()
	}
	if dry {
		r.Text = string(c.Text)
		return r, nil
	}
	if r.Backup != "" && first {
		if err := t.replace(r.Backup, t.text); err != nil {
			return Result{}, fmt.Errorf("keep a copy of %s: %w", path, err)
		}
	}
	if err := t.write(c.Text); err != nil {
		return Result{}, fmt.Errorf("write %s: %w", path, err)
	}
	r.Written = true
	return r, nil
}

// UninstallFile removes the hooks from the file at path (see Uninstall). The backup is removed when
// the file has its former content again.
func UninstallFile(client Client, path string, dry bool) (Result, error) {
	t, err := openTarget(path)
	if err != nil {
		return Result{}, err
	}
	before, err := t.before()
	if err != nil {
		return Result{}, err
	}
	c, err := Uninstall(client, path, t.text, before)
	if err != nil {
		return Result{}, err
	}
	r := t.result(c)
	r.Restored, r.Deleted = c.Restored, c.Delete
	if before.Known {
		r.Backup = t.backup()
	}
	if len(c.Removed) == 0 || dry {
		return r, nil
	}
	if c.Delete {
		err = t.delete()
	} else {
		err = t.write(c.Text)
	}
	if err != nil {
		return Result{}, fmt.Errorf("write %s: %w", path, err)
	}
	r.Written = true
	if c.Restored {
		r.Backup = ""
		err = os.Remove(t.backup())
	}
	return r, err
}

// target is a settings file about to be changed.
type target struct {
	client     Client
	path, real string
	text       []byte
	info       fs.FileInfo // nil when there is no file
	shared     bool        // a new file is for every account
}

func openTarget(path string) (*target, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	t := &target{path: path, real: path}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if t.real, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("settings %s: follow the link: %w", path, err)
	}
	if t.info, err = os.Stat(t.real); err != nil {
		return nil, err
	}
	if t.text, err = load(t.real); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if t.info.Mode().Perm()&0o200 == 0 {
		return nil, fmt.Errorf("settings %s are read-only (mode %04o); make them writable first, or choose another file with --settings", path, t.info.Mode().Perm())
	}
	return t, nil
}

// alone reports whether the text, as managed settings, lets no other hook run.
func (t *target) alone(text []byte) (bool, error) {
	d, err := parse(t.path, text)
	if err != nil || !t.shared {
		return false, err
	}
	only, err := d.boolean("allowManagedHooksOnly")
	return only != nil && *only, err
}

func (t *target) backup() string { return t.real + backupSuffix }

// first reports whether the file holds no hook of ours yet.
func (t *target) first() (bool, error) {
	own, err := (&editor{t.client, t.path, t.text}).own("")
	return len(own) == 0, err
}

func (t *target) before() (Before, error) {
	text, err := load(t.backup())
	if errors.Is(err, fs.ErrNotExist) {
		return Before{}, nil
	}
	if err != nil {
		return Before{}, fmt.Errorf("read the backup of the previous file: %w", err)
	}
	return Before{Known: true, Text: text}, nil
}

func (t *target) result(c Change) Result {
	r := Result{File: t.path, Added: c.Added, Updated: c.Updated, Removed: c.Removed, Same: c.Same}
	if t.real != t.path {
		r.Real = t.real
	}
	return r
}

// write replaces the file's text, unless the file has changed since it was read.
func (t *target) write(text []byte) error {
	if err := t.unchanged(); err != nil {
		return err
	}
	return t.replace(t.real, text)
}

func (t *target) delete() error {
	if err := t.unchanged(); err != nil {
		return err
	}
	return atomicfile.Remove(t.real)
}

func (t *target) unchanged() error {
	now, err := load(t.real)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.info == nil:
		return nil
	case err != nil:
		return err
	case t.info == nil || !bytes.Equal(now, t.text):
		return errChanged
	}
	return nil
}

// replace puts a text in place of the file at path, with the mode and owner of the
// settings file.
func (t *target) replace(path string, text []byte) error {
	if err := t.makeDirectory(filepath.Dir(path)); err != nil {
		return err
	}
	return atomicfile.Write(path, text, t.keep)
}

// keep gives a new file the mode and owner of the old one; without an old one, the owner of its
// directory, so a person can read root's files in their directory.
func (t *target) keep(f *os.File) error {
	like := t.info
	if like == nil {
		info, err := os.Stat(filepath.Dir(f.Name()))
		if err != nil {
			return err
		}
		return errors.Join(ownLike(f, info), f.Chmod(t.mode(0o600)))
	}
	return errors.Join(ownLike(f, like), f.Chmod(like.Mode().Perm()))
}

// mode is a new file's or directory's: private, unless it is for everybody.
func (t *target) mode(private fs.FileMode) fs.FileMode {
	if t.shared {
		return private | private>>3&0o055 | private>>6&0o055 // the owner's rights, but for writing
	}
	return private
}

// makeDirectory makes dir, like its parent in owner.
func (t *target) makeDirectory(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := t.makeDirectory(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(parent)
	if err != nil {
		return err
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(ownLike(f, info), f.Chmod(t.mode(0o700)), f.Close())
}
