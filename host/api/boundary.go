package api

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/callgate/callgate/host/internal/tally"
)

// Boundary says which accounts may use the daemon's socket besides the daemon's
// own and root. The zero value admits those two alone.
type Boundary struct {
	// Agents may have calls checked, with a check token; nothing else, whatever
	// token they show.
	Agents []int
	// Approvers may do what their token says.
	Approvers []int
}

// shared reports whether others than the daemon's account use the socket.
func (b Boundary) shared() bool { return len(b.Agents) > 0 }

// check refuses a boundary that could not hold.
func (b Boundary) check() error {
	if slices.Contains(b.Agents, os.Geteuid()) {
		return fmt.Errorf("boundary.agent_accounts: uid %d is the account the daemon runs as: run it as one of its own", os.Geteuid())
	}
	if b.shared() && !knowsPeers {
		return fmt.Errorf("boundary.agent_accounts: this system does not tell which account uses a socket")
	}
	return nil
}

// admits reports whether a peer may connect at all. Over TCP nobody is known,
// and the tokens alone decide.
func (b Boundary) admits(network string, p Peer) bool {
	if network != "unix" || !knowsPeers {
		return true
	}
	return p.Known && (p.UID == 0 || p.UID == os.Geteuid() || b.agent(p) || slices.Contains(b.Approvers, p.UID))
}

// agent reports whether the peer runs as an agent's account.
func (b Boundary) agent(p Peer) bool { return p.Known && slices.Contains(b.Agents, p.UID) }

// crowdPlaces is how many connections the accounts of agents may hold, one of
// them half: more than they have checks, and so few that their flood leaves the
// daemon the files it needs to hear an approver and to write the audit (threat
// T12).
const crowdPlaces = 2048

// admitting is a listener that cuts off peers that may not connect, or hold too
// many connections already, before a byte of theirs is read.
type admitting struct {
	net.Listener
	boundary Boundary
	refused  *tally.Tally
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
		p := connPeer(conn)
		if a.boundary.admits(a.Addr().Network(), p) {
			if admitted := a.counted(conn, p); admitted != nil {
				return admitted, nil
			}
		}
		if n := a.refused.Count(); n > 0 {
			a.log.Warn("connections of other accounts, or too many of one, were cut off", "uid", p.UID, "connections", n)
		}
		_ = conn.Close() // nothing was said
	}
}

// counted takes a place for an agent's connection until it is closed; nil when
// there is none.
func (a admitting) counted(conn net.Conn, p Peer) net.Conn {
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

// crowded is a connection that has a place.
type crowded struct {
	*net.UnixConn
	leave func()
}

// Close implements net.Conn.
func (c crowded) Close() error {
	c.leave()
	return c.UnixConn.Close()
}
