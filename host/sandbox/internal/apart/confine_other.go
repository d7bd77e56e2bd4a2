//go:build !unix

package apart

// confine has nothing to hold a process with; the worker watches its own memory.
func confine(Limits) error { return nil }
