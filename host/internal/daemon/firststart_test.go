package daemon_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

// TestFirstStartThatFailsAcceptsNothing: a daemon unable to serve its file has not put it in
// force, so the fixed file needs no acceptance: without a daemon it would be impossible.
func TestFirstStartThatFailsAcceptsNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t, "")
	start := func(listen string) (*daemon.Daemon, error) { return startAt(t, w, listen) }
	file := filepath.Join(w.Root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := start(filepath.Join(file, "s.sock")); err == nil {
		_ = d.Close()
		t.Fatal("got a daemon that listens below a file, want an error")
	}
	good := filepath.Join(w.Root, "s.sock")
	d, err := start(good)
	if err != nil {
		t.Fatalf("the mended file: %v", err)
	}
	defer d.Close()
	if state := d.Host.ConfigState(); len(state.Widenings) != 0 || d.Address().String() != good {
		t.Errorf("got %+v at %s, want nothing waiting, at %s", state, d.Address(), good)
	}
}

// startAt opens a daemon with a file naming its address.
func startAt(t *testing.T, w *world.World, listen string) (*daemon.Daemon, error) {
	t.Helper()
	w.Configure("listen: " + listen + "\n")
	return w.Daemon(nil)
}

// TestAcceptedPlaceIsTaken: another program has the accepted socket. The file is fixed, and
// needs acceptance, for which there must be a daemon.
func TestAcceptedPlaceIsTaken(t *testing.T) {
	t.Parallel()
	w := world.New(t, "")
	accepted := filepath.Join(w.Root, "a.sock")
	d, err := startAt(t, w, accepted)
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
	if d, err := startAt(t, w, accepted); !errors.Is(err, api.ErrInUse) {
		if err == nil {
			_ = d.Close()
		}
		t.Fatalf("beside the other program: got %v, want ErrInUse", err)
	}
	if d, err = startAt(t, w, filepath.Join(w.Root, "b.sock")); err != nil {
		t.Fatalf("the file was mended: %v", err)
	}
	defer d.Close()
	if got, want := d.Address().String(), w.Dirs.Socket(); got != want {
		t.Errorf("got an endpoint at %s, want the state directory's own %s", got, want)
	}
	if state := d.Host.ConfigState(); len(state.Widenings) != 1 {
		t.Errorf("got %+v, want the new place waiting", state.Widenings)
	}
}
