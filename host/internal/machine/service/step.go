package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// Action is one step as shown to people.
type Action struct {
	// Do is the action: "make account", "make directory", "write file", ...
	Do string `json:"do"`
	// Path, Mode, Owner and Content describe a file or directory. It omits a program's or
	// secret's content.
	Path    string `json:"path,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Content string `json:"content,omitempty"`
	// Command is the command to run.
	Command []string `json:"command,omitempty"`
	// Unchanged marks a step without a change.
	Unchanged bool `json:"unchanged,omitempty"`
	// Note is further information.
	Note string `json:"note,omitempty"`
}

// step is one part of an installation.
type step interface {
	// look describes the step's change without making it. An error makes the installation
	// impossible.
	look(*job) (Action, error)
	// do does it, unless look finds nothing to do. undo reverts it.
	do(ctx context.Context, j *job) (m *made, undo func() error, err error)
}

// job is an installation under way.
type job struct {
	Options
	layout  layout
	old     *record // of an earlier installation
	changed bool    // a step has changed something
}

// uid returns the numbers of an account by name; "" is the installing account.
func (j *job) ids(owner string) (uid, gid int, err error) {
	if owner == "" {
		return -1, -1, nil
	}
	a, err := j.System.Account(owner)
	if err != nil {
		return 0, 0, fmt.Errorf("account %s: %w", owner, err)
	}
	if len(a.Groups) == 0 {
		return 0, 0, fmt.Errorf("account %s has no group", owner)
	}
	return a.UID, a.Groups[0].GID, nil
}

// own gives a file to its owner. Without an owner it stays with who installs.
func (j *job) own(path, owner string) error {
	uid, gid, err := j.ids(owner)
	if err != nil || owner == "" {
		return err
	}
	return j.Chown(path, uid, gid)
}

func modeText(mode fs.FileMode) string { return fmt.Sprintf("%04o", mode.Perm()) }

// directory is a step making one.
type directory struct {
	path, owner string
	mode        fs.FileMode
	kept        bool
}

func (d directory) look(j *job) (Action, error) {
	a := Action{Do: "create directory", Path: d.path, Mode: modeText(d.mode), Owner: d.owner}
	info, err := os.Lstat(j.at(d.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, nil
	case err != nil:
		return a, err
	case !info.IsDir():
		return a, fmt.Errorf("%s is not a directory: move it away", d.path)
	}
	a.Unchanged = info.Mode().Perm() == d.mode && j.owns(d.path, d.owner)
	if !a.Unchanged {
		a.Do = "set owner and mode of directory"
	}
	return a, nil
}

// owns tells whether a path has the owner it should have.
func (j *job) owns(path, owner string) bool {
	if owner == "" {
		return true
	}
	uid, _, err := j.ids(owner)
	s, statErr := j.System.Lstat(path)
	return err == nil && statErr == nil && s.UID == uid
}

func (d directory) do(_ context.Context, j *job) (*made, func() error, error) {
	path := j.at(d.path)
	m := &made{Kind: madeDirectory, Path: d.path, Mode: modeText(d.mode), Owner: d.owner, Kept: d.kept}
	info, err := os.Lstat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	undo := func() error { return removeIfThere(path) }
	if isNew {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, nil, err
		}
		if err := os.Mkdir(path, d.mode); err != nil {
			return nil, nil, err
		}
	} else if err != nil {
		return nil, nil, err
	} else {
		was, statErr := j.System.Lstat(d.path)
		undo = func() error {
			return errors.Join(statErr, j.Chown(path, was.UID, was.GID), os.Chmod(path, info.Mode().Perm()))
		}
		if _, before := j.old.find(madeDirectory, d.path); !before {
			m = nil // it was there: it stays there
		}
	}
	return m, undo, errors.Join(j.own(path, d.owner), os.Chmod(path, d.mode))
}

// file is a step writing one.
type file struct {
	path, owner string
	mode        fs.FileMode
	// content is called when the step is looked at, and again when it is done.
	content func(*job) ([]byte, error)
	// hidden keeps the content out of the description; note replaces it.
	hidden bool
	note   string
	// theirs marks a file as the person's once it exists: a missing one is written, an existing one
	// left alone.
	theirs bool
	kind   what
}

func (f file) look(j *job) (Action, error) {
	a := Action{Do: "write file", Path: f.path, Mode: modeText(f.mode), Owner: f.owner, Note: f.note}
	want, err := f.content(j)
	if err != nil {
		return a, err
	}
	if !f.hidden {
		a.Content = string(want)
	}
	info, err := os.Lstat(j.at(f.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a, nil
	case err != nil:
		return a, err
	case !info.Mode().IsRegular():
		return a, fmt.Errorf("%s is not a regular file: move it away", f.path)
	}
	have, err := os.ReadFile(j.at(f.path))
	if err != nil {
		return a, err
	}
	if f.theirs {
		a.Unchanged, a.Content = true, ""
		return a, nil
	}
	same := bytes.Equal(have, want)
	a.Unchanged = same && info.Mode().Perm() == f.mode && j.owns(f.path, f.owner)
	if _, ours := j.old.find(f.made(), f.path); !same && !ours && f.made() != madeSettings {
		return a, fmt.Errorf("%s exists and was not written by callgate service; move it away", f.path)
	}
	return a, nil
}

func (f file) made() what {
	if f.kind != "" {
		return f.kind
	}
	return madeFile
}

func (f file) do(_ context.Context, j *job) (*made, func() error, error) {
	want, err := f.content(j)
	if err != nil {
		return nil, nil, err
	}
	path := j.at(f.path)
	before, err := os.ReadFile(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return nil, nil, err
	}
	m := &made{Kind: f.made(), Path: f.path, Mode: modeText(f.mode), Owner: f.owner, Sum: sum(want), Kept: f.theirs}
	if f.theirs {
		m.Sum = ""
	}
	if f.made() == madeSettings && !isNew {
		text := string(before)
		m.Before = &text
	}
	if old, ours := j.old.find(f.made(), f.path); ours {
		m.Before = old.Before // the state before the first time
	}
	undo := func() error { return removeIfThere(path) }
	if !isNew {
		was, err := j.System.Lstat(f.path)
		if err != nil {
			return nil, nil, err
		}
		undo = func() error {
			return j.write(path, before, was.Mode.Perm(), func(p string) error { return j.Chown(p, was.UID, was.GID) })
		}
	}
	return m, undo, j.write(path, want, f.mode, func(p string) error { return j.own(p, f.owner) })
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write replaces a file as a whole, never with a wrong owner or mode in between.
func (j *job) write(path string, content []byte, mode fs.FileMode, own func(string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, content, func(f *os.File) error {
		return errors.Join(own(f.Name()), f.Chmod(mode)) // in this order: a new owner takes bits away
	})
}

// systemAccount is the step making the daemon's account.
type systemAccount struct{ name, home string }

func (s systemAccount) command(j *job) []string {
	argv := []string{"useradd", "--system", "--user-group", "--home-dir", s.home, "--no-create-home", "--shell", "/usr/sbin/nologin"}
	if !j.live() {
		argv = append(argv, "--prefix", j.Root)
	}
	return append(argv, s.name)
}

func (s systemAccount) look(j *job) (Action, error) {
	a := Action{Do: "create account", Owner: s.name, Command: s.command(j)}
	_, err := j.System.Account(s.name)
	switch {
	case err == nil:
		a.Unchanged = true
		return a, nil
	case !errors.Is(err, boundary.ErrNoAccount):
		return a, err
	case j.OS == "darwin":
		return a, errors.New(byHand(s.name, s.home))
	case !j.Commands.Has("useradd"):
		return a, fmt.Errorf("cannot create the account %s: useradd not found. Create a system account with that name, its own group and no shell, then run the command again", s.name)
	}
	return a, nil
}

func (s systemAccount) do(ctx context.Context, j *job) (*made, func() error, error) {
	if _, err := j.command(ctx, s.command(j)); err != nil {
		return nil, nil, err
	}
	return &made{Kind: madeAccount, Path: s.name, Kept: true}, func() error { return removeAccount(context.WithoutCancel(ctx), j.Options, s.name) }, nil
}

func removeAccount(ctx context.Context, o Options, name string) error {
	argv := []string{"userdel"}
	if !o.live() {
		argv = append(argv, "--prefix", o.Root)
	}
	_, err := o.command(ctx, append(argv, name))
	return err
}

// byHand are the commands for making a system account on macOS with a free number.
func byHand(name, home string) string {
	lines := []string{
		"account not found: " + name + ". Choose an ID below 500 that `dscl . -list /Users UniqueID` and `dscl . -list /Groups PrimaryGroupID` do not show, and run these commands with it instead of 399:",
		"  sudo dscl . -create /Groups/" + name, "  sudo dscl . -create /Groups/" + name + " PrimaryGroupID 399",
		"  sudo dscl . -create /Users/" + name, "  sudo dscl . -create /Users/" + name + " UniqueID 399",
		"  sudo dscl . -create /Users/" + name + " PrimaryGroupID 399", "  sudo dscl . -create /Users/" + name + " UserShell /usr/bin/false",
		"  sudo dscl . -create /Users/" + name + " NFSHomeDirectory " + home, "  sudo dscl . -create /Users/" + name + " IsHidden 1",
		"then run the command again",
	}
	return strings.Join(lines, "\n")
}
