// Package whole writes files that are there whole or not at all: a reader, and a
// machine that loses its power, finds the old content or the new one.
package whole

import (
	"errors"
	"os"
	"path/filepath"
)

// Part is the new content of a file, written beside its place and not in it yet.
type Part struct{ path, part string }

// Write puts content in place of what is at path, in one step; a link there is
// replaced, not followed. The directory must be there. The file has mode 0600
// unless finish, which may be nil, gives it another mode or owner before anybody
// finds it at its place.
func Write(path string, content []byte, finish func(*os.File) error) error {
	p, err := Begin(path, content, finish)
	if err != nil {
		return err
	}
	defer p.Discard()
	return p.Place()
}

// Begin writes content as Write does, but leaves what is at path until Place.
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

// Discard removes what was written and has not been given its place.
func (p *Part) Discard() { _ = os.Remove(p.part) } // gone once it has its place

// Remove removes the file at path for good.
func Remove(path string) error {
	return errors.Join(os.Remove(path), syncDirectory(filepath.Dir(path)))
}
