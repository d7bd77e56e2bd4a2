package protect

import (
	"fmt"
	"os"
	"strings"
)

// isThread reports whether a number is that of one of the daemon's threads: a signal to one
// reaches the whole process.
func (j *judge) isThread(n int) bool {
	if j.facts.PID == 0 || n <= 0 {
		return false
	}
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", j.facts.PID, n))
	return err == nil
}

// processNames are the name and the command line of a process; empty when unknown.
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
