package api_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
)

func TestListen_socketIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "run", "s.sock")
	l, err := api.Listen("unix", path)
	must(t, err)
	info, err := os.Lstat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("socket: mode %s, want a socket with 0600", info.Mode())
	}
	info, err = os.Lstat(filepath.Dir(path))
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("directory: mode %04o, want 0700", info.Mode().Perm())
	}
	must(t, l.Close())
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close: got %v, want no socket", err)
	}
}

func TestListen_staleSocketIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "s.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	dead.SetUnlinkOnClose(false)
	must(t, dead.Close())
	l, err := api.Listen("unix", path)
	must(t, err)
	must(t, l.Close())
}

func TestListen_liveSocketIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(shortDir(t), "s.sock")
	l, err := api.Listen("unix", path)
	must(t, err)
	if _, err := api.Listen("unix", path); !errors.Is(err, api.ErrInUse) {
		t.Errorf("second daemon: got %v, want ErrInUse", err)
	}
	must(t, l.Close())
	foreign, err := net.Listen("unix", path)
	must(t, err)
	defer func() { _ = foreign.Close() }()
	if _, err := api.Listen("unix", path); !errors.Is(err, api.ErrInUse) {
		t.Errorf("beside another program: got %v, want ErrInUse", err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatalf("the other program's socket is gone: %v", err)
	}
	must(t, conn.Close())
}

func TestListen_takenPortIsRefused(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = other.Close() }()
	if _, err := api.Listen("tcp", other.Addr().String()); !errors.Is(err, api.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
}

func TestListen_refuses(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "wide"), 0o755))
	must(t, os.Symlink(dir, filepath.Join(dir, "link")))
	for name, tc := range map[string]struct{ network, address, want string }{
		"every address":       {"tcp", "0.0.0.0:0", "not a loopback address"},
		"every ipv6 address":  {"tcp", "[::]:0", "not a loopback address"},
		"no host":             {"tcp", ":7433", "want a loopback address"},
		"other address":       {"tcp", "192.0.2.1:7433", "not a loopback address"},
		"name":                {"tcp", "example.org:7433", "want a loopback address"},
		"port that is taken":  {"tcp", taken.Addr().String(), "already in use"},
		"other network":       {"udp", "127.0.0.1:0", "want unix or tcp"},
		"relative path":       {"unix", "s.sock", "absolute"},
		"file in its place":   {"unix", filepath.Join(dir, "file"), "another kind of file"},
		"wide directory":      {"unix", filepath.Join(dir, "wide", "s.sock"), "chmod 700"},
		"directory is a link": {"unix", filepath.Join(dir, "link", "s.sock"), "symbolic link"},
		"long path":           {"unix", filepath.Join(dir, strings.Repeat("x", 100)), "choose a shorter one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := api.Listen(tc.network, tc.address)
			if err == nil {
				_ = l.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
