//go:build !unix

package compileproc

// confine has nothing to hold a process with; the worker watches its own memory.
func confine(Limits) error { return nil }
