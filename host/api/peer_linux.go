package api

import "golang.org/x/sys/unix"

// knowsPeers tells that a socket's peer can be asked for.
const knowsPeers = true

// socketPeer reads SO_PEERCRED: who called connect, or, seen from the client,
// who called listen. Source: unix(7).
func socketPeer(fd int) Peer {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid < 0 {
		return Peer{}
	}
	return Peer{UID: int(cred.Uid), PID: int(cred.Pid), Known: true}
}
