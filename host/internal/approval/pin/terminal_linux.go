package pin

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

const supported = true

// inspect reads /proc/PID/stat. Source: proc_pid_stat(5).
func inspect(pid int) (seen, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return seen{}, err
	}
	return parseStat(string(text))
}

// The places of members of stat behind the program's name, from 0.
const (
	statState   = 0
	statSession = 3
	statTTY     = 4
	statStart   = 19
)

// parseStat reads one line. The second member is the program's name, chosen by the program: it
// may hold blanks, brackets and line feeds, so only the text behind the last bracket counts.
func parseStat(text string) (seen, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return seen{}, fmt.Errorf("process status %.40q: want a name in brackets", text)
	}
	members := strings.Fields(text[end+1:])
	if len(members) <= statStart {
		return seen{}, fmt.Errorf("process status of %d members behind the name: want at least %d", len(members), statStart+1)
	}
	session, err := strconv.Atoi(members[statSession])
	if err != nil {
		return seen{}, fmt.Errorf("process status: session: %w", err)
	}
	tty, err := strconv.ParseInt(members[statTTY], 10, 32)
	if err != nil {
		return seen{}, fmt.Errorf("process status: terminal: %w", err)
	}
	start, err := strconv.ParseUint(members[statStart], 10, 64)
	if err != nil {
		return seen{}, fmt.Errorf("process status: start: %w", err)
	}
	out := seen{born: strconv.FormatUint(start, 10), leader: session}
	if dead := members[statState] == "Z" || members[statState] == "X"; tty != 0 && session > 0 && !dead {
		out.terminal = fmt.Sprintf("tty%d/%d", tty, session)
	}
	return out, nil
}
