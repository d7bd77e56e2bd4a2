package target

import (
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"
)

// Stamp is the state of the names in a directory: another one after a name was added or
// removed. The zero Stamp stands for an unknown state.
type Stamp struct {
	// Device and File are the numbers of the directory.
	Device, File uint64
	// Modified and Changed are times in nanoseconds. A program without the rights of root
	// cannot choose Changed.
	Modified, Changed int64
}

// Stamper is a file system with stamps of directories. OS() is one on Linux and macOS.
type Stamper interface {
	// Stamp is Lstat, with the stamp of a directory.
	Stamp(path string) (fs.FileMode, Stamp, error)
}

// watched are the names that are looked for in every directory above a target.
var watched = func() []string {
	names := []string{".git", "HEAD", ".cargo"}
	for _, file := range toolFiles {
		if file.dir == "" {
			names = append(names, file.name)
		}
	}
	return names
}()

// lacks is a set of watched names that a directory does not have.
type lacks uint32

func (l lacks) name(name string) bool {
	if l == 0 {
		return false
	}
	i := slices.Index(watched, name)
	return i >= 0 && l&(1<<i) != 0
}

// absences remembers the watched names that directories lack, for as long as their stamps
// stay the same. RATIONALE.md, "Why is only the absence of files remembered?". Its methods are
// safe for concurrent use; the zero value is ready for use.
type absences struct {
	mu   sync.Mutex
	dirs map[string]absence
}

type absence struct {
	stamp Stamp
	lacks lacks
}

// maxAbsences bounds the remembered directories.
const maxAbsences = 4096

// settling is how old the last change of a directory must be: two changes within one tick of
// the file system's clock have one stamp. FAT has ticks of two seconds.
const settling = 5 * time.Second

func (s Stamp) settled(now time.Time) bool {
	latest := max(s.Changed, s.Modified)
	return s != Stamp{} && latest < now.Add(-settling).UnixNano()
}

func (a *absences) find(dir string, stamp Stamp) (lacks, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.dirs[dir]
	return known.lacks, ok && known.stamp == stamp
}

func (a *absences) add(dir string, now absence) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dirs == nil || len(a.dirs) >= maxAbsences {
		a.dirs = map[string]absence{}
	}
	a.dirs[dir] = now
}

// lacksOf returns the watched names that a directory, just looked at, surely lacks. In a
// directory at rest it looks for all of them once: first its stamp, then the names, so
// that a later change of them has another stamp.
func (w *walker) lacksOf(dir string, n node) lacks {
	if !n.stamp.settled(w.now) {
		return 0
	}
	if known, ok := w.absent.find(dir, n.stamp); ok {
		return known
	}
	stamper, ok := w.fs.(Stamper)
	if !ok || w.ctx.Err() != nil || w.answered(dir) {
		return 0
	}
	_, stamp, err := stamper.Stamp(dir)
	w.ctx.steps.Add(1)
	if err != nil || stamp != n.stamp {
		return 0
	}
	var found lacks
	for i, name := range watched {
		if w.ask(below(dir, name)).err == fs.ErrNotExist { //nolint:errorlint // this very error, and none around it
			found |= 1 << i
		}
	}
	w.absent.add(dir, absence{stamp, found})
	return found
}

// answered reports whether a directory's times are the word of another machine or of a program.
func (w *walker) answered(dir string) bool {
	for ; ; dir = path.Dir(dir) {
		if kind, mounted := w.mounts[dir]; mounted || dir == "/" {
			return remote(kind)
		}
	}
}
