//go:build unix

// Package stat asks the kernel what is at a path. The standard library makes a copy of the path, and
// of the answer, each time; a check asks some forty times. It imports no other room.
package stat

import "syscall"

// Stat fills st with what a path leads to. An error is a syscall.Errno, never syscall.EINTR.
func Stat(path string, st *syscall.Stat_t) error { return at(path, st, 0) }

// Lstat is Stat without following a link at the path's end.
func Lstat(path string, st *syscall.Stat_t) error { return at(path, st, noFollow) }
