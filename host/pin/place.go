package pin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/sandbox"
)

// Place is where the lock of one daemon is. Its methods open everything anew, so
// that what was exchanged meanwhile is seen. Reading may go on beside reading, also in
// other processes; changes are made one after the other, by the daemon alone.
type Place struct {
	// Modules is the directory of modules, State that of the daemon's state.
	Modules, State string
}

// Loaded is what a lock grants.
type Loaded struct {
	// Entries are those in force.
	Entries []Entry
	// Refused are those that grant nothing, with the entry as far as there is one.
	Refused []Refused
}

// Refused is an entry that grants nothing.
type Refused struct {
	File string
	Why  error
	// Entry is what the lock says, if anything.
	Entry *Entry
}

// Find returns the entry in force of a file, nil for none.
func (l Loaded) Find(file string) *Entry { return lock{Modules: l.Entries}.find(file) }

// Path is where the lock is.
func (p Place) Path() string { return filepath.Join(p.Modules, LockFile) }

// Load reads the lock. An error means that nothing of it can be believed: it could
// not be read, is no lock, or stands where others could have put it.
func (p Place) Load() (Loaded, error) {
	l, err := p.readLock()
	if err != nil {
		return Loaded{}, err
	}
	s, err := openSeals(p.State, false)
	if errors.Is(err, errNoSeals) && len(l.Modules) == 0 {
		return Loaded{}, nil
	}
	if errors.Is(err, errNoSeals) {
		return p.unsealed(l), nil
	}
	if err != nil {
		return Loaded{}, fmt.Errorf("%s cannot be checked: %w", p.Path(), err)
	}
	defer s.close()
	return judged(l, s), nil
}

// Settle ends the changes that a crash broke off, which leave two seals of a file in
// force: an entry that the change had replaced could be put back. It is for the
// daemon, while no change is under way.
func (p Place) Settle() error {
	s, err := openSeals(p.State, false)
	if errors.Is(err, errNoSeals) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot be checked: %w", p.Path(), err)
	}
	defer s.close()
	for _, file := range sortedKeys(s.inForce) {
		if len(s.inForce[file]) < 2 {
			continue
		}
		l, err := p.readLock()
		if err != nil {
			return err
		}
		if err := s.put(file, s.settled(file, l.find(file))); err != nil {
			return err
		}
	}
	return nil
}

func judged(l lock, s *seals) (out Loaded) {
	for _, e := range l.Modules {
		if why := s.judge(e); why != nil {
			out.Refused = append(out.Refused, Refused{File: e.File, Why: why, Entry: &e})
			continue
		}
		out.Entries = append(out.Entries, e)
	}
	for _, file := range sortedKeys(s.inForce) {
		if l.find(file) == nil && !slices.Contains(s.inForce[file], noEntry) {
			out.Refused = append(out.Refused, Refused{File: file, Why: errors.New("its entry was taken out of the lock outside Callgate")})
		}
	}
	return out
}

// unsealed refuses all of a lock that was not made here.
func (p Place) unsealed(l lock) (out Loaded) {
	for _, e := range l.Modules {
		out.Refused = append(out.Refused, Refused{File: e.File, Why: errors.New("its entry in the lock was not made by this daemon"), Entry: &e})
	}
	return out
}

// Safe is an error when others could have put files into the directory of modules. One
// that is not there is safe.
func (p Place) Safe() error {
	if _, err := os.Lstat(p.Modules); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dir, err := private.Open(p.Modules)
	if err != nil {
		return fmt.Errorf("directory of tool modules: %w", err)
	}
	return dir.Close()
}

// readLock reads the lock; an absent one is empty, wherever it is absent.
func (p Place) readLock() (lock, error) {
	if _, err := os.Lstat(p.Path()); errors.Is(err, fs.ErrNotExist) {
		return lock{}, nil
	}
	dir, err := private.Open(p.Modules)
	if err != nil {
		return lock{}, fmt.Errorf("directory of tool modules: %w", err)
	}
	defer func() { _ = dir.Close() }() // nothing was written
	return readLock(dir)
}

func readLock(dir *private.Dir) (lock, error) {
	data, err := dir.Read(LockFile, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return lock{}, nil
	}
	if err != nil {
		return lock{}, fmt.Errorf("the lock of tool modules: %w", err)
	}
	l, err := parseLock(data)
	if err != nil {
		return lock{}, fmt.Errorf("%s: %w: put back the file that Callgate wrote, or move it away and grant each module again: callgate tool add FILE", dir.Path(LockFile), err)
	}
	return l, nil
}

// Module returns the bytes of a file in the directory of modules: fs.ErrNotExist when
// it is not there.
func (p Place) Module(file string) ([]byte, error) {
	if err := CheckFile(file); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(p.Modules); err != nil {
		return nil, err
	}
	dir, err := private.Open(p.Modules)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // nothing was written
	return dir.Read(file, sandbox.MaxModuleBytes)
}

// Kept returns the bytes of a version that the lock speaks of, from the directory
// kept.
func (p Place) Kept(digest string) ([]byte, error) {
	return p.kept(digest, ".wasm", sandbox.MaxModuleBytes, digest)
}

// maxDescription is the largest description that is kept, in bytes.
const maxDescription = 16 << 20

// Description returns what the module with this digest declares, as it was granted.
// It is nobody's word but the module's, and for showing alone.
func (p Place) Description(digest string) ([]byte, error) {
	return p.kept(digest, ".json", maxDescription, "")
}

// kept reads a kept file; with a sum it must have that.
func (p Place) kept(digest, ext string, most int64, sum string) ([]byte, error) {
	if !hexSum.MatchString(digest) {
		return nil, fs.ErrNotExist
	}
	if _, err := os.Lstat(filepath.Join(p.Modules, keptDir)); err != nil {
		return nil, err
	}
	dir, err := private.Open(filepath.Join(p.Modules, keptDir))
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // nothing was written
	data, err := dir.Read(digest+ext, most)
	if err == nil && sum != "" && sandbox.Digest(data) != sum {
		err = fmt.Errorf("%s was changed outside Callgate", dir.Path(digest+ext))
	}
	return data, err
}
