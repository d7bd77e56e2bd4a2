package protect

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// kernel judges paths other than files: of processes, memory and terminals.
func (j *judge) kernel(form string, parts []string, access string) string {
	if len(parts) < 2 {
		return ""
	}
	switch parts[0] {
	case "dev":
		return device(form, parts[1:])
	case "proc":
		return j.proc(form, parts[1:], access)
	}
	return ""
}

// device judges raw memory, raw disks' kin and terminals.
func device(form string, parts []string) string {
	name := parts[0]
	for _, memory := range []string{"mem", "kmem", "port"} {
		if mayBe(name, memory) {
			return "it opens " + form + ", the memory of every process"
		}
	}
	terminal := name == "pts" && len(parts) > 1 || name == "console" || strings.HasPrefix(name, "tty") || strings.HasPrefix(name, "vcs")
	if terminal || strings.ContainsAny(name, "*?[") && (mayBe(name, "pts") || mayBe(name, "tty1") || mayBe(name, "tty")) {
		return "it opens " + form + ", a terminal, where it could read or answer for a person"
	}
	return ""
}

// harmlessProc are the files of a process about its state alone.
var harmlessProc = []string{"status", "stat", "statm", "cmdline", "comm", "cgroup", "io", "limits", "oom_score", "sched", "schedstat", "wchan"}

// proc judges /proc/PID/...; parts begin with the PID.
func (j *judge) proc(form string, parts []string, access string) string {
	if parts[0] == "kcore" {
		return "it opens " + form + ", the memory of every process"
	}
	pid, rest := parts[0], parts[1:]
	if len(rest) >= 2 && rest[0] == "task" {
		rest = rest[2:]
	}
	if len(rest) == 0 {
		return ""
	}
	if j.mayBeOurs(pid) && !(access == "read" && len(rest) == 1 && slices.Contains(harmlessProc, rest[0])) {
		return fmt.Sprintf("it opens %s, a part of Callgate's process", form)
	}
	switch {
	case mayBe(rest[0], "root"):
		return j.again("/"+path.Join(rest[1:]...), access)
	case mayBe(rest[0], "cwd") && (pid == "self" || pid == "thread-self"):
		return j.again(path.Join("/", j.call.Context.CWD, path.Join(rest[1:]...)), access)
	case (mayBe(rest[0], "cwd") || mayBe(rest[0], "fd")) && len(rest) > 1 && pid != "self" && pid != "thread-self",
		mayBe(rest[0], "fd") && len(rest) > 2:
		return fmt.Sprintf("it cannot be told where %s leads", form)
	}
	return ""
}

// again judges the destination of a path in /proc.
func (j *judge) again(p, access string) string {
	if access == "write" {
		return j.oneTree(p, access)
	}
	return j.onePath(p, access)
}

// mayBeOurs tells whether a component of /proc can be the daemon's process or
// the one above it.
func (j *judge) mayBeOurs(written string) bool {
	for _, pid := range []int{j.facts.PID, j.facts.Parent} {
		if pid > 0 && mayBe(written, strconv.Itoa(pid)) {
			return true
		}
	}
	n, err := strconv.Atoi(written)
	return err == nil && j.isThread(n)
}
