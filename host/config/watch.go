package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a file must be quiet before it is read: editors write in
// several steps.
const settle = 50 * time.Millisecond

// Watch reads the file again whenever it changes and hands the new
// configuration over, until ctx ends; it returns ctx's error, or the reason why
// it cannot watch. For Default it waits for the file to appear where it is
// looked for. It watches directories (and makes that of Default), so that
// editors that rename a new file over the old one are seen, and follows a link
// to the file. What changed since c was read is handed over first.
//
// A file that is gone, unreadable or bad goes to onError and changes nothing:
// the caller keeps the configuration it has. Both functions are called one at a
// time, from the goroutine that runs Watch.
//
// Who cannot wait for the system to tell of a change sends a channel on looks: it is
// closed when what the file held then, once it is quiet, has been handed over. A nil
// looks is never asked.
func (c *Config) Watch(ctx context.Context, looks <-chan chan<- struct{}, onChange func(*Config), onError func(error)) error {
	w, err := c.watcher()
	if err != nil {
		return fmt.Errorf("watch configuration: %w", err)
	}
	defer func() { _ = w.notify.Close() }() // nothing is lost with it
	w.reload(onChange, onError)
	timer := time.NewTimer(settle)
	timer.Stop()
	var waiting []chan<- struct{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case looked := <-looks:
			if !w.changed() {
				close(looked)
				continue
			}
			waiting = append(waiting, looked)
			timer.Reset(settle) // as if the system had told: it may be half written
		case event := <-w.notify.Events:
			if w.names[filepath.Base(event.Name)] {
				timer.Reset(settle)
			}
		case err := <-w.notify.Errors:
			onError(fmt.Errorf("watch configuration %s: %w", w.path, err))
			timer.Reset(settle) // events may have been lost
		case <-timer.C:
			w.reload(onChange, onError)
			for _, looked := range waiting {
				close(looked)
			}
			waiting = nil
		}
	}
}

type watcher struct {
	notify *fsnotify.Watcher
	path   string
	// names are the base names whose events matter: the file's, its link's.
	names map[string]bool
	dirs  Dirs
	// last is what was read last; nil when there was nothing to read.
	last []byte
}

func (c *Config) watcher() (*watcher, error) {
	w := &watcher{path: c.File, dirs: c.dirs, last: c.data, names: map[string]bool{}}
	if w.path == "" {
		w.path = c.dirs.ConfigFile()
		if err := os.MkdirAll(c.dirs.Config, 0o700); err != nil {
			return nil, err
		}
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w.notify = notify
	places := []string{w.path}
	if target, err := filepath.EvalSymlinks(w.path); err == nil && target != w.path {
		places = append(places, target)
	}
	for _, place := range places {
		w.names[filepath.Base(place)] = true
		if err := notify.Add(filepath.Dir(place)); err != nil {
			return nil, errors.Join(err, notify.Close())
		}
	}
	return w, nil
}

// changed reports whether there is something to hand over. It mirrors reload.
func (w *watcher) changed() bool {
	data, err := read(w.path)
	if err != nil {
		return w.last != nil // else it was told, or never there
	}
	return w.last == nil || !bytes.Equal(data, w.last)
}

// reload hands the file over if it differs from what was read last.
func (w *watcher) reload(onChange func(*Config), onError func(error)) {
	data, err := read(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && w.last == nil:
		return
	case err != nil:
		w.last = nil
		onError(fmt.Errorf("read configuration: %w: the old one stays in force", err))
		return
	case w.last != nil && bytes.Equal(data, w.last):
		return
	}
	w.last = data
	c, err := Parse(w.path, data, w.dirs)
	if err != nil {
		onError(fmt.Errorf("the configuration has errors, the old one stays in force:\n%w", err))
		return
	}
	onChange(c)
}
