//go:build !linux

package config

import (
	"os"
	"os/user"
	"strconv"
)

// accountHome is the home directory that the system gives this process's user.
// Here os/user asks the system and not the environment.
func accountHome() (string, error) {
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
