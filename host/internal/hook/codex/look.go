package codex

import (
	"errors"
	"io/fs"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// State is what an account's files say about the hook.
type State struct {
	// Installed: our hook stands in hooks.json; Hook is it. Trusted: the client does not skip it.
	Installed, Trusted bool
	Hook               settings.Hook
	// Off says what switches the hook off; empty for nothing. Err is an unreadable file.
	Off string
	Err error
}

// Look reads the hook in hooksDir and its trust in config.toml of home.
func Look(hooksDir, home string) State {
	var s State
	path := HooksFile(hooksDir)
	text, err := readConfig(path)
	if err != nil {
		s.Err = notThere(err)
		return s
	}
	var group, at int
	if s.Hook, group, at, s.Installed, s.Err = settings.Codex.Place(path, text, settings.PreToolUse); s.Err != nil || !s.Installed {
		return s
	}
	s.Hook.File, s.Hook.Scope = path, settings.User
	data, err := readConfig(configPath(home))
	if err != nil {
		s.Err = notThere(err)
		return s
	}
	var file struct {
		Features map[string]any `toml:"features"`
		Hooks    struct {
			State map[string]struct {
				Hash    string `toml:"trusted_hash"`
				Enabled *bool  `toml:"enabled"`
			} `toml:"state"`
		} `toml:"hooks"`
	}
	if s.Err = toml.Unmarshal(data, &file); s.Err != nil {
		return s
	}
	if on, given := file.Features["hooks"]; given && on != true {
		s.Off = "[features] hooks = false in " + configPath(home)
	}
	hash, err := Hash(s.Hook)
	state := file.Hooks.State[Key(path, group, at)]
	if state.Enabled != nil && !*state.Enabled {
		s.Off = "enabled = false in [hooks.state] of " + configPath(home)
	}
	s.Trusted, s.Err = err == nil && state.Hash == hash, err
	return s
}

// LookManaged reads the machine's hook.
func LookManaged(path string) State {
	var s State
	data, err := readConfig(path)
	if err != nil {
		s.Err = notThere(err)
		return s
	}
	var file struct {
		Features map[string]any `toml:"features"`
		Hooks    struct {
			Pre []struct {
				Matcher string `toml:"matcher"`
				Hooks   []struct {
					Type    string `toml:"type"`
					Command string `toml:"command"`
					Timeout int    `toml:"timeout"`
				} `toml:"hooks"`
			} `toml:"PreToolUse"`
		} `toml:"hooks"`
	}
	if s.Err = toml.Unmarshal(data, &file); s.Err != nil {
		return s
	}
	for _, group := range file.Hooks.Pre {
		for _, h := range group.Hooks {
			hook := settings.Hook{Event: settings.PreToolUse, Matcher: group.Matcher, Type: h.Type, Command: h.Command, Timeout: seconds(h.Timeout), File: path, Scope: settings.Managed}
			if hook.OwnOf(settings.Codex) && hook.All() {
				s.Installed, s.Trusted, s.Hook = true, true, hook
			}
		}
	}
	if file.Features["hooks"] != true {
		s.Off = "codex --disable hooks, because [features] hooks = true is missing in " + path
	}
	return s
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// notThere is an error but for a missing file.
func notThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
