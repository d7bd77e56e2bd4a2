// Package process is the process of a hook: its part of the environment, its ending signals, and
// its exit code. Package early runs an installed hook before the rest of callgate is initialised.
//
// It may import the hooks, the caller and small packages without tables of their own; the
// commands call it.
package process
