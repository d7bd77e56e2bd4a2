package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// defaultPoll is Options.Poll's.
	defaultPoll = 2 * time.Second
	// settle is how long the directory must be quiet before it is read, since files
	// are written in several steps; unsettled is when it is read all the same.
	settle    = 50 * time.Millisecond
	unsettled = 2 * time.Second
	// deepEvery is every how many polls the files themselves are read: a change may
	// leave the size and the times of a file as they were.
	deepEvery = 15
)

// newNotify makes the source of notifications.
var newNotify = fsnotify.NewWatcher

// Watch reloads whenever a file of the directory changes, comes or goes, until ctx ends; it returns
// ctx's error. It uses the system's notifications and looks for itself as well (Options.Poll);
// where the system has none, Report hears of this once. Simultaneous changes are read together.
// told receives each reload, one at a time, from the goroutine of Watch. An unreadable directory
// changes nothing, and Report hears of it once. A module refused for want of time is tried again, a
// few times with growing pauses.
func (c *Catalog) Watch(ctx context.Context, told func(Outcome)) error {
	w := &watcher{c: c, told: told, quiet: time.NewTimer(settle)}
	defer w.close()
	w.attach()
	poll := time.NewTicker(c.opts.Poll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-w.events():
			if watched(e.Name) || filepath.Clean(e.Name) == filepath.Clean(c.opts.Dir) {
				w.stir()
			}
		case <-w.errors(): // events may have been lost
			w.stir()
		case <-poll.C:
			w.look()
		case <-w.quiet.C:
			w.reload(ctx)
		case <-c.ripe:
			w.reload(ctx)
		}
	}
}

// watched reports whether a file of this name matters: a module, or its pins.
func watched(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".wasm" || ext == ".lock"
}

// watcher follows one directory. RATIONALE.md, "How is the directory of modules
// watched?".
type watcher struct {
	c      *Catalog
	told   func(Outcome)
	notify *fsnotify.Watcher // nil: nothing tells of changes
	dir    fs.FileInfo       // the directory watched by notify; nil for none
	quiet  *time.Timer
	since  time.Time        // when the directory became restless; zero when it is quiet
	seen   map[string]stamp // as of the last reload
	polls  int
	failed bool   // Report knows of missing notifications
	last   string // the last error for Report
}

// stamp is a file's state from outside.
type stamp struct {
	size int64
	time time.Time
	mode fs.FileMode
}

func (w *watcher) close() {
	w.quiet.Stop()
	if w.notify != nil {
		_ = w.notify.Close() // nothing is lost with it
	}
}

// events and errors are nil, and so never ready, where nothing tells of changes.
func (w *watcher) events() <-chan fsnotify.Event {
	if w.notify == nil {
		return nil
	}
	return w.notify.Events
}

func (w *watcher) errors() <-chan error {
	if w.notify == nil {
		return nil
	}
	return w.notify.Errors
}

// attach requests notifications for the directory presently at the path.
func (w *watcher) attach() {
	now, err := os.Stat(w.c.opts.Dir)
	if err != nil {
		w.dir = nil // absent: the poll sees when it is there
		return
	}
	if w.failed || w.dir != nil && os.SameFile(w.dir, now) {
		return
	}
	if w.notify == nil {
		w.notify, err = newNotify()
	} else {
		_ = w.notify.Remove(w.c.opts.Dir) // the one before is gone
	}
	if err == nil {
		err = w.notify.Add(w.c.opts.Dir)
	}
	if err != nil {
		w.failed = true
		w.c.opts.Report(fmt.Errorf("the system does not report changes of %s, so it is checked every %s: %w", w.c.opts.Dir, w.c.opts.Poll, err))
		return
	}
	w.dir = now
}

// stir has the directory read when it has been quiet for a moment.
func (w *watcher) stir() {
	now := time.Now()
	if w.since.IsZero() {
		w.since = now
	}
	w.quiet.Reset(max(0, min(settle, w.since.Add(unsettled).Sub(now))))
}

// look looks for changes without a notification.
func (w *watcher) look() {
	w.attach()
	if !w.since.IsZero() {
		return
	}
	w.polls++
	if w.c.due() || !maps.Equal(w.stamps(), w.seen) || w.polls%deepEvery == 0 && w.c.differs() {
		w.stir()
	}
}

// stamps looks at the files from outside; none for an unreadable directory.
func (w *watcher) stamps() map[string]stamp {
	entries, err := os.ReadDir(w.c.opts.Dir)
	if err != nil {
		return nil
	}
	stamps := map[string]stamp{}
	for _, e := range entries {
		if i, err := e.Info(); err == nil && watched(e.Name()) {
			stamps[e.Name()] = stamp{i.Size(), i.ModTime(), i.Mode()}
		}
	}
	return stamps
}

func (w *watcher) reload(ctx context.Context) {
	w.since, w.seen = time.Time{}, w.stamps() // before the files are read: a change meanwhile is seen again
	w.c.mu.Lock()
	out, _, err := w.c.replace(ctx)
	w.c.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil && err.Error() != w.last {
			w.last = err.Error()
			w.c.opts.Report(err)
		}
		return
	}
	w.last = ""
	if len(out.Swaps) == 0 && out.Trying > 0 {
		return // there is something to tell when these were tried
	}
	w.told(out)
}

// differs reports whether the directory holds other bytes than were read last.
func (c *Catalog) differs() bool {
	files, _, err := directoryFiles(c.opts.Dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !maps.Equal(digests(files), c.read)
}

// digests are the digests of files by name.
func digests(files []file) map[string]string {
	out := make(map[string]string, len(files))
	for _, f := range files {
		out[f.file] = f.digest
	}
	return out
}
