package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Paths are the operator's lists of paths, for every tool for files. Each list holds globs, written
// as in rules of Write: relative ones start at the agent's first working directory, ~/ at its home,
// **/ anywhere.
type Paths struct {
	// Protected are further paths needing a person's approval for each write, even with an allow
	// rule. Without a slash they may lie in any directory. Case does not matter.
	Protected []string `yaml:"protected" json:"protected,omitempty"`
	// Unprotected removes protection from built-in paths, exactly as written. Callgate's own files
	// stay protected.
	Unprotected []string `yaml:"unprotected" json:"unprotected,omitempty"`
	// Secret are further paths with secrets: reading one is not read-only, as for keys and
	// credentials.
	Secret []string `yaml:"secret" json:"secret,omitempty"`
	// NotSecret removes built-in secret paths, exactly as written.
	NotSecret []string `yaml:"not_secret" json:"not_secret,omitempty"`
}

// config is the configuration of paths for every tool; nil for none.
func (p Paths) config() json.RawMessage {
	if len(p.Protected)+len(p.Unprotected)+len(p.Secret)+len(p.NotSecret) == 0 {
		return nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("config: lists of texts are no JSON: %v", err))
	}
	return data
}

func (ck *checker) paths(p Paths) {
	for _, list := range []struct {
		key   string
		globs []string
		lifts bool
	}{{"protected", p.Protected, false}, {"unprotected", p.Unprotected, true}, {"secret", p.Secret, false}, {"not_secret", p.NotSecret, true}} {
		for i, glob := range list.globs {
			field := fmt.Sprintf("paths.%s[%d]", list.key, i)
			if err := checkGlob(glob); err != nil {
				ck.add(field, "%q: %v", glob, err)
			} else if list.lifts && strings.Trim(glob, "*/.~") == "" {
				ck.add(field, "%q matches everything; name what can be ignored", glob)
			}
		}
	}
}

// checkGlob refuses a path unreadable as a glob for every tool.
func checkGlob(glob string) error {
	switch {
	case strings.TrimSpace(glob) == "":
		return errors.New("empty glob; want one such as infra/** or **/*.lock")
	case len(glob) > 4096:
		return errors.New("longer than 4096 bytes")
	case strings.ContainsFunc(glob, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("control character in a glob")
	case slices.Contains(strings.Split(glob, "/"), ".."):
		return errors.New(`".." in a glob; write the directory itself, absolute or relative to the first working directory`)
	case strings.HasPrefix(glob, "~") && glob != "~" && !strings.HasPrefix(glob, "~/"):
		return errors.New("another user's home; write the path")
	case !doublestar.ValidatePattern(glob), slices.ContainsFunc(strings.Split(glob, "/"), func(s string) bool { return !strings.ContainsAny(s, "{}") && !doublestar.ValidatePattern(s) }):
		return errors.New(`invalid glob: unclosed "[" or "{", or a trailing "\"`)
	}
	return nil
}
