package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/callgate/callgate/host/internal/private"
)

// verdicts remembers between processes which modules were admitted, by digest,
// with what they said of themselves; and what each file was last admitted as,
// so that the names of a module that is broken today are still known. A nil
// verdicts remembers nothing. They are authenticated with the key of the cache
// they are in: whoever could write one would decide. Threat T18.
type verdicts struct {
	dir    *private.Dir
	key    *private.Key
	last   map[string]string // file -> digest
	report func(error)
}

// verdictVersion is part of the file names; it changes when the rules of
// admission do.
const verdictVersion = "3"

// verdictDir is the directory of verdicts below the cache's own.
const verdictDir = "verdicts"

// openVerdicts opens those of a cache. A place that others could have filled is
// an error; one that cannot be written remembers nothing.
func openVerdicts(cache string, report func(error)) (*verdicts, error) {
	if cache == "" {
		return nil, nil
	}
	v := &verdicts{last: map[string]string{}, report: report}
	if err := v.open(cache); err != nil {
		err = fmt.Errorf("catalog: verdicts on modules: %w", err)
		if !private.Unwritable(err) {
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
	top, err := private.Open(cache)
	if err != nil {
		return err
	}
	defer func() { _ = top.Close() }() // nothing was written through it that can be lost
	if v.key, err = top.Key(); err != nil {
		return err
	}
	v.dir, err = top.Sub(verdictDir)
	return err
}

// verdictFile is where the verdict on a module is.
func verdictFile(digest string) string { return digest + "." + verdictVersion + ".json" }

const lastFile = "last." + verdictVersion + ".json"

// maxVerdict is the largest file of verdicts that is read.
const maxVerdict = 64 << 20

// read returns an authentic file without its MAC, which stands before it. One
// that is not is told, and as good as absent: it is made again.
func (v *verdicts) read(name, purpose string) ([]byte, bool) {
	data, err := v.dir.ReadAuthentic(v.key, name, purpose, maxVerdict)
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
	if err := v.dir.WriteAuthentic(v.key, name, purpose, data); err != nil {
		return fmt.Errorf("catalog: write %s: %w", v.dir.Path(name), err)
	}
	return nil
}

// admitted returns the description of a module that passed before.
func (v *verdicts) admitted(digest string) ([]byte, bool) {
	if v == nil {
		return nil, false
	}
	return v.read(verdictFile(digest), "verdict "+digest)
}

// admit remembers that a module passed. That it could not is told; it costs time
// at the next start.
func (v *verdicts) admit(digest string, description []byte) {
	if v == nil {
		return
	}
	if err := v.write(verdictFile(digest), "verdict "+digest, description); err != nil {
		v.report(err)
	}
}

// seen is what each file was last admitted as, as far as that is still known.
func (v *verdicts) seen() map[string]seen {
	all := map[string]seen{}
	if v == nil {
		return all
	}
	for file, digest := range v.last {
		if raw, ok := v.admitted(digest); ok {
			if d, err := parseDescription(raw); err == nil {
				all[file] = seen{digest, d}
			}
		}
	}
	return all
}

// remember stores what each file is now.
func (v *verdicts) remember(now map[string]seen) error {
	if v == nil {
		return nil
	}
	last := map[string]string{}
	for file, s := range now {
		last[file] = s.digest
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

// forget removes the verdict on a module that nobody needs any more.
func (v *verdicts) forget(digest string) error {
	if v == nil {
		return nil
	}
	return v.dir.Remove(verdictFile(digest))
}
