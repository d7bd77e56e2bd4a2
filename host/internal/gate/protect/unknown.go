package protect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// inUnknown is the mark's form of a path in an unknown directory: "?/NAME". Such a path is
// judged by its name: the directory may be any of Callgate's own.
const inUnknown = unknown + "/"

// unplaced judges a tree in an unknown directory. Reading or changing all of the
// directory denies; a name denies where a file of Callgate's own is called so.
// RATIONALE.md, "Why does a name in an unknown directory count for self-protection?".
func (j *judge) unplaced(t engine.Target) string {
	rest := path.Clean("/" + strings.TrimPrefix(t.Value, inUnknown))[1:]
	if rest == "" || allNames(rest) {
		switch t.Access {
		case "read":
			return "it reads all of an unknown directory, perhaps Callgate's own; name the directory"
		case "write":
			return "it changes all of an unknown directory, perhaps Callgate's own; name the directory"
		}
		return ""
	}
	if t.Access != "read" {
		if why := j.tail(inUnknown + rest); why != "" {
			return why
		}
		if slices.ContainsFunc(settingsFiles, func(name string) bool { return mayBe(fold(rest), name) }) {
			return fmt.Sprintf("it writes %s in an unknown directory, perhaps %s with Callgate's hook for Claude Code; name the directory", rest, settingsDir)
		}
	}
	for _, dir := range j.ownDirectories(t.Access == "read") {
		if found, err := filepath.Glob(filepath.Join(dir, rest)); err == nil && len(found) > 0 || exists(filepath.Join(dir, rest)) {
			return fmt.Sprintf("it touches %s in an unknown directory, and Callgate has a file with this name; name the directory", rest)
		}
	}
	return ""
}

// ownDirectories are the gate's own directories; for reading, only those with secrets.
func (j *judge) ownDirectories(secrets bool) []string {
	f := j.facts
	dirs := []string{f.State, filepath.Dir(f.Store)}
	for _, secret := range f.Secrets {
		dirs = append(dirs, filepath.Dir(secret))
	}
	if !secrets {
		dirs = append(dirs, f.Config, f.Modules, f.Cache, filepath.Dir(f.ConfigFile))
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// allNames tells whether a name is a glob for every file.
func allNames(name string) bool { return strings.Trim(name, "*./") == "" }
