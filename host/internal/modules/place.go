package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// Place is the place of one daemon's lock. Its methods open everything anew, so they notice every
// exchange. Reading may go on beside reading, also in other processes; only the daemon makes
// changes, one after the other.
type Place struct {
	// Modules is the directory of modules, State the daemon's state directory.
	Modules, State string
}

// Grants are a lock's grants.
type Grants struct {
	// Entries are those in force.
	Entries []LockEntry
	// Refused are ineffective entries, as far as readable.
	Refused []refusedEntry
}

// refusedEntry is an ineffective entry.
type refusedEntry struct {
	File string
	Why  error
	// Entry is the lock's text, if any.
	Entry *LockEntry
}

// Find returns the entry in force of a file, nil for none.
func (l Grants) Find(file string) *LockEntry { return lock{Modules: l.Entries}.find(file) }

// Path is where the lock is.
func (p Place) Path() string { return filepath.Join(p.Modules, LockFile) }

// Load reads the lock. On an error nothing of it can be trusted: it is unreadable, is no lock, or
// lies where others could have put it.
func (p Place) Load() (Grants, error) {
	l, err := p.readLock()
	if err != nil {
		return Grants{}, err
	}
	s, err := openSeals(p.State, false)
	if errors.Is(err, errNoSeals) && len(l.Modules) == 0 {
		return Grants{}, nil
	}
	if errors.Is(err, errNoSeals) {
		return p.unsealed(l), nil
	}
	if err != nil {
		return Grants{}, fmt.Errorf("%s cannot be checked: %w", p.Path(), err)
	}
	defer s.close()
	return judged(l, s), nil
}

// Recover ends changes interrupted by a crash. They leave two seals of a file in force: a replaced
// entry could be put back. It is for the daemon, without a change under way.
func (p Place) Recover() error {
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

func judged(l lock, s *seals) (out Grants) {
	for _, e := range l.Modules {
		if why := s.judge(e); why != nil {
			out.Refused = append(out.Refused, refusedEntry{File: e.File, Why: why, Entry: &e})
			continue
		}
		out.Entries = append(out.Entries, e)
	}
	for _, file := range sortedKeys(s.inForce) {
		if l.find(file) == nil && !slices.Contains(s.inForce[file], noEntry) {
			out.Refused = append(out.Refused, refusedEntry{File: file, Why: errors.New("its lock entry was removed outside Callgate")})
		}
	}
	return out
}

// unsealed refuses all of a lock made elsewhere.
func (p Place) unsealed(l lock) (out Grants) {
	for _, e := range l.Modules {
		out.Refused = append(out.Refused, refusedEntry{File: e.File, Why: errors.New("its lock entry was not written by this daemon"), Entry: &e})
	}
	return out
}

// safe is an error when others could have put files into the directory of modules. A missing one is
// safe.
func (p Place) safe() error {
	if _, err := os.Lstat(p.Modules); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dir, err := securedir.Open(p.Modules)
	if err != nil {
		return fmt.Errorf("modules directory: %w", err)
	}
	return dir.Close()
}

// readLock reads the lock; an absent one is empty, wherever it is absent.
func (p Place) readLock() (lock, error) {
	if _, err := os.Lstat(p.Path()); errors.Is(err, fs.ErrNotExist) {
		return lock{}, nil
	}
	dir, err := securedir.Open(p.Modules)
	if err != nil {
		return lock{}, fmt.Errorf("modules directory: %w", err)
	}
	defer func() { _ = dir.Close() }() // nothing was written
	return readLock(dir)
}

func readLock(dir *securedir.Dir) (lock, error) {
	data, err := dir.Read(LockFile, maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return lock{}, nil
	}
	if err != nil {
		return lock{}, fmt.Errorf("module lock: %w", err)
	}
	l, err := parseLock(data)
	if err != nil {
		return lock{}, fmt.Errorf("%s: %w; restore the file that Callgate wrote, or move it away and grant each module again: callgate tool add FILE", dir.Path(LockFile), err)
	}
	return l, nil
}

// Module returns the bytes of a file in the directory of modules: fs.ErrNotExist when
// it is not there.
func (p Place) Module(file string) ([]byte, error) {
	if err := CheckFile(file); err != nil {
		return nil, err
	}
	return p.read("", file, sandbox.MaxModuleBytes)
}

// signatureFile returns the signature beside a file in the directory of modules, in FILE.sig; nil
// for none.
func (p Place) signatureFile(file string) (*wire.ModuleSignature, error) {
	if err := CheckFile(file); err != nil {
		return nil, err
	}
	text, err := p.read("", file+".sig", maxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := ParseSignature(text)
	return &s, err
}

// ReadBackup returns the bytes of a version in the lock, from the directory kept.
func (p Place) ReadBackup(digest string) ([]byte, error) {
	data, err := p.read(keptDir, digest+".wasm", sandbox.MaxModuleBytes)
	if err == nil && sandbox.Digest(data) != digest {
		err = fmt.Errorf("%s was changed outside Callgate", filepath.Join(p.Modules, keptDir, digest+".wasm"))
	}
	return data, err
}

// maxDescription is the largest kept description, in bytes.
const maxDescription = 16 << 20

// Description returns the declaration of the module with this digest, as at its grant. It is only
// the module's word, and for display alone.
func (p Place) Description(digest string) ([]byte, error) {
	return p.read(keptDir, digest+".json", maxDescription)
}

// read reads a file of the directory of modules, or of one below it.
func (p Place) read(below, name string, most int64) ([]byte, error) {
	path := filepath.Join(p.Modules, below)
	if _, err := os.Lstat(path); err != nil {
		return nil, err // Open would make it
	}
	dir, err := securedir.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // nothing was written
	return dir.Read(name, most)
}
