package protect

import (
	"fmt"
	"os"
	"strings"
)

// isThread tells whether a number is that of one of the daemon's threads, which
// stand for the whole process where it is signalled.
func (j *judge) isThread(n int) bool {
	if j.facts.PID == 0 || n <= 0 {
		return false
	}
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", j.facts.PID, n))
	return err == nil
}

// processNames are what a process is called and how it was started; empty when
// it cannot be told.
func processNames(pid int) (name, line string) {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return "", ""
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		args = nil // the name alone is known
	}
	return strings.TrimSpace(string(comm)), strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
}
