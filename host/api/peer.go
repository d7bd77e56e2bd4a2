package api

import (
	"context"
	"net"
	"net/http"
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
	// Known tells that the system told: on a unix socket of Linux or macOS. Over
	// TCP nothing is known of the peer.
	Known bool
}

// peerKey is the place of the Peer in a connection's context.
type peerKey struct{}

// withPeer notes the peer of a connection for all its requests.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, connPeer(conn))
}

// peerOf is the peer that a request came from.
func peerOf(r *http.Request) Peer {
	p, _ := r.Context().Value(peerKey{}).(Peer)
	return p
}

// connPeer asks the system about a connection; the zero Peer when it does not
// tell.
func connPeer(conn net.Conn) Peer {
	sc, ok := conn.(syscall.Conn)
	if !ok || conn.LocalAddr() == nil || conn.LocalAddr().Network() != "unix" {
		return Peer{}
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return Peer{}
	}
	var p Peer
	if err := raw.Control(func(fd uintptr) { p = socketPeer(int(fd)) }); err != nil {
		return Peer{}
	}
	return p
}
