// Package world gives tests a home of their own for a daemon over the real modules: the places,
// the configuration, the daemons opened there one after the other, and their clients. Tests
// only use it, with a TestMain of [compiledtest.Tests].
package world

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
)

// World is a user's places below one directory.
type World struct {
	t    testing.TB
	Root string
	Dirs config.Dirs
	// Port has the daemons listen on a port of their own, and not at the socket of Dirs.
	Port bool
}

// New makes the places and a configuration file with this text. Their paths are short, as
// required for a socket. It skips the test without built modules.
func New(t testing.TB, yaml string) *World {
	t.Helper()
	compiledtest.Modules(t)
	root, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) }) // the temporary directory is swept anyhow
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	w := &World{t: t, Root: root, Dirs: DirsOf(root, compiledtest.Cache())}
	for _, dir := range []string{w.Dirs.Home, w.Dirs.Config, w.Dirs.State} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.Configure(yaml)
	return w
}

// DirsOf are the places below a directory, those of [World.XDG].
func DirsOf(root, cache string) config.Dirs {
	return config.Dirs{
		Home: filepath.Join(root, "home"), Config: filepath.Join(root, "config", "callgate"), State: filepath.Join(root, "state", "callgate"), Cache: cache,
	}
}

// XDG are the variables leading a program to the places.
func (w *World) XDG() []string {
	return []string{
		"HOME=" + w.Dirs.Home, "XDG_CONFIG_HOME=" + filepath.Dir(w.Dirs.Config), "XDG_STATE_HOME=" + filepath.Dir(w.Dirs.State),
		"XDG_CACHE_HOME=" + filepath.Dir(w.Dirs.Cache),
	}
}

// Configure writes the configuration as an editor does: a new file over the old.
func (w *World) Configure(yaml string) {
	w.t.Helper()
	path := w.Dirs.ConfigFile()
	err := os.WriteFile(path+".new", []byte(yaml), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// Daemon opens a daemon on the configuration file, or returns why it could not. A nil log
// is silence.
func (w *World) Daemon(log *slog.Logger) (*daemon.Daemon, error) {
	w.t.Helper()
	cfg, err := config.Open("", w.Dirs)
	if err != nil {
		w.t.Fatal(err)
	}
	o := daemon.Options{
		Host: assembly.Options{Config: cfg, CacheDir: w.Dirs.Cache, Modules: compiledtest.Modules(w.t), Log: log}, State: w.Dirs.State, Version: "test",
	}
	if w.Port {
		if o.Listener, err = api.Listen("tcp", "127.0.0.1:0"); err != nil {
			w.t.Fatal(err)
		}
	}
	return daemon.Open(context.Background(), o)
}

// Serve opens a daemon and lets it serve until stop is called, or the test ends.
func (w *World) Serve(log *slog.Logger) (d *daemon.Daemon, stop func()) {
	w.t.Helper()
	d, err := w.Daemon(log)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			w.t.Errorf("the daemon ended with %v", err)
		}
	})
	w.t.Cleanup(stop)
	return d, stop
}

// PIN is the approver PIN of [World.ChoosePIN].
const PIN = "4711 0815"

// ChoosePIN sets the approver PIN as the daemon's own terminal does.
func (w *World) ChoosePIN(d *daemon.Daemon) {
	w.t.Helper()
	if err := d.Presence.Set(w.t.Context(), "", PIN, pin.Who{By: "ann"}); err != nil {
		w.t.Fatal(err)
	}
}

// Admin connects to an address as the holder of the admin token.
func (w *World) Admin(address string) *client.Client {
	w.t.Helper()
	return w.Dial(address, tokenfile.Admin(w.Dirs.State))
}

// Agent connects to an address as an agent.
func (w *World) Agent(address, agent string) *client.Client {
	w.t.Helper()
	return w.Dial(address, tokenfile.Check(w.Dirs.State, agent))
}

// Dial connects as the holder of a token file.
func (w *World) Dial(address, tokenFile string) *client.Client {
	w.t.Helper()
	token, err := tokenfile.Read(tokenFile)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := client.Dial(address, token)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}
