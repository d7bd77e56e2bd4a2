package pin

import "errors"

// Why a process's terminal cannot be told.
var (
	// ErrNoTerminal: the process has none, or is gone.
	ErrNoTerminal = errors.New("the program has no terminal; run it in one")
	// ErrUnsupported: this system does not tell.
	ErrUnsupported = errors.New("this system does not report a process's terminal")
)

// Process is one process, as it was when it was looked at. The zero Process is
// none and has no terminal.
type Process struct {
	pid  int
	born string // when it began, in the system's own words
}

// Look notes a process, so a later one with its number is not mistaken for it. Do it while the
// process is known to live, as when it connects.
func Look(pid int) Process {
	if pid <= 0 {
		return Process{}
	}
	p, err := inspect(pid)
	if err != nil {
		return Process{}
	}
	return Process{pid: pid, born: p.born}
}

// Terminal is the terminal session of the process: its controlling terminal, its session, and
// the start of the session's first process, so no later session has the same. It is the same
// text for all processes of one session. An error is ErrNoTerminal or ErrUnsupported.
// RATIONALE.md, "Why does presence belong to a terminal, and not to a token or a file?".
func (p Process) Terminal() (string, error) {
	if !supported {
		return "", ErrUnsupported
	}
	if p.pid == 0 {
		return "", ErrNoTerminal
	}
	now, err := inspect(p.pid)
	if err != nil || now.born != p.born || now.terminal == "" || now.leader <= 0 {
		return "", ErrNoTerminal
	}
	leader, err := inspect(now.leader)
	if err != nil || leader.terminal != now.terminal || leader.leader != now.leader {
		return "", ErrNoTerminal // the session has lost its head: the terminal was closed
	}
	return now.terminal + "/" + leader.born, nil
}

// seen is the system's view of a process.
type seen struct {
	born string
	// terminal names the controlling terminal and the session; empty without.
	terminal string
	// leader is the number of the session's first process.
	leader int
}
