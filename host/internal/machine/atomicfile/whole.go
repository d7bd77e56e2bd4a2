// Package atomicfile writes whole files: a reader, and a machine after a power failure, finds the
// old content or the new one.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Part is the new content of a file, written beside its place and not in it yet.
type Part struct{ path, part string }

// Write replaces the file at path by content, in one step; a link there is replaced, not followed.
// The directory must exist. The file has mode 0600 unless finish, which may be nil, sets another
// mode or owner before the file gets its name. RATIONALE.md, "Why one package for writing a file?".
func Write(path string, content []byte, finish func(*os.File) error) error {
	p, err := Begin(path, content, finish)
	if err != nil {
		return err
	}
	defer p.Discard()
	return p.Place()
}

// Begin writes content like Write, but leaves the file at path until Place.
func Begin(path string, content []byte, finish func(*os.File) error) (*Part, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".callgate-*") // mode 0600
	if err != nil {
		return nil, err
	}
	p := &Part{path: path, part: f.Name()}
	_, err = f.Write(content)
	if err == nil && finish != nil {
		err = finish(f)
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		p.Discard()
		return nil, err
	}
	return p, nil
}

// Place gives the content its place.
func (p *Part) Place() error {
	if err := os.Rename(p.part, p.path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(p.path))
}

// Discard removes a file not yet placed.
func (p *Part) Discard() { _ = os.Remove(p.part) } // gone once it has its place

// Remove removes the file at path for good.
func Remove(path string) error {
	return errors.Join(os.Remove(path), syncDirectory(filepath.Dir(path)))
}
