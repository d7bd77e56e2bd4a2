package settings

import (
	"path/filepath"
	"runtime"
)

// Scope is the owner of a settings file.
type Scope string

// The scopes, the strongest first: a stronger one's switch holds. Hooks are united over all of
// them. Source: Claude Code's documentation, Settings, "precedence".
const (
	Managed Scope = "managed"
	Flag    Scope = "--settings"
	Local   Scope = "local"
	Project Scope = "project"
	User    Scope = "user"
)

// Places are where Claude Code looks for settings.
type Places struct {
	// Managed is the machine's file; empty means ManagedFile(). The *.json of
	// the directory managed-settings.d beside it count as well, in the order of
	// their names.
	Managed string
	// Home is the home directory as the client sees it ($HOME).
	Home string
	// ConfigDir is the value of CLAUDE_CONFIG_DIR; empty means Home/.claude.
	ConfigDir string
	// Project is a session's starting directory; empty leaves the project's settings out.
	Project string
	// Flag is the file given as --settings; empty for none.
	Flag string
}

// ManagedFile is the file of the machine's administrator.
func ManagedFile() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

// UserFile is the file of the account.
func (p Places) UserFile() string {
	dir := p.ConfigDir
	if dir == "" {
		dir = filepath.Join(p.Home, ".claude")
	}
	return filepath.Join(dir, "settings.json")
}

// ProjectFile is a project's shared file, LocalFile the uncommitted one beside it. dir is a
// session's starting directory.
func ProjectFile(dir string) string { return filepath.Join(dir, ".claude", "settings.json") }

// LocalFile is one person's file in a project.
func LocalFile(dir string) string { return filepath.Join(dir, ".claude", "settings.local.json") }

// place is one file to be read.
type place struct {
	scope Scope
	path  string
	// above is the directory a session must be started in for the file to
	// count; empty when it counts for a session in Places.Project.
	above string
}

// list returns the files in the order of their strength. The client takes the project's files from
// its starting directory, and from no other. A start further up takes those files instead, so the
// directories above are listed too, marked as such.
func (p Places) list() []place {
	managed := p.Managed
	if managed == "" {
		managed = ManagedFile()
	}
	list := []place{{scope: Managed, path: managed}}
	dropIns, err := filepath.Glob(filepath.Join(filepath.Dir(managed), "managed-settings.d", "*.json"))
	if err == nil { // it fails only for a bad pattern
		for _, path := range dropIns {
			list = append(list, place{scope: Managed, path: path})
		}
	}
	if p.Flag != "" {
		list = append(list, place{scope: Flag, path: p.Flag})
	}
	if p.Project != "" {
		list = append(list, place{scope: Local, path: LocalFile(p.Project)})
		if path := ProjectFile(p.Project); path != p.UserFile() { // in the home directory they are one file
			list = append(list, place{scope: Project, path: path})
		}
		list = append(list, p.above()...)
	}
	return append(list, place{scope: User, path: p.UserFile()})
}

func (p Places) above() []place {
	var list []place
	user := p.UserFile()
	for dir := filepath.Dir(p.Project); ; dir = filepath.Dir(dir) {
		list = append(list, place{scope: Local, path: LocalFile(dir), above: dir})
		if path := ProjectFile(dir); path != user { // as in list
			list = append(list, place{scope: Project, path: path, above: dir})
		}
		if dir == filepath.Dir(dir) {
			return list
		}
	}
}
