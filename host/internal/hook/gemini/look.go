package gemini

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// ManagedFile is the machine's settings file. The client skips it when its group or others may write
// it or a directory above.
const ManagedFile = "/etc/gemini-cli/settings.json"

// UserFile is the account's settings file, ProjectFile a project's.
func UserFile(home string) string { return filepath.Join(home, ".gemini", "settings.json") }

// ProjectFile is a project's settings file.
func ProjectFile(dir string) string { return filepath.Join(dir, ".gemini", "settings.json") }

// Looser reports the first of a file and its directories that its group or others may write: then
// the client skips the machine's settings. Empty for none.
func Looser(path string) string {
	for p := path; ; p = filepath.Dir(p) {
		if info, err := os.Stat(p); err == nil && info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return p
		}
		if p == filepath.Dir(p) {
			return ""
		}
	}
}

// Admit reports why a hook in the machine's file at path would not hold: the client skips the file,
// or the file leaves it to a project to switch hooks off. A missing file is none.
func Admit(path string) error {
	if loose := Looser(path); loose != "" {
		return fmt.Errorf("%s can be written by other accounts, so Gemini CLI skips %s: chmod go-w %s", loose, path, loose)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s := Look(path, settings.Managed)
	if s.Err != nil {
		return s.Err
	}
	if s.Enabled == nil || !*s.Enabled {
		return fmt.Errorf("%s: add \"hooksConfig\": {\"enabled\": true} first; without it a project's file switches the hook off", path)
	}
	return nil
}

// State is what one settings file says about the hook.
type State struct {
	Installed bool
	Hook      settings.Hook
	// Name is the client's name of the hook: a project's file switches it off by this name.
	Name string
	// Enabled is hooksConfig.enabled; nil when the file does not say. Disabled are the names that
	// it switches off.
	Enabled  *bool
	Disabled []string
	Err      error
}

// Look reads a settings file.
func Look(path string, scope settings.Scope) State {
	f := settings.GeminiCLI.Read(path, scope)
	s := State{Err: f.Err}
	if !f.Found || f.Err != nil {
		return s
	}
	for _, h := range f.Hooks {
		if h.Event == settings.BeforeTool && h.OwnOf(settings.GeminiCLI) && h.All() {
			s.Installed, s.Hook = true, h
		}
	}
	text, err := os.ReadFile(path)
	var doc struct {
		Config struct {
			Enabled  *bool    `json:"enabled"`
			Disabled []string `json:"disabled"`
		} `json:"hooksConfig"`
		Hooks struct {
			Before []struct {
				Hooks []struct {
					Name    string `json:"name"`
					Command string `json:"command"`
				} `json:"hooks"`
			} `json:"BeforeTool"`
		} `json:"hooks"`
	}
	if s.Err = errors.Join(err, jsonv2.Unmarshal(text, &doc)); s.Err != nil {
		return s
	}
	s.Enabled, s.Disabled = doc.Config.Enabled, doc.Config.Disabled
	for _, group := range doc.Hooks.Before {
		for _, h := range group.Hooks {
			if s.Installed && h.Command == s.Hook.Command {
				s.Name = h.Name
			}
		}
	}
	return s
}

// Off says what in other switches off the hook of s; empty for nothing.
func (s State) Off(other State, file string) string {
	switch {
	case slices.Contains(other.Disabled, s.Name):
		return "hooksConfig.disabled in " + file
	case other.Enabled != nil && !*other.Enabled && (s.Enabled == nil || s.Hook.Scope != settings.Managed):
		return "hooksConfig.enabled: false in " + file
	}
	return ""
}
