package daemon_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/daemon"
	"github.com/callgate/callgate/plugins"
)

// TestFirstStartThatFailsAcceptsNothing: a daemon that cannot serve what the file
// says has not put it in force, so that the mended file needs nobody to accept
// it: without a daemon nobody could.
func TestFirstStartThatFailsAcceptsNothing(t *testing.T) {
	t.Parallel()
	root := newRoot(t, "")
	short, err := os.MkdirTemp("", "cg") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	start := func(listen string) (*daemon.Daemon, error) {
		configure(t, root, "listen: "+listen+"\n")
		dirs := dirsOf(root, cache)
		cfg, err := config.Open(dirs.ConfigFile(), dirs)
		if err != nil {
			t.Fatal(err)
		}
		return daemon.Open(context.Background(), daemon.Options{
			Host: host.Options{Config: cfg, CacheDir: cache, Modules: plugins.Modules()}, State: dirs.State, Version: "test",
		})
	}
	file := filepath.Join(short, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := start(filepath.Join(file, "s.sock")); err == nil {
		_ = d.Close()
		t.Fatal("got a daemon that listens below a file, want an error")
	}
	good := filepath.Join(short, "s.sock")
	d, err := start(good)
	if err != nil {
		t.Fatalf("the mended file: %v", err)
	}
	defer d.Close()
	if state := d.Host.ConfigState(); len(state.Widenings) != 0 || d.Address().String() != good {
		t.Errorf("got %+v at %s, want nothing waiting, at %s", state, d.Address(), good)
	}
}
