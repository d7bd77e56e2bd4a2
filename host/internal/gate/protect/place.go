package protect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/callgate/callgate/engine"
)

// place is one thing of the gate's own on the disk.
type place struct {
	// parts are the folded components of its path; the last may be a glob.
	parts []string
	// what it is, for the reason.
	what string
	// secret means: nothing below it (or in it, being a file) may be read.
	secret bool
	// file means: it is one file.
	file bool
	// program means: it is the daemon's own binary.
	program bool
	// ifThere is the path, or glob, of an optional file: a directory above it counts only if it
	// exists. Empty for a file of every daemon.
	ifThere string
}

// held tells whether a directory above the place has something to lose.
func (p place) held() bool {
	if p.ifThere == "" {
		return true
	}
	found, err := filepath.Glob(p.ifThere)
	return err != nil || len(found) > 0
}

// hookProgram is the name of the program for the hook alone.
const hookProgram = "callgate-hook"

// placesOf lists the places, each as given and with links followed.
func placesOf(f Facts) []place {
	var out []place
	add := func(p string, one place) {
		if p == "" || !filepath.IsAbs(p) {
			return
		}
		for _, form := range forms(p) {
			one.parts = components(form)
			out = append(out, one)
		}
	}
	add(f.State, place{what: "Callgate's rules, store and tokens", secret: true})
	add(f.Config, place{what: "Callgate's configuration"})
	add(f.ConfigFile, place{what: "Callgate's configuration", file: true})
	add(f.Modules, place{what: "Callgate's tool modules"})
	add(f.Cache, place{what: "Callgate's compiled modules"})
	add(f.Binary, place{what: "Callgate's program", file: true, program: true})
	if f.Binary != "" {
		p := filepath.Join(filepath.Dir(f.Binary), hookProgram)
		add(p, place{what: "Callgate's hook program", file: true, program: true, ifThere: p})
	}
	for _, secret := range f.Secrets {
		add(secret, place{what: "a secret of Callgate's", secret: true, file: true})
	}
	if f.Store != "" {
		add(f.Store+"*", place{what: "Callgate's store", secret: true, file: true})
	}
	for _, dir := range programDirs(f) {
		for _, name := range [...]string{"callgate", hookProgram} {
			p := filepath.Join(dir, name)
			add(p, place{what: "a program named " + name + " on the search path", file: true, ifThere: p})
		}
	}
	for _, dir := range serviceDirs(f.Home) {
		p := filepath.Join(dir, "*callgate*")
		add(p, place{what: "Callgate's service", ifThere: p})
	}
	for _, dir := range managedDirs {
		add(dir, place{what: "the managed settings of Claude Code with Callgate's hook", ifThere: dir})
	}
	return out
}

// forms are a path as written, cleaned, and as far as it exists with links
// followed.
func forms(p string) []string {
	p = filepath.Clean(p)
	head, tail := p, ""
	for head != filepath.Dir(head) {
		if real, err := filepath.EvalSymlinks(head); err == nil {
			if real = filepath.Join(real, tail); real != p {
				return []string{p, real}
			}
			break
		}
		head, tail = filepath.Dir(head), filepath.Join(filepath.Base(head), tail)
	}
	return []string{p}
}

func programDirs(f Facts) []string {
	dirs := []string{"/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"}
	if f.Home != "" {
		dirs = append(dirs, filepath.Join(f.Home, "bin"), filepath.Join(f.Home, ".local", "bin"))
	}
	return append(dirs, f.Path[:min(len(f.Path), 64)]...)
}

func serviceDirs(home string) []string {
	dirs := []string{
		"/etc/systemd/system", "/etc/systemd/user", "/run/systemd/system", "/usr/lib/systemd/system", "/usr/local/lib/systemd/system",
		"/Library/LaunchAgents", "/Library/LaunchDaemons",
	}
	if home == "" {
		return dirs
	}
	for _, dir := range []string{
		".config/systemd/user", ".config/systemd/user/default.target.wants", ".local/share/systemd/user", ".config/autostart", "Library/LaunchAgents",
	} {
		dirs = append(dirs, filepath.Join(home, dir))
	}
	return dirs
}

// managedDirs hold an organisation's settings of Claude Code. Source: its own documentation of
// settings files.
var managedDirs = []string{"/etc/claude-code", "/Library/Application Support/ClaudeCode", "/Library/Managed Preferences", "C:/Program Files/ClaudeCode", "C:/ProgramData/ClaudeCode"}

// projectFile is a project's file for tightening; settingsDir and settingsFiles hook the gate
// into Claude Code.
const (
	projectFile = ".callgate.yaml"
	settingsDir = ".claude"
)

var settingsFiles = []string{"settings.json", "settings.local.json"}

// projectPlaces are the existing files of these two sorts where the call runs, and the
// account's own.
func projectPlaces(home string, c *engine.Context) []place {
	var out []place
	dirs := append([]string{c.CWD, c.ProjectRoot, home, c.Home}, c.WorkingDirectories...)
	looked := 0
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) || !filepath.IsAbs(dir) || looked > 64 {
			continue
		}
		looked++
		for _, name := range [...]string{projectFile, settingsDir + "/" + settingsFiles[0], settingsDir + "/" + settingsFiles[1]} {
			p := dir + string(filepath.Separator) + filepath.FromSlash(name)
			if exists(p) {
				for _, form := range forms(p) {
					out = append(out, place{parts: components(form), what: "this project's Callgate settings (" + name + ")", file: true})
				}
			}
		}
	}
	return out
}

// components are the folded parts of an absolute path.
func components(p string) []string {
	p = strings.Trim(fold(path.Clean(filepath.ToSlash(p))), "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// fold brings a path into the form for comparing protected paths: NFC, case folded, without
// characters ignored by some file systems.
func fold(p string) string {
	for i := range len(p) {
		if p[i] >= 0x80 {
			return foldWide(p)
		}
	}
	return strings.ToLower(p)
}

func foldWide(p string) string {
	folded := strings.Map(foldRune, norm.NFC.String(p))
	return norm.NFC.String(folded)
}
