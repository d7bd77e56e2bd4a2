package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/account"
)

// Dirs are the places of one account, all absolute. Source: XDG base directory
// specification, on every system.
type Dirs struct {
	// Home is the account's home directory.
	Home string
	// Config holds callgate.yaml and modules, State the store, the socket and the tokens, Cache
	// regenerable data. None needs to exist.
	Config string
	State  string
	Cache  string
}

// UserDirs returns the places of the account the process runs as, each "callgate" below
// $XDG_CONFIG_HOME, $XDG_STATE_HOME and $XDG_CACHE_HOME. Following the specification, an empty or
// relative variable counts as not set.
func UserDirs() (Dirs, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Dirs{}, fmt.Errorf("cannot find the home directory: %w; set HOME", err)
	}
	return dirsOf(home, os.Getenv)
}

// AccountDirs returns the places of the account the process runs as, by the system's list of
// accounts and by nothing else: $HOME, $XDG_* and $USER have no effect: the author of a program's
// environment must not choose its daemon. Threat T07.
func AccountDirs() (Dirs, error) {
	home, err := account.Home()
	if err != nil {
		return Dirs{}, fmt.Errorf("cannot find the account's home directory: %w", err)
	}
	return dirsOf(home, func(string) string { return "" })
}

func dirsOf(home string, getenv func(string) string) (Dirs, error) {
	if !filepath.IsAbs(home) {
		return Dirs{}, fmt.Errorf("home directory %q is not absolute; set HOME", home)
	}
	place := func(variable string, fallback ...string) string {
		base := getenv(variable)
		if !filepath.IsAbs(base) {
			base = filepath.Join(append([]string{home}, fallback...)...)
		}
		return filepath.Join(base, "callgate")
	}
	return Dirs{
		Home:   home,
		Config: place("XDG_CONFIG_HOME", ".config"),
		State:  place("XDG_STATE_HOME", ".local", "state"),
		Cache:  place("XDG_CACHE_HOME", ".cache"),
	}, nil
}

// ConfigFile is where the configuration is looked for.
func (d Dirs) ConfigFile() string { return filepath.Join(d.Config, "callgate.yaml") }

// Socket is where the daemon listens when nothing else is said.
func (d Dirs) Socket() string { return filepath.Join(d.State, "callgate.sock") }

// Modules is where tool modules of others are when nothing else is said.
func (d Dirs) Modules() string { return filepath.Join(d.Config, "modules") }

// expand turns "~" and "~/..." into the home directory and cleans the path; any
// other path must be absolute.
func (d Dirs) expand(path string) (string, error) {
	switch {
	case path == "~":
		return filepath.Clean(d.Home), nil
	case strings.HasPrefix(path, "~/"):
		return filepath.Join(d.Home, path[2:]), nil
	case !filepath.IsAbs(path):
		return "", fmt.Errorf("path %q is neither absolute nor starts with ~/", path)
	}
	return filepath.Clean(path), nil
}
