package modules

import "github.com/fsnotify/fsnotify"

// SetNotify replaces the source of changes, until restore is called.
func SetNotify(f func() (*fsnotify.Watcher, error)) (restore func()) {
	before := newNotify
	newNotify = f
	return func() { newNotify = before }
}
