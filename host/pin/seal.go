package pin

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/internal/strictjson"
)

// sealDir is the directory in the daemon's state that holds the key and the seals
// in force.
const sealDir = "pins"

const (
	inForceFile   = "seals"
	sealPurpose   = "module lock entry"
	recordPurpose = "module lock seals"
	maxRecord     = 1 << 20
)

// noEntry stands among the seals of a file for the lock without an entry of it.
const noEntry = ""

// seals authenticate a lock's entries, and know which are in force: by file, that from
// which and that to which a change goes while one is under way.
type seals struct {
	dir     *private.Dir
	key     *private.Key
	inForce map[string][]string
}

// errNoSeals is a state directory in which no seal was ever made.
var errNoSeals = errors.New("no module was ever granted anything here")

// openSeals reads the seals of a state directory. Without make it makes nothing, and
// errNoSeals says that there is nothing.
func openSeals(state string, make bool) (*seals, error) {
	path := filepath.Join(state, sealDir)
	if _, err := os.Lstat(path); !make && errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSeals
	}
	dir, err := private.Open(path)
	if err != nil {
		return nil, err
	}
	s := &seals{dir: dir, inForce: map[string][]string{}}
	if err := s.read(make); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return s, nil
}

func (s *seals) read(make bool) (err error) {
	if make {
		s.key, err = s.dir.Key()
	} else {
		s.key, err = s.dir.HeldKey()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errNoSeals
	}
	if err != nil {
		return err
	}
	data, err := s.dir.ReadAuthentic(s.key, inForceFile, recordPurpose, maxRecord)
	switch {
	case errors.Is(err, fs.ErrNotExist), make && errors.Is(err, private.ErrForeign): // of another key: nothing that it named is in force
		return nil
	case errors.Is(err, private.ErrForeign):
		return fmt.Errorf("%s is %w; grant each module again: callgate tool add FILE", s.dir.Path(inForceFile), err)
	case err != nil:
		return err
	}
	if err := jsonv2.Unmarshal(data, &s.inForce, jsonv2.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", s.dir.Path(inForceFile), strictjson.Explain(err))
	}
	return nil
}

func (s *seals) close() {
	if s != nil {
		_ = s.dir.Close() // nothing was written through it that can be lost
	}
}

// seal is what authenticates an entry.
func (s *seals) seal(e Entry) (string, error) {
	e.Seal = ""
	data, err := jsonv2.Marshal(e, jsonv2.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", e.File, err)
	}
	return hex.EncodeToString(s.key.MAC(sealPurpose, data)), nil
}

// judge tells why an entry grants nothing; nil when it is as Callgate wrote it last.
func (s *seals) judge(e Entry) error {
	want, err := s.seal(e)
	switch {
	case err != nil:
		return err
	case want != e.Seal:
		return errors.New("its entry in the lock was changed outside Callgate")
	case !slices.Contains(s.inForce[e.File], e.Seal):
		return errors.New("its entry in the lock is an old one that was put back, or was removed since")
	}
	return nil
}

// put notes which seals of a file are in force; none takes the file out.
func (s *seals) put(file string, inForce ...string) error {
	next := map[string][]string{}
	for name, list := range s.inForce {
		next[name] = list
	}
	if next[file] = inForce; !slices.ContainsFunc(inForce, func(seal string) bool { return seal != noEntry }) {
		delete(next, file)
	}
	data, err := jsonv2.Marshal(next, jsonv2.Deterministic(true))
	if err != nil {
		return fmt.Errorf("note the seals in force: %w", err)
	}
	if err := s.dir.WriteAuthentic(s.key, inForceFile, recordPurpose, data); err != nil {
		return fmt.Errorf("note the seals in force: %w", err)
	}
	s.inForce = next
	return nil
}

// settled is the one seal of a file that stays in force after a change that a crash
// broke off: that of the entry in the lock, if the change knew it, else that to which
// the change went.
func (s *seals) settled(file string, e *Entry) string {
	list := s.inForce[file]
	switch {
	case e == nil && slices.Contains(list, noEntry):
		return noEntry
	case e != nil && s.judge(*e) == nil:
		return e.Seal
	}
	return list[len(list)-1]
}
