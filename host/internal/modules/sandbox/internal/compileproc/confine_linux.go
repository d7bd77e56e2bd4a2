package compileproc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func confine(l Limits) error {
	strip()
	data, err := dataBytes()
	if err != nil {
		return err
	}
	return errors.Join(
		limit("memory", unix.RLIMIT_DATA, data+uint64(l.Bytes), 0), // not RLIMIT_AS: Go reserves addresses it never uses
		limit("processor time", unix.RLIMIT_CPU, l.seconds(), grace),
		limit("core dumps", unix.RLIMIT_CORE, 0, 0),
		limit("file sizes", unix.RLIMIT_FSIZE, 0, 0),
	)
}

func limit(name string, resource int, most, more uint64) error {
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most + more}); err != nil {
		return fmt.Errorf("limit %s: %w", name, err)
	}
	return nil
}

// strip gives up a worker's unneeded rights. None of it is needed to keep a guest in, and a
// system may forbid any of it.
func strip() {
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, niceness) // the group's: this thread alone would be the process's
	// On each thread; a program with C in it cannot.
	_, _, _ = syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
	header, none := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
	_, _, _ = syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0)
	closeInherited()
}

// closeInherited closes the files inherited by the process; files opened by this program itself
// never reach a started one.
func closeInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

// dataBytes is the process's current size as counted by RLIMIT_DATA. Source: proc_pid_statm(5).
func dataBytes() (uint64, error) {
	const field = 5
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	if len(fields) <= field {
		return 0, errors.New("/proc/self/statm: too few fields")
	}
	n, err := strconv.ParseUint(string(fields[field]), 10, 64)
	return n * uint64(os.Getpagesize()), err
}
