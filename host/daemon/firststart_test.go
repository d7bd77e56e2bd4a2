package daemon_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/api"
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
	short := shortDir(t)
	start := func(listen string) (*daemon.Daemon, error) { return startAt(t, root, listen) }
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

// shortDir is a directory for sockets, whose paths are short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// startAt opens a daemon whose file says where it listens.
func startAt(t *testing.T, root, listen string) (*daemon.Daemon, error) {
	t.Helper()
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

// TestAcceptedPlaceIsTaken: another program has the accepted socket. The file is
// mended, and that has to be accepted, for which there must be a daemon.
func TestAcceptedPlaceIsTaken(t *testing.T) {
	t.Parallel()
	root := newRoot(t, "")
	short := shortDir(t)
	accepted := filepath.Join(short, "a.sock")
	d, err := startAt(t, root, accepted)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", accepted)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if d, err := startAt(t, root, accepted); !errors.Is(err, api.ErrInUse) {
		if err == nil {
			_ = d.Close()
		}
		t.Fatalf("beside the other program: got %v, want ErrInUse", err)
	}
	if d, err = startAt(t, root, filepath.Join(short, "b.sock")); err != nil {
		t.Fatalf("the file was mended: %v", err)
	}
	defer d.Close()
	if got, want := d.Address().String(), dirsOf(root, cache).Socket(); got != want {
		t.Errorf("got an endpoint at %s, want the state directory's own %s", got, want)
	}
	if state := d.Host.ConfigState(); len(state.Widenings) != 1 {
		t.Errorf("got %+v, want the new place waiting", state.Widenings)
	}
}
