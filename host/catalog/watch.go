package catalog

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

// newNotify makes what tells of changes.
var newNotify = fsnotify.NewWatcher

// Watch reloads whenever a file of the directory changed, comes or goes, until ctx
// ends; it returns ctx's error. It hears of changes from the system and looks for
// itself as well (Options.Poll); where the system tells nothing, Report hears of
// that once. Changes that come together are read together. told hears of each
// reload, one at a time, from the goroutine that runs Watch. What cannot be read
// changes nothing, and Report hears of it once. A module that was refused for want of
// time is tried again, a few times with growing pauses.
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
		}
	}
}

// watched reports whether a file of that name matters: a module, or what pins them.
func watched(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".wasm" || ext == ".lock"
}

// watcher follows one directory.
type watcher struct {
	c      *Catalog
	told   func(Outcome)
	notify *fsnotify.Watcher // nil: nothing tells of changes
	dir    fs.FileInfo       // the directory that notify is on; nil for none
	quiet  *time.Timer
	since  time.Time        // when the directory became restless; zero when it is quiet
	seen   map[string]stamp // as of the last reload
	polls  int
	failed bool   // Report was told that nothing tells of changes
	last   string // the error that Report was told last
}

// stamp is what a look from outside tells of a file.
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

// attach has the system tell of changes in the directory that has the name now.
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
		w.c.opts.Report(fmt.Errorf("changes of %s are not told by the system, so it is looked at every %s: %w", w.c.opts.Dir, w.c.opts.Poll, err))
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

// look looks for changes that nobody told of.
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

// stamps looks at the files from outside; none of a directory that cannot be read.
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
	w.since, w.seen = time.Time{}, w.stamps() // before the files are read: what changes meanwhile is seen again
	w.c.reload.Lock()
	out, err := w.c.replace(ctx, w.c.grants, w.c.limits)
	w.c.reload.Unlock()
	if err != nil {
		if ctx.Err() == nil && err.Error() != w.last {
			w.last = err.Error()
			w.c.opts.Report(err)
		}
		return
	}
	w.last = ""
	w.told(out)
}

// differs reports whether the directory holds other bytes than were read last.
func (c *Catalog) differs() bool {
	files, _, err := directoryFiles(c.opts.Dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	c.reload.Lock()
	defer c.reload.Unlock()
	return !maps.Equal(digests(files), c.read)
}

// digests are the digests of files by name.
func digests(files []file) map[string]string {
	out := make(map[string]string, len(files))
	for _, f := range files {
		out[f.name] = f.digest
	}
	return out
}
