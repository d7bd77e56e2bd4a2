package service

import (
	"path/filepath"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// layout is where an installation's parts are.
type layout struct {
	account string // the daemon's; empty: the account's own
	binary  string
	hook    string // the program of the managed hook (level B)
	unit    string
	record  string
	config  string // the file
	dirs    config.Dirs
	modules string
	agents  string // the directory of the agents' tokens (level B)
	socket  string
	managed string
}

// Base directories of level B; each holds a directory "callgate".
type bases struct{ config, state, cache, run string }

func basesOf(os string) bases {
	if os == "darwin" {
		return bases{"/etc", "/var/db", "/var/db/callgate-cache", "/var/db/callgate-run"}
	}
	return bases{"/etc", "/var/lib", "/var/cache", "/run"}
}

func (o Options) layout() layout {
	if o.Level != boundary.B {
		return o.layoutA()
	}
	b := basesOf(o.OS)
	at := func(base string) string { return filepath.Join(base, "callgate") }
	d := config.Dirs{Home: at(b.state), Config: at(b.config), State: at(b.state), Cache: at(b.cache)}
	l := layout{
		account: o.account(), binary: filepath.Join(o.BinaryDir, "callgate"), unit: "/etc/systemd/system/callgate.service",
		dirs: d, record: filepath.Join(d.Config, "service.json"),
		config: d.ConfigFile(), modules: d.Modules(), agents: filepath.Join(d.Config, "agents"),
		socket: filepath.Join(at(b.run), "callgate.sock"), managed: settings.ManagedFile(),
	}
	l.hook = l.binary
	if o.HookProgram != "" {
		l.hook = filepath.Join(o.BinaryDir, settings.HookProgram)
	}
	if o.OS == "darwin" {
		l.unit = "/Library/LaunchDaemons/" + label + ".plist"
		l.socket = filepath.Join(b.run, "callgate.sock")
	}
	return l
}

func (o Options) layoutA() layout {
	d := o.Dirs
	l := layout{
		binary: o.Binary, dirs: d, record: filepath.Join(d.State, "service.json"), config: d.ConfigFile(), modules: d.Modules(),
		unit: filepath.Join(filepath.Dir(d.Config), "systemd", "user", "callgate.service"), socket: d.Socket(),
	}
	if o.OS == "darwin" {
		l.unit = filepath.Join(d.Home, "Library", "LaunchAgents", label+".plist")
	}
	return l
}

// places are the paths the agent must not change at level B, as they will be once everything is
// installed.
func (l layout) places() []boundary.PathToCheck {
	places := []boundary.PathToCheck{
		{Kind: "program", Path: l.binary},
		{Kind: "service unit", Path: l.unit},
		{Kind: "drop-ins of the unit", Path: l.unit + ".d", Tree: true},
		{Kind: "record of the installation", Path: l.record},
		{Kind: "configuration", Path: l.config},
		{Kind: "modules", Path: l.modules, Tree: true},
		{Kind: "state", Path: l.dirs.State, Secret: true, Tree: true},
		{Kind: "cache", Path: l.dirs.Cache, Tree: true},
		{Kind: "directory of the socket", Path: filepath.Dir(l.socket)},
	}
	if l.hook != l.binary && l.hook != "" {
		places = append(places, boundary.PathToCheck{Kind: "program of the hook", Path: l.hook})
	}
	if l.agents != "" {
		places = append(places, boundary.PathToCheck{Kind: "directory of the agents' tokens", Path: l.agents})
	}
	if l.managed != "" {
		places = append(places, boundary.PathToCheck{Kind: "managed settings", Path: filepath.Dir(l.managed), Tree: true})
	}
	return places
}
