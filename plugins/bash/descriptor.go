package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/internal/paths"
)

// The standard streams have names in /dev. On Linux such a name reopens the file behind the
// descriptor: with "2< notes.md", ">/dev/stderr" truncates notes.md, although it was opened for
// reading only. So a stream's name is harmless only while the line itself gives that descriptor
// no file.

// descriptor is the number of a standard stream.
type descriptor int

const (
	other descriptor = iota - 2
	both             // of &>: the standard output and the standard error
)

// descriptorOf returns the descriptor opened by a redirection.
func descriptorOf(r *syntax.Redirect) descriptor {
	if r.N != nil {
		if n := r.N.Value; len(n) == 1 && n >= "0" && n <= "2" {
			return descriptor(n[0] - '0')
		}
		return other
	}
	switch r.Op {
	case syntax.RdrAll, syntax.AppAll, syntax.DplOut: // >&file is &>file
		return both
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn:
		return 0
	}
	return 1
}

// streams are the names of the standard streams.
var streams = map[string]descriptor{
	"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/0": 0, "/dev/fd/1": 1, "/dev/fd/2": 2,
}

// harmless reports whether p is a device safe to read and write: /dev/null and its like, or a
// standard stream without a file on the line. A redirection counts anywhere: at the command, at
// a group around it, at a program running it. RATIONALE.md, "Why are /dev/stdout and its kin
// harmless in some lines only?".
func (l *Line) harmless(p string) bool {
	d, stream := streams[p]
	return paths.HarmlessDevice(p) || stream && !l.opens(d)
}

// opens reports whether some redirection of the line gives a standard stream a
// file. Copies of descriptors (2>&1) may bring a file from any other.
func (l *Line) opens(d descriptor) bool {
	for _, cmd := range l.Commands {
		for _, r := range cmd.Redirects {
			if _, stream := streams[r.Word.Text]; r.Word.Literal && (stream || paths.HarmlessDevice(r.Word.Text)) {
				continue
			}
			if l.copies || r.Descriptor == d || r.Descriptor == both && d > 0 {
				return true
			}
		}
	}
	return false
}

// reopens reports whether a word of the command names a standard stream redirected to a file:
// the program's use of it is unknown.
func (l *Line) reopens(cmd *Command) bool {
	for _, word := range cmd.Args() {
		if !strings.Contains(word.Text, "/dev/") {
			continue
		}
		for name, d := range streams {
			if strings.Contains(word.Text, name) && l.opens(d) {
				return true
			}
		}
	}
	return false
}
