//go:build !linux

package account

import (
	"os"
	"os/user"
	"strconv"
)

// Home returns this user's home directory. Here os/user asks the system and not the environment.
func Home() (string, error) {
	if uid := os.Getuid(); uid >= 0 {
		u, err := user.LookupId(strconv.Itoa(uid))
		if err != nil {
			return "", err
		}
		return u.HomeDir, nil
	}
	u, err := user.Current() // Windows: the process's token
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
