package folder

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/callgate/callgate/host/internal/gate/target"
)

// Laws decide which folders may be trusted. The zero Laws refuse every folder. RATIONALE.md,
// "Which folders are never offered?".
type Laws struct {
	set   bool
	homes []string
	own   []string
}

// NewLaws returns the laws of a machine with these home directories, where Callgate keeps
// its own files in these places. All are absolute; empty ones are skipped.
func NewLaws(homes, own []string) Laws {
	l := Laws{set: true}
	for _, h := range homes {
		if path.IsAbs(h) {
			l.homes = append(l.homes, fold(h))
		}
	}
	for _, o := range own {
		if path.IsAbs(o) {
			l.own = append(l.own, fold(o))
		}
	}
	return l
}

// maxPath bounds a folder's path, so a card shows it whole.
const maxPath = 256

// Refuse says why a folder may not be trusted, as the end of a sentence about it; empty
// when it may.
func (l Laws) Refuse(f target.Folder) string {
	if why := l.RefusePath(f.Path); why != "" {
		return why
	}
	switch {
	case f.File == "":
		return "cannot be distinguished from another folder with the same name"
	case len(f.Repositories) > 1:
		return fmt.Sprintf("contains several projects (%s, %s)", path.Base(f.Repositories[0]), path.Base(f.Repositories[1]))
	}
	return ""
}

// RefusePath is Refuse by the path alone, judged as by a file system that ignores case.
func (l Laws) RefusePath(p string) string {
	switch {
	case !l.set:
		return "cannot be checked here"
	case !path.IsAbs(p) || path.Clean(p) != p:
		return "is not an absolute, clean path"
	case len(p) > maxPath || !utf8.ValidString(p) || strings.ContainsFunc(p, unshown):
		return "has characters in its name that a card cannot show"
	}
	p = fold(p)
	parts := strings.Split(strings.Trim(p, "/"), "/")
	switch {
	case p == "/":
		return "is the root of the file system"
	case inAny(temporary, p):
		return "is in a directory for temporary files"
	case inAny(system, p):
		return "is a directory of the system"
	case l.home(p, parts):
		return "is or contains a home directory"
	case len(parts) < 2 || drive(parts):
		return "is a whole drive or a top directory"
	case slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, ".") }):
		return "is in a hidden directory, where programs keep their own files"
	case l.common(p):
		return "is a common directory of a home, not one project"
	}
	for _, own := range l.own {
		if within(own, p) || within(p, own) {
			return "contains Callgate's own files"
		}
	}
	return ""
}

// unshown are characters invisible or misleading in a path.
func unshown(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune("\u200e\u200f", r) }

// temporary and system are trees without projects. Compared folded.
var (
	temporary = []string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm", "/run"}
	system    = []string{
		"/applications", "/bin", "/boot", "/dev", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/library", "/lost+found", "/nix",
		"/private", "/proc", "/sbin", "/snap", "/sys", "/system", "/usr", "/var",
	}
	// commons are directories directly in a home with all kinds of files; below library and
	// appdata nothing is offered, either.
	commons = []string{"desktop", "documents", "downloads", "dropbox", "movies", "music", "onedrive", "pictures", "public", "videos"}
	kept    = []string{"appdata", "library"}
)

// home reports whether a folder is a home directory, or above one.
func (l Laws) home(p string, parts []string) bool {
	if slices.ContainsFunc(l.homes, func(h string) bool { return within(p, h) }) {
		return true
	}
	_, left := someHome(parts)
	return left == 0
}

// homeRoots are the parents of home directories.
var homeRoots = [][]string{{"home"}, {"users"}, {"export", "home"}, {"mnt", "c", "users"}}

// someHome finds the home around a path by its shape: the number of components of the home, and
// of those below it; -1 below when it is in none.
func someHome(parts []string) (home, below int) {
	if parts[0] == "root" {
		return 1, len(parts) - 1
	}
	for _, root := range homeRoots {
		if n := len(root); len(parts) >= n && slices.Equal(parts[:n], root) {
			return n + 1, max(0, len(parts)-n-1)
		}
	}
	return 0, -1
}

// common reports whether a folder is one of the usual ones in a home.
func (l Laws) common(p string) bool {
	homes := slices.Clone(l.homes)
	parts := strings.Split(strings.Trim(p, "/"), "/")
	if n, below := someHome(parts); below > 0 {
		homes = append(homes, "/"+strings.Join(parts[:n], "/"))
	}
	for _, h := range homes {
		if !within(h, p) {
			continue
		}
		below := strings.Split(strings.Trim(strings.TrimPrefix(p, h), "/"), "/")
		if len(below) == 1 && slices.Contains(commons, below[0]) || slices.Contains(kept, below[0]) {
			return true
		}
	}
	return false
}

// drive reports whether a path is the root of a mounted medium: /mnt/c, /media/ann/stick,
// /Volumes/Work.
func drive(parts []string) bool {
	switch parts[0] {
	case "mnt", "volumes":
		return len(parts) < 3
	case "media":
		return len(parts) < 4
	}
	return false
}

func inAny(trees []string, p string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return within(tree, p) })
}

// fold is a path as seen by a file system that ignores case and composition.
func fold(p string) string { return norm.NFC.String(strings.ToLower(path.Clean(p))) }

// within reports whether p is dir or below it; both are absolute and clean.
func within(dir, p string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}
