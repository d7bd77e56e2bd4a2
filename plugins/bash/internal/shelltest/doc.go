// Package shelltest finds out what real shells run: it generates command lines,
// and runs them in bash, dash, zsh and others with every program replaced by a
// recorder.
//
// A Lab is a directory tree of its own: recorders under the names of Programs
// (the whole PATH), an almost empty working directory, a home, a log. The
// recorders are one program under many names. Nearly all names are invented, so that no real program can run whatever a shell makes of a line,
// no absolute path is generated (Safe), and a Lab that is used by root gives its
// shells to the user nobody.
package shelltest
