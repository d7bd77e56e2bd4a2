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

// Watch reads the file again whenever it changes and hands the new configuration over, until ctx
// ends; it returns ctx's error, or the reason why it cannot watch. For Default it waits for the
// file to appear. It watches directories (and makes that of Default), so it notices an editor's
// rename over the old file, and follows a link to the file. A change since c was read comes first.
//
// A missing, unreadable or bad file goes to onError and changes nothing: the caller keeps its
// configuration. Both functions are called one at a time, from the goroutine of Watch.
//
// A caller in need of the current file sends a channel on looks: it is closed after the file's
// content at this moment, once it is quiet, has been handed over. looks may be nil.
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
	// names are the base names of relevant events: the file's, its link's.
	names map[string]bool
	dirs  Dirs
	// last is the last content read; nil for a missing file.
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

// reload hands a changed file over.
func (w *watcher) reload(onChange func(*Config), onError func(error)) {
	data, err := read(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && w.last == nil:
		return
	case err != nil:
		w.last = nil
		onError(fmt.Errorf("read configuration: %w; the previous one stays in effect", err))
		return
	case w.last != nil && bytes.Equal(data, w.last):
		return
	}
	w.last = data
	c, err := Parse(w.path, data, w.dirs)
	if err != nil {
		onError(fmt.Errorf("the configuration has errors, the previous one stays in effect:\n%w", err))
		return
	}
	onChange(c)
}
