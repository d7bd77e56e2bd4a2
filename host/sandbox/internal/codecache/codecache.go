// Package codecache keeps compiled code between processes. Whoever can put code
// there has the host run it, so each entry is authenticated with a key that only
// the host's account can read, and the bytes that were authenticated are the ones
// that the engine gets: it never reads a file itself. Threat T18.
package codecache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/private"
)

// ID is what an entry is found by: a digest of all that its code depends on.
type ID [32]byte

// Store keeps entries in a directory. It is safe for concurrent use, by several
// processes too.
type Store struct {
	dir    *private.Dir
	key    *private.Key
	report func(error)
}

// New returns a store in dir. report hears, once for each, of entries that are
// not used because something is wrong with them.
func New(dir *private.Dir, key *private.Key, report func(error)) *Store {
	return &Store{dir, key, report}
}

// The bounds of the store: entries that were not used for longest go first.
const (
	maxEntry   = 1 << 30
	maxBytes   = 1 << 30
	maxEntries = 128
)

const suffix = ".code"

func (id ID) file() string { return hex.EncodeToString(id[:]) + suffix }

// Has reports whether there is an entry, which may still prove unusable.
func (s *Store) Has(id ID) bool { return s.dir.Exists(id.file()) }

// Get returns an authentic entry. One that is not is told, and removed.
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
	return e, true
}

// Refuse removes an entry that is not to be used.
func (s *Store) Refuse(id ID, why error) {
	err := s.dir.Remove(id.file())
	s.report(errors.Join(fmt.Errorf("kept code or state %s is not used, and made again: %w", s.dir.Path(id.file()), why), err))
}

// Remove removes an entry, if there is one.
func (s *Store) Remove(id ID) error { return s.dir.Remove(id.file()) }

// Put keeps an entry and removes what is too much. That it could not is told;
// it costs time at the next start, nothing else.
func (s *Store) Put(id ID, e *Entry) {
	if err := s.dir.Write(id.file(), false, e.header(id, s.key), e.Facts, e.Stub, e.Code); err != nil {
		s.report(fmt.Errorf("compiled code or state is not kept: %w", err))
		return
	}
	if err := s.prune(); err != nil {
		s.report(fmt.Errorf("old compiled code or state is not removed: %w", err))
	}
}

// prune removes what is no entry, such as the files of earlier versions, and the
// entries beyond the bounds.
func (s *Store) prune() error {
	files, err := s.dir.Files()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var errs []error
	bytes, entries := int64(0), 0
	for _, f := range files {
		if strings.HasSuffix(f.Name(), suffix) {
			bytes, entries = bytes+f.Size(), entries+1
			if bytes <= maxBytes && entries <= maxEntries {
				continue
			}
		}
		errs = append(errs, s.dir.Remove(f.Name()))
	}
	return errors.Join(errs...)
}
