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

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/machine/socket"
)

// ErrInUse is an endpoint of another daemon, or another program.
var ErrInUse = errors.New("already in use")

// Listen opens the daemon's endpoint: network "unix" and a path, or "tcp" and a loopback address
// with port (config.Config.Endpoint gives both). The socket has mode 0600 in a directory of mode
// 0700, and Listen makes both; a dead daemon's socket is replaced, an answering one is ErrInUse.
// Any address but loopback is refused. Closing the listener removes the socket.
func Listen(network, address string) (net.Listener, error) {
	return Boundary{}.Listen(network, address)
}

// Listen is the function Listen for a boundary: with accounts of agents the socket has mode 0666 in
// a directory of mode 0755 only the daemon's account can change, and Server.Serve decides about
// connections.
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
			return nil, fmt.Errorf("listen on %s: boundary.agent_accounts needs a socket, because the account that uses a port is unknown", address)
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
		return nil, fmt.Errorf("%s is not a loopback address: Callgate only serves the local machine", ap.Addr())
	}
	l, err := net.Listen("tcp", ap.String())
	if err != nil && isInUse(err) {
		return nil, fmt.Errorf("%w: another program uses this port; stop it, or set listen to another port", ErrInUse)
	}
	return l, err
}

// maxSocketPath is the limit of the smallest sockaddr_un of our systems.
const maxSocketPath = 103

func listenSocket(path string, shared bool) (net.Listener, error) {
	if !filepath.IsAbs(path) {
		return nil, errors.New("want an absolute path")
	}
	directory, mode := securedir.MakePrivate, fs.FileMode(0o600)
	if shared {
		directory, mode = securedir.MakeShared, 0o666
	}
	if err := directory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	path, err := socket.Real(path)
	if err != nil {
		return nil, err
	}
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path has %d bytes, but sockets are limited to %d; choose a shorter one", len(path), maxSocketPath)
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

// clearStale removes a socket without a listener, and nothing else.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("another kind of file exists there (%s); choose another path", info.Mode().Type())
	case !securedir.Ours(info):
		return fmt.Errorf("%w: the socket there belongs to another user", securedir.ErrNotPrivate)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		return errors.Join(fmt.Errorf("%w: a daemon answers there", ErrInUse), conn.Close())
	}
	if !socket.Refused(err) {
		return fmt.Errorf("cannot check whether a daemon is running: %w", err)
	}
	return os.Remove(path)
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
