// Package codecache keeps compiled code between processes. The host runs that code, so each
// entry is authenticated with a key readable by the host's account only, and the engine gets
// exactly the authenticated bytes: it never reads a file itself. Threat T18.
package codecache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// ID is an entry's key: a digest of everything its code depends on.
type ID [32]byte

// Store keeps entries in a directory. It is safe for concurrent use, by several
// processes too.
type Store struct {
	dir    *securedir.Dir
	key    *securedir.Key
	most   int64
	report func(error)

	mu  sync.Mutex
	use map[ID]int64 // the entries in use by this process, with their bytes
}

// DefaultBytes is how many bytes a store has by default.
const DefaultBytes = 1 << 30

// New returns a store in dir of at most so many bytes; entries in use by this process always
// stay. report hears, once for each, of defective entries.
func New(dir *securedir.Dir, key *securedir.Key, most int64, report func(error)) *Store {
	return &Store{dir: dir, key: key, most: most, report: report, use: map[ID]int64{}}
}

// maxEntry is the size of the largest entry to read.
const maxEntry = 1 << 30

const suffix = ".code"

func (id ID) file() string { return hex.EncodeToString(id[:]) + suffix }

// Has reports whether there is an entry; it may still prove unusable.
func (s *Store) Has(id ID) bool { return s.dir.Exists(id.file()) }

// Get returns an authentic entry. Any other is reported, and removed.
func (s *Store) Get(id ID) (*Entry, bool) {
	data, err := s.dir.Read(id.file(), maxEntry)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	var e *Entry
	if err == nil {
		e, err = open(data, id, s.key)
	}
	if err != nil {
		s.Refuse(id, err)
		return nil, false
	}
	s.dir.Used(id.file())
	s.uses(id, int64(len(data)))
	return e, true
}

// uses notes that this process uses an entry, until the process removes it.
func (s *Store) uses(id ID, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.use[id] = bytes
}

// Used is the bytes of the entries in use by this process, and the bound.
func (s *Store) Used() (bytes, most int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.use {
		bytes += n
	}
	return bytes, s.most
}

// Refuse removes an unusable entry.
func (s *Store) Refuse(id ID, why error) {
	err := s.Remove(id)
	s.report(errors.Join(fmt.Errorf("kept code or state %s is not used, and made again: %w", s.dir.Path(id.file()), why), err))
}

// Remove removes an entry, if there is one.
func (s *Store) Remove(id ID) error {
	s.mu.Lock()
	delete(s.use, id)
	s.mu.Unlock()
	return s.dir.Remove(id.file())
}

// Put keeps an entry and prunes the rest. A failure is reported; it costs time at the next
// start, nothing else.
func (s *Store) Put(id ID, e *Entry) {
	head := e.header(id, s.key)
	s.uses(id, int64(len(head)+len(e.Facts)+len(e.Stub)+len(e.Code))) // before another Put prunes
	if err := s.dir.Write(id.file(), false, head, e.Facts, e.Stub, e.Code); err != nil {
		s.report(fmt.Errorf("compiled code or state is not kept: %w", err))
		return
	}
	if err := s.prune(); err != nil {
		s.report(fmt.Errorf("old compiled code or state is not removed: %w", err))
	}
}

// prune deletes stale and foreign files, such as those of earlier versions, and, beyond the
// bound, the entries unused by this process, least recently used first.
func (s *Store) prune() error {
	files, err := s.dir.Files()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	used := s.files()
	bytes, _ := s.Used()
	var errs []error
	for _, f := range files {
		if used[f.Name()] {
			continue
		}
		if strings.HasSuffix(f.Name(), suffix) {
			if bytes += f.Size(); bytes <= s.most {
				continue
			}
		}
		errs = append(errs, s.dir.Remove(f.Name()))
	}
	return errors.Join(errs...)
}

// files are the names of the entries in use by this process.
func (s *Store) files() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make(map[string]bool, len(s.use))
	for id := range s.use {
		names[id.file()] = true
	}
	return names
}
