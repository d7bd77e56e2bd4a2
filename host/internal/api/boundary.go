package api

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/callgate/callgate/host/internal/machine/ratelog"
	"github.com/callgate/callgate/host/internal/machine/socket"
)

// Boundary names the accounts with access to the daemon's socket besides the daemon's own and root.
// The zero value admits those two alone.
type Boundary struct {
	// Agents may have calls checked, with a check token; nothing else, with any token.
	Agents []int
	// Approvers have the rights of their token.
	Approvers []int
}

// shared reports whether others than the daemon's account use the socket.
func (b Boundary) shared() bool { return len(b.Agents) > 0 }

// check refuses an ineffective boundary.
func (b Boundary) check() error {
	if slices.Contains(b.Agents, os.Geteuid()) {
		return fmt.Errorf("boundary.agent_accounts: UID %d is the daemon's own account; run the daemon as another account", os.Geteuid())
	}
	if b.shared() && !socket.KnowsPeers {
		return fmt.Errorf("boundary.agent_accounts: this system does not report which account uses a socket")
	}
	return nil
}

// admits reports whether a peer may connect at all. Over TCP the peer is unknown, and the tokens
// alone decide.
func (b Boundary) admits(network string, p socket.Peer) bool {
	if network != "unix" || !socket.KnowsPeers {
		return true
	}
	return p.Known && (p.UID == 0 || p.UID == os.Geteuid() || b.agent(p) || slices.Contains(b.Approvers, p.UID))
}

// agent reports whether the peer runs as an agent's account.
func (b Boundary) agent(p socket.Peer) bool { return p.Known && slices.Contains(b.Agents, p.UID) }

// mayReset reports whether a peer may drop the PIN at once: root, with this power anyway, where no
// agent can be root. This is so where the daemon is another account, and where the accounts of
// agents are named and root is none of them.
func (b Boundary) mayReset(p socket.Peer, daemon int) bool {
	return p.Known && p.UID == 0 && !b.agent(p) && (daemon != 0 || b.shared())
}

// crowdPlaces is the number of connections for the accounts of agents, one of them half: more than
// their checks, and few enough to leave the daemon the files for hearing an approver and writing
// the audit in a flood (threat T12).
const crowdPlaces = 2048

// admitting is a listener that cuts off unadmitted peers, and peers with too many connections,
// before reading a byte.
type admitting struct {
	net.Listener
	boundary Boundary
	refused  *ratelog.Tally
	crowd    *places // connections of agents' accounts, by uid
	log      *slog.Logger
}

// Accept implements net.Listener.
func (a admitting) Accept() (net.Conn, error) {
	for {
		conn, err := a.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p := socket.PeerOf(conn)
		if a.boundary.admits(a.Addr().Network(), p) {
			if admitted := a.counted(conn, p); admitted != nil {
				return admitted, nil
			}
		}
		if n := a.refused.Count(); n > 0 {
			a.log.Warn("connections were closed: unexpected accounts, or too many from one account", "uid", p.UID, "connections", n)
		}
		_ = conn.Close() // nothing was said
	}
}

// counted takes a place for an agent's connection until it is closed; nil when
// there is none.
func (a admitting) counted(conn net.Conn, p socket.Peer) net.Conn {
	socket, ok := conn.(*net.UnixConn)
	if !ok || !a.boundary.agent(p) {
		return conn
	}
	account := strconv.Itoa(p.UID)
	if !a.crowd.enter(account) {
		return nil
	}
	return crowded{socket, sync.OnceFunc(func() { a.crowd.leave(account) })}
}

// crowded is a connection with a place.
type crowded struct {
	*net.UnixConn
	leave func()
}

// Close implements net.Conn.
func (c crowded) Close() error {
	c.leave()
	return c.UnixConn.Close()
}
