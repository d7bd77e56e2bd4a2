// Package process is the process of a hook: its part of the environment, its ending signals, and
// its exit code. Imported by the program, it runs a hook in its installed form before the rest of
// the program is initialised (early.go).
//
// It may import the hooks, the caller and small packages without tables of their own; the
// commands call it.
package process
