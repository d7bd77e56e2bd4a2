package api

import "golang.org/x/sys/unix"

// knowsPeers tells that a socket's peer can be asked for.
const knowsPeers = true

// socketPeer reads LOCAL_PEERCRED and LOCAL_PEERPID. Source: sys/un.h.
func socketPeer(fd int) Peer {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return Peer{}
	}
	p := Peer{UID: int(cred.Uid), Known: true}
	if pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil && pid > 0 {
		p.PID = pid
	}
	return p
}
