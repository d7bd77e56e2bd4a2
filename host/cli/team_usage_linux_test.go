package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// usage is the processor time so far of the programs of a measurement.
type usage struct {
	daemons, database, clients time.Duration
	// machine is that of all programs, idle the time without any, both of all processors.
	machine, idle time.Duration
}

// used reads the processor times; a team without a server has no database.
func (tm *team) used() (u usage) {
	for _, m := range tm.members {
		u.daemons += processorTime(tm.t, m.cmd.Process.Pid)
	}
	u.clients = processorTime(tm.t, os.Getpid())
	if tm.server != nil {
		u.database = family(tm.t, tm.server.PID())
	}
	first, _, _ := strings.Cut(read(tm.t, "/proc/stat"), "\n")
	for i, word := range strings.Fields(first)[1:9] { // user to steal; the rest is within user
		if i == 3 || i == 4 { // idle, iowait
			u.idle += ticks(tm.t, word)
			continue
		}
		u.machine += ticks(tm.t, word)
	}
	return u
}

func (u usage) since(before usage) usage {
	return usage{
		daemons: u.daemons - before.daemons, database: u.database - before.database, clients: u.clients - before.clients,
		machine: u.machine - before.machine, idle: u.idle - before.idle,
	}
}

// of is the share of n decisions, with how busy the machine was and how much of that was others' work.
func (u usage) of(n int) string {
	each := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000/float64(max(n, 1))) }
	ours := u.daemons + u.database + u.clients
	return fmt.Sprintf("processor time of a decision: daemons %s, PostgreSQL %s, clients %s; processors busy %.0f %%, by other programs %.0f %%",
		each(u.daemons), each(u.database), each(u.clients),
		100*u.machine.Seconds()/(u.machine+u.idle).Seconds(), 100*(u.machine-ours).Seconds()/(u.machine+u.idle).Seconds())
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ticks are hundredths of a second.
func ticks(t testing.TB, word string) time.Duration {
	t.Helper()
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(n) * 10 * time.Millisecond
}

// status is the line of a process in /proc, from its state on.
func status(t testing.TB, pid int) []string {
	t.Helper()
	_, rest, _ := strings.Cut(read(t, fmt.Sprintf("/proc/%d/stat", pid)), ") ")
	return strings.Fields(rest)
}

// processorTime is that of a process so far.
func processorTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	fields := status(t, pid)
	return ticks(t, fields[11]) + ticks(t, fields[12])
}

// family is the processor time of a process and its children, those that ended included.
func family(t testing.TB, pid int) (sum time.Duration) {
	t.Helper()
	fields := status(t, pid)
	for _, field := range fields[11:15] {
		sum += ticks(t, field)
	}
	for child := range strings.FieldsSeq(read(t, fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))) {
		id, err := strconv.Atoi(child)
		if err != nil {
			t.Fatal(err)
		}
		sum += processorTime(t, id)
	}
	return sum
}

// privateKiB is the memory of a process that no file backs.
func privateKiB(t testing.TB, pid int) int {
	t.Helper()
	for line := range strings.Lines(read(t, fmt.Sprintf("/proc/%d/status", pid))) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the process has no RssAnon")
	return 0
}
