package daemon_test

import (
	"context"
	"net"
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

// TestAcceptedPlaceIsTaken: somebody else has the accepted port. The file is
// mended, and that has to be accepted, for which there must be a daemon.
func TestAcceptedPlaceIsTaken(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken := newRoot(t, "")
	if d, err := startAt(t, taken, other.Addr().String()); err == nil {
		_ = d.Close()
		t.Fatal("got a daemon at a port that is taken")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := startAt(t, taken, other.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if other, err = net.Listen("tcp", other.Addr().String()); err != nil {
		t.Skipf("SKIPPED: the port was taken by another program: %v", err)
	}
	defer other.Close()
	if d, err = startAt(t, taken, "127.0.0.1:0"); err != nil {
		t.Fatalf("the file was mended: %v", err)
	}
	defer d.Close()
	if got := d.Address().Network(); got != "unix" {
		t.Errorf("got an endpoint of network %s, want the state directory's own socket", got)
	}
	if state := d.Host.ConfigState(); len(state.Widenings) != 1 {
		t.Errorf("got %+v, want the new place waiting", state.Widenings)
	}
}
