// Package shelltest finds the programs real shells run: it generates command lines, and runs them
// in bash, dash, zsh and others with every program replaced by a recorder.
//
// A Lab is a directory tree of its own: recorders under the names of Programs (the whole PATH), an
// almost empty working directory, a home, a log. The recorders are one program under many names.
// Nearly all names are invented, so no real program can run in any reading of a line; no absolute
// path is generated (Safe), and a Lab used by root gives its shells to an unprivileged user.
// RATIONALE.md, "How do we know what a shell runs?".
package shelltest
