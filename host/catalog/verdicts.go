package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/internal/whole"
)

// verdicts remembers between processes which modules were admitted, by digest,
// with what they said of themselves; and what each file was last admitted as,
// so that the names of a module that is broken today are still known. A nil
// verdicts remembers nothing. The directory has the standing of the cache of
// compiled code: whoever writes there decides.
type verdicts struct {
	dir  string
	last map[string]string // file -> digest
}

// verdictVersion is part of the file names; it changes when the rules of
// admission do.
const verdictVersion = "1"

func openVerdicts(dir string) (*verdicts, error) {
	if dir == "" {
		return nil, nil
	}
	if err := private.Directory(dir); err != nil {
		return nil, fmt.Errorf("catalog: verdicts on modules: %w", err)
	}
	v := &verdicts{dir: dir, last: map[string]string{}}
	data, err := os.ReadFile(v.lastPath())
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &v.last)
	}
	if err != nil {
		return nil, fmt.Errorf("catalog: %s: %w: remove the file to start anew", v.lastPath(), err)
	}
	return v, nil
}

func (v *verdicts) path(digest string) string {
	return filepath.Join(v.dir, digest+"."+verdictVersion+".json")
}

func (v *verdicts) lastPath() string { return filepath.Join(v.dir, "last."+verdictVersion+".json") }

// admitted returns the description of a module that passed before.
func (v *verdicts) admitted(digest string) ([]byte, bool) {
	if v == nil {
		return nil, false
	}
	data, err := os.ReadFile(v.path(digest))
	return data, err == nil
}

// admit remembers that a module passed.
func (v *verdicts) admit(digest string, description []byte) error {
	if v == nil {
		return nil
	}
	return keep(v.path(digest), description)
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
	v.last = last
	return keep(v.lastPath(), data)
}

func keep(path string, data []byte) error {
	if err := whole.Write(path, data, nil); err != nil {
		return fmt.Errorf("catalog: write %s: %w", path, err)
	}
	return nil
}
