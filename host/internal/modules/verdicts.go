package modules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// verdicts remembers between processes the admitted modules, by digest, with their descriptions;
// and each file's last admission, so the names of a module broken today are still known. A nil
// verdicts remembers nothing. The cache's key authenticates them: an account able to write one
// would decide. Threat T18.
type verdicts struct {
	dir    *securedir.Dir
	key    *securedir.Key
	last   map[string]string // key of an id -> digest
	report func(error)
}

const embeddedPrefix = "embedded/"

// key is how an id is kept between processes; idOf reads it.
func (i id) key() string {
	if i.embedded {
		return embeddedPrefix + i.file
	}
	return i.file
}

func idOf(key string) (i id) {
	i.file, i.embedded = strings.CutPrefix(key, embeddedPrefix)
	return i
}

// verdictVersion is part of the file names; it changes when the rules of
// admission do.
const verdictVersion = "3"

// verdictDir is the directory of verdicts below the cache's own.
const verdictDir = "verdicts"

// openVerdicts opens those of a cache. A place others could have filled is an error; an unwritable
// one remembers nothing.
func openVerdicts(cache string, report func(error)) (*verdicts, error) {
	if cache == "" {
		return nil, nil
	}
	v := &verdicts{last: map[string]string{}, report: report}
	if err := v.open(cache); err != nil {
		err = fmt.Errorf("catalog: verdicts on modules: %w", err)
		if !securedir.Unwritable(err) {
			return nil, err
		}
		report(err)
		return nil, nil
	}
	data, ok := v.read(lastFile, lastFile)
	if ok {
		if err := json.Unmarshal(data, &v.last); err != nil {
			report(fmt.Errorf("catalog: %s: %w", lastFile, err))
		}
	}
	return v, nil
}

func (v *verdicts) open(cache string) error {
	top, err := securedir.Open(cache)
	if err != nil {
		return err
	}
	defer func() { _ = top.Close() }() // only read: closing cannot lose data
	if v.key, err = top.Key(); err != nil {
		return err
	}
	v.dir, err = top.Sub(verdictDir)
	return err
}

// verdictFile is where the verdict on a module is.
func verdictFile(digest string) string { return digest + "." + verdictVersion + ".json" }

const lastFile = "last." + verdictVersion + ".json"

// maxVerdict is the largest file of verdicts to read.
const maxVerdict = 64 << 20

// read returns an authentic file without the MAC at its start. Another one is reported, and counts
// as absent: it is made again.
func (v *verdicts) read(name, purpose string) ([]byte, bool) {
	data, err := v.dir.ReadSigned(v.key, name, purpose, maxVerdict)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil {
		v.report(fmt.Errorf("catalog: %s is not used: %w", v.dir.Path(name), errors.Join(err, v.dir.Remove(name))))
		return nil, false
	}
	return data, true
}

func (v *verdicts) write(name, purpose string, data []byte) error {
	if err := v.dir.WriteSigned(v.key, name, purpose, data); err != nil {
		return fmt.Errorf("catalog: write %s: %w", v.dir.Path(name), err)
	}
	return nil
}

// admitted returns the description of a module admitted before.
func (v *verdicts) admitted(digest string) ([]byte, bool) {
	if v == nil {
		return nil, false
	}
	return v.read(verdictFile(digest), "verdict "+digest)
}

// admit remembers an admitted module. A failure is reported; it costs time at the next start.
func (v *verdicts) admit(digest string, description []byte) {
	if v == nil {
		return
	}
	if err := v.write(verdictFile(digest), "verdict "+digest, description); err != nil {
		v.report(err)
	}
}

// seen is each file's last admission, as far as still known.
func (v *verdicts) seen() map[id]seen {
	all := map[id]seen{}
	if v == nil {
		return all
	}
	for key, digest := range v.last {
		if raw, ok := v.admitted(digest); ok {
			if d, err := ParseDescription(raw); err == nil {
				all[idOf(key)] = seen{digest, &d}
			}
		}
	}
	return all
}

// remember stores each file's present admission.
func (v *verdicts) remember(now map[id]seen) error {
	if v == nil {
		return nil
	}
	last := map[string]string{}
	for i, s := range now {
		last[i.key()] = s.digest
	}
	if maps.Equal(last, v.last) {
		return nil
	}
	data, err := json.Marshal(last)
	if err != nil {
		return fmt.Errorf("catalog: encode: %w", err)
	}
	if err := v.write(lastFile, lastFile, data); err != nil {
		return err
	}
	v.last = last
	return nil
}

// forget removes the verdict on an unneeded module.
func (v *verdicts) forget(digest string) error {
	if v == nil {
		return nil
	}
	return v.dir.Remove(verdictFile(digest))
}
