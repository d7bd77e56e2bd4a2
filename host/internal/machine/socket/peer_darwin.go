package socket

import "golang.org/x/sys/unix"

// KnowsPeers reports whether the system can name a socket's peer.
const KnowsPeers = true

// peer reads LOCAL_PEERCRED and LOCAL_PEERPID. Source: sys/un.h.
func peer(fd int) Peer {
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
