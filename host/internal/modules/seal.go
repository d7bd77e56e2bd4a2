package modules

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// sealDir is the directory in the daemon's state for the key and the seals in force.
const sealDir = "pins"

const (
	inForceFile   = "seals"
	sealPurpose   = "module lock entry"
	recordPurpose = "module lock seals"
	maxRecord     = 1 << 20
)

// noEntry stands among the seals of a file for the lock without an entry of it.
const noEntry = ""

// seals authenticate a lock's entries, and know those in force, by file: during a change both the
// old and the new one. RATIONALE.md, "Is a seal on each entry of the lock enough?".
type seals struct {
	dir     *securedir.Dir
	key     *securedir.Key
	inForce map[string][]string
}

// errNoSeals is a state directory without any seal ever.
var errNoSeals = errors.New("no module was ever granted here")

// openSeals reads the seals of a state directory. Without make it makes nothing, and reports their
// absence by errNoSeals.
func openSeals(state string, make bool) (*seals, error) {
	path := filepath.Join(state, sealDir)
	if _, err := os.Lstat(path); !make && errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSeals
	}
	dir, err := securedir.Open(path)
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
		s.key, err = s.dir.LoadKey()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errNoSeals
	}
	if err != nil {
		return err
	}
	data, err := s.dir.ReadSigned(s.key, inForceFile, recordPurpose, maxRecord)
	switch {
	case errors.Is(err, fs.ErrNotExist), make && errors.Is(err, securedir.ErrForeign): // of another key: none of its seals is in force
		return nil
	case errors.Is(err, securedir.ErrForeign):
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
		_ = s.dir.Close() // only read: closing cannot lose data
	}
}

// seal authenticates an entry.
func (s *seals) seal(e LockEntry) (string, error) {
	data, err := e.unsealed()
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", e.File, err)
	}
	return hex.EncodeToString(s.key.MAC(sealPurpose, data)), nil
}

// judge tells why an entry grants nothing; nil when it is as Callgate wrote it last.
func (s *seals) judge(e LockEntry) error {
	want, err := s.seal(e)
	switch {
	case err != nil:
		return err
	case want != e.Seal:
		return errors.New("its lock entry was changed outside Callgate")
	case !slices.Contains(s.inForce[e.File], e.Seal):
		return errors.New("its lock entry is an old one that was put back, or it was removed since")
	}
	return nil
}

// put sets a file's seals in force; none removes the file.
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
		return fmt.Errorf("record the current seals: %w", err)
	}
	if err := s.dir.WriteSigned(s.key, inForceFile, recordPurpose, data); err != nil {
		return fmt.Errorf("record the current seals: %w", err)
	}
	s.inForce = next
	return nil
}

// settled is the one seal of a file in force after a change interrupted by a crash: the one of the
// lock's entry, if the change knew it, else the change's new one.
func (s *seals) settled(file string, e *LockEntry) string {
	list := s.inForce[file]
	switch {
	case e == nil && slices.Contains(list, noEntry):
		return noEntry
	case e != nil && s.judge(*e) == nil:
		return e.Seal
	}
	return list[len(list)-1]
}
