package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processorTime is what a process has had of the processors so far, read where it
// is told in nanoseconds, thread by thread; no thread of a Go program ends so soon.
func processorTime(pid int) (all time.Duration, err error) {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return 0, err
	}
	for _, t := range threads {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, t.Name()))
		if err != nil {
			return 0, err
		}
		ran, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, err
		}
		all += time.Duration(ns)
	}
	return all, nil
}

// privateMemory is the memory that a process shares with no other, in KiB.
func privateMemory(pid int) (kib int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var n int
		name, rest, _ := strings.Cut(line, ":")
		if _, scanned := fmt.Sscan(rest, &n); strings.HasPrefix(name, "Private_") && scanned == nil {
			kib += n
		}
	}
	if kib == 0 {
		return 0, errors.New("smaps_rollup tells of no private memory")
	}
	return kib, nil
}
