package inventory

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/process"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// Places are where the clients look for their configuration: an account's, and one project's.
type Places struct {
	// Home is the account's home directory. Project is a session's directory; empty leaves the
	// projects' files out.
	Home, Project string
	// ClaudeConfig, CodexHome and XDGConfig are the clients' variables for other places; empty for
	// the usual ones.
	ClaudeConfig, CodexHome, XDGConfig string
}

// PlacesOf are the places of an account by the variables of this process.
func PlacesOf(home, project string) Places {
	return Places{
		Home: home, Project: project,
		ClaudeConfig: os.Getenv(process.ConfigDir), CodexHome: os.Getenv(process.CodexHome), XDGConfig: os.Getenv("XDG_CONFIG_HOME"),
	}
}

// Claude are the places of Claude Code.
func (p Places) Claude() settings.Places {
	return settings.Places{Home: p.Home, ConfigDir: p.ClaudeConfig, Project: p.Project}
}

// Codex is the account's directory of Codex.
func (p Places) Codex() string { return cmp.Or(p.CodexHome, filepath.Join(p.Home, ".codex")) }

// CodexHooks is the directory with the hooks of Codex: the project's, if there is one.
func (p Places) CodexHooks() string {
	if p.Project != "" {
		return filepath.Join(p.Project, ".codex")
	}
	return p.Codex()
}

// Opencode are the plugin's file and the configuration of opencode: the project's, if there is one.
func (p Places) Opencode() (plugin, config string) {
	if p.Project != "" {
		return opencode.PluginFile(filepath.Join(p.Project, ".opencode")), opencode.ConfigFile(p.Project)
	}
	dir := filepath.Join(cmp.Or(p.XDGConfig, filepath.Join(p.Home, ".config")), "opencode")
	return opencode.PluginFile(dir), opencode.ConfigFile(dir)
}
