// Package doctor examines an installation and reports problems with their fixes: whether the hook
// is installed and really blocks, settings against it, the present boundary, and the state of
// daemon, store, modules, disk and clock.
//
// It tries a client's behavior instead of asserting it: canary calls go through the installed
// command, started as the client would, and the client's own rule (claudecode.Verdict) reads the
// outcome.
package doctor
