package account

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Home returns this user's home directory from the list of accounts. os/user would fall back on
// $HOME for a user missing in the list, so the list is read here. RATIONALE.md, "Why does the hook
// read /etc/passwd itself, and clear its environment?".
func Home() (string, error) {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	return homeIn(f, os.Getuid())
}

// homeIn reads the list in the form of passwd(5).
func homeIn(list io.Reader, uid int) (string, error) {
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(uid) && fields[0] != "" && fields[0][0] != '#' {
			return fields[5], nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", fmt.Errorf("/etc/passwd has no user %d", uid)
}
