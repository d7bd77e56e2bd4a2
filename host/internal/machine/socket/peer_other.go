//go:build !linux && !darwin

package socket

// KnowsPeers reports whether the system can name a socket's peer.
const KnowsPeers = false

// peer knows nothing here.
func peer(int) Peer { return Peer{} }
