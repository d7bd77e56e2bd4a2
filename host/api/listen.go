package api

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"
)

// ErrInUse is an endpoint at which another daemon, or another program, listens.
var ErrInUse = errors.New("already in use")

// Listen opens the daemon's endpoint: network "unix" and a path, or "tcp" and a
// loopback address with port (config.Config.Endpoint gives both). The socket has
// mode 0600 in a directory of mode 0700, which is made; a socket that a dead
// daemon left behind is replaced, one that answers is ErrInUse. Any address but
// loopback is refused. Closing the listener removes the socket.
func Listen(network, address string) (net.Listener, error) {
	return Boundary{}.Listen(network, address)
}

// Listen is the function Listen for a boundary: with accounts of agents the
// socket is one of mode 0666 in a directory of mode 0755 that only the daemon's
// account can change, and Server.Serve tells who may connect.
func (b Boundary) Listen(network, address string) (net.Listener, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	switch network {
	case "unix":
		l, err := listenSocket(address, b.shared())
		if err != nil {
			return nil, fmt.Errorf("listen on socket %s: %w", address, err)
		}
		return l, nil
	case "tcp":
		if b.shared() {
			return nil, fmt.Errorf("listen on %s: with boundary.agent_accounts it has to be a socket: nobody can tell which account uses a port", address)
		}
		l, err := listenLoopback(address)
		if err != nil {
			return nil, fmt.Errorf("listen on %s: %w", address, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("listen on %s %s: want unix or tcp", network, address)
}

func listenLoopback(address string) (net.Listener, error) {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("want a loopback address with port, such as 127.0.0.1:7433: %w", err)
	}
	if !ap.Addr().Unmap().IsLoopback() || ap.Addr().Zone() != "" {
		return nil, fmt.Errorf("%s is not a loopback address: callgate serves this machine only", ap.Addr())
	}
	l, err := net.Listen("tcp", ap.String())
	if err != nil && isInUse(err) {
		return nil, fmt.Errorf("%w: another program has this port: stop it, or set listen: to another one", ErrInUse)
	}
	return l, err
}

// maxSocketPath is what the smallest sockaddr_un of our systems holds.
const maxSocketPath = 103

func listenSocket(path string, shared bool) (net.Listener, error) {
	if !filepath.IsAbs(path) {
		return nil, errors.New("want an absolute path")
	}
	directory, mode := privateDirectory, fs.FileMode(0o600)
	if shared {
		directory, mode = sharedDirectory, 0o666
	}
	if err := directory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	path, err := realSocket(path)
	if err != nil {
		return nil, err
	}
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path has %d bytes, at most %d work everywhere: choose a shorter one", len(path), maxSocketPath)
	}
	// The lock makes removing a stale socket safe: no other daemon is between
	// looking and binding.
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	l, err := bindSocket(path, mode)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &socketListener{Listener: l, lock: lock}, nil
}

func bindSocket(path string, mode fs.FileMode) (net.Listener, error) {
	if err := clearStale(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// clearStale removes a socket that nobody answers at, and nothing else.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("there is something else (%s): name another path", info.Mode().Type())
	case !ours(info):
		return fmt.Errorf("%w: the socket there belongs to another user", ErrUnsafe)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		return errors.Join(fmt.Errorf("%w: a daemon answers there", ErrInUse), conn.Close())
	}
	if !isRefused(err) {
		return fmt.Errorf("cannot tell whether a daemon listens: %w", err)
	}
	return os.Remove(path)
}

// realSocket follows the links in the socket's directory, so that daemon and
// client call it by one name.
func realSocket(path string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// socketListener gives the lock back after its socket is gone.
type socketListener struct {
	net.Listener
	lock io.Closer
}

// Close implements net.Listener.
func (l *socketListener) Close() error {
	return errors.Join(l.Listener.Close(), l.lock.Close())
}
