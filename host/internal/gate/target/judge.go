package target

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
)

// judge describes the targets of one call.
type judge struct {
	*walker
	place Place
	dirs  []directory
	words string
	// listed counts the names looked at for patterns.
	listed int
}

func (j *judge) target(t engine.Target) engine.Target {
	t = engine.Target{Kind: t.Kind, Value: t.Value, Access: t.Access}
	if err := j.checkValue(t.Value); err != nil {
		t.Value = "" // may be huge or unprintable
		t.Error = err.Error()
		return t
	}
	if t.Kind != "path" && t.Kind != "tree" {
		return t
	}
	if j.ctx.Err() != nil {
		t.Error = errTooSlow.Error()
		return t
	}
	t.Claimed = j.claimed(t.Value)
	if err := j.resolve(&t); err != nil {
		return engine.Target{Kind: t.Kind, Value: t.Value, Access: t.Access, Claimed: t.Claimed, Error: err.Error()}
	}
	return t
}

func (j *judge) checkValue(value string) error {
	switch {
	case len(value) > j.limits.Length:
		return fmt.Errorf("a target of %d bytes, at most %d are looked at", len(value), j.limits.Length)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return errors.New("a target with invalid text")
	}
	return nil
}

func (j *judge) resolve(t *engine.Target) error {
	written, err := j.absolute(t.Value)
	if err != nil {
		return err
	}
	resolved, err := j.follow(written, true)
	if err != nil {
		return err
	}
	t.Lexical, t.Resolved, t.Exists = path.Clean(written), resolved.path, resolved.exists
	if t.Kind == "tree" {
		return nil // only its destination counts
	}
	if t.Inside, err = j.inside(written, resolved.path); err != nil {
		return err
	}
	t.Repo = j.repo(resolved.path)
	return nil
}

// absolute turns a value into an absolute path with its ".." kept.
func (j *judge) absolute(value string) (string, error) {
	switch {
	case value == "":
		return "", errors.New("an empty path")
	case strings.HasPrefix(value, "//"), strings.HasPrefix(value, `\\`):
		return "", fmt.Errorf("%q names another machine", value)
	case value == "~", strings.HasPrefix(value, "~/"):
		if !path.IsAbs(j.place.Home) {
			return "", fmt.Errorf("%q: the home directory is not known", value)
		}
		return j.place.Home + "/" + strings.TrimPrefix(value[1:], "/"), nil
	case value[0] == '~':
		return "", fmt.Errorf("%q: other people's home directories are not looked up", value)
	case path.IsAbs(value):
		return value, nil
	case !path.IsAbs(j.place.CWD):
		return "", fmt.Errorf("%q is relative and the current directory is not known", value)
	}
	return j.place.CWD + "/" + value, nil
}

// inside returns the working directory around every reading of a path: as written, as resolved,
// the link itself, and the cleaned path resolved.
func (j *judge) inside(written, resolved string) (string, error) {
	lexical := path.Clean(written)
	readings := []string{resolved}
	for _, reading := range []struct {
		name string
		last bool
	}{{written, false}, {lexical, true}, {lexical, false}} {
		f, err := j.follow(reading.name, reading.last)
		if err != nil {
			return "", err
		}
		readings = append(readings, f.path)
	}
	for _, d := range j.dirs {
		if d.err == nil && (within(d.resolved, lexical) || within(d.given, lexical)) && holdsAll(d.resolved, readings) {
			return d.resolved, nil
		}
	}
	return "", nil
}

func holdsAll(dir string, paths []string) bool {
	for _, p := range paths {
		if !within(dir, p) {
			return false
		}
	}
	return true
}
