package catalog

import "github.com/fsnotify/fsnotify"

// SetNotify replaces what tells of changes, until restore is called.
func SetNotify(f func() (*fsnotify.Watcher, error)) (restore func()) {
	before := newNotify
	newNotify = f
	return func() { newNotify = before }
}
