package socket

import "golang.org/x/sys/unix"

// KnowsPeers reports whether the system can name a socket's peer.
const KnowsPeers = true

// peer reads SO_PEERCRED: who called connect, or, seen from the client,
// who called listen. Source: unix(7).
func peer(fd int) Peer {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid < 0 {
		return Peer{}
	}
	return Peer{UID: int(cred.Uid), PID: int(cred.Pid), Known: true}
}
