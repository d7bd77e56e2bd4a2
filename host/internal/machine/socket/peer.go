// Package socket holds the common knowledge of both ends of a local connection: the process at the
// other end, and the name of a socket's file.
package socket

import (
	"net"
	"path/filepath"
	"syscall"
)

// Peer is the process at the other end of a unix socket, as the system noted it
// when the connection was made; the process cannot say otherwise. Without Known
// the other members mean nothing: a UID of 0 is then not root's.
type Peer struct {
	// UID is the account the process ran as.
	UID int
	// PID is the process; 0 where the system does not tell it. The process may
	// have ended since, and another may have its number.
	PID int
	// Known reports whether the system named the process: on a unix socket of Linux or macOS. Over
	// TCP the peer is unknown.
	Known bool
}

// PeerOf asks the system about a connection; the zero Peer when it does not
// tell.
func PeerOf(conn net.Conn) Peer {
	sc, ok := conn.(syscall.Conn)
	if !ok || conn.LocalAddr() == nil || conn.LocalAddr().Network() != "unix" {
		return Peer{}
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return Peer{}
	}
	var p Peer
	if err := raw.Control(func(fd uintptr) { p = peer(int(fd)) }); err != nil {
		return Peer{}
	}
	return p
}

// Real follows the links in the socket's directory, so both ends use one name.
func Real(path string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}
