package caller

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/machine/socket"
)

// ErrNoDaemon is an endpoint where nothing listens.
var ErrNoDaemon = tokenfile.ErrNoDaemon

// ErrNotOurs is a daemon without the client's token. The token was not sent to it.
var ErrNotOurs = errors.New("the process listening there is not the Callgate daemon (authentication failed)")

// Caller has one daemon decide calls. Its methods are safe for concurrent use. Its errors are
// *protocol.Error for a refusal by the daemon, and otherwise name the fix.
type Caller struct {
	network, address string
	token            string
	// owners are the accounts allowed to listen at a socket.
	owners []int
	host   string
	// through opens a connection in place of the endpoint; nil for the endpoint.
	through func(ctx context.Context) (net.Conn, error)
}

// DialOption changes the result of Dial.
type DialOption func(*Caller)

// DaemonUID is the daemon's account: a socket of another one is not used. Without it, one's own
// account and root are accepted. Over TCP the account is invisible.
func DaemonUID(uid int) DialOption { return func(c *Caller) { c.owners = []int{uid} } }

// Within returns a caller inside the daemon's own process: dial connects with its server. The
// daemon proves itself as on every other connection. It returns an error for a text that is no
// token.
func Within(dial func(ctx context.Context) (net.Conn, error), token string) (*Caller, error) {
	if !tokenfile.IsToken(token) {
		return nil, errNoToken
	}
	return &Caller{network: "pipe", address: "this process", token: token, host: "localhost", through: dial}, nil
}

// errNoToken is a text without the form of a token.
var errNoToken = errors.New("not a Callgate token: use the content of agents/NAME.token or admin.token in the state directory")

// Dial returns a caller of the daemon at endpoint: the path of a socket, or a loopback address with
// port, each also with unix: or http:// before it. token is the token itself (see ReadToken). It
// does not connect yet. On every new connection the daemon must run as the right account, where a
// socket shows it, and prove that it knows the token, before the token is sent; then each answer
// must prove that it belongs to its request. Proxies and redirects are never used.
func Dial(endpoint, token string, opts ...DialOption) (*Caller, error) {
	network, address, err := parseEndpoint(endpoint)
	if err != nil {
		return nil, fmt.Errorf("endpoint %q: %w", endpoint, err)
	}
	if !tokenfile.IsToken(token) {
		return nil, errNoToken
	}
	c := &Caller{network: network, address: address, token: token, host: address, owners: []int{os.Geteuid(), 0}}
	for _, o := range opts {
		o(c)
	}
	if network == "unix" {
		c.host = protocol.SocketHost
	}
	return c, nil
}

// Host is the Host of the requests.
func (c *Caller) Host() string { return c.host }

// Token is the token of the requests.
func (c *Caller) Token() string { return c.token }

// parseEndpoint reads an endpoint in the words of package net.
func parseEndpoint(endpoint string) (network, address string, err error) {
	address = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(endpoint, "unix:"), "http://"), "/")
	if filepath.IsAbs(address) {
		return "unix", address, nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", "", errors.New("want the absolute path of a socket, or a loopback address with port such as 127.0.0.1:7433")
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() || ip.Zone() != "" {
		return "", "", fmt.Errorf("%q is not a loopback address: the daemon only serves the local machine", host)
	}
	return "tcp", net.JoinHostPort(ip.String(), port), nil
}

// Connect opens a connection and has the daemon prove itself on it.
func (c *Caller) Connect(ctx context.Context) (net.Conn, error) {
	conn, err := c.open(ctx)
	if err != nil {
		return nil, c.unreachable(err)
	}
	err = c.demandOwner(conn)
	if err == nil {
		err = c.demandProof(conn)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// open connects, without any proof.
func (c *Caller) open(ctx context.Context) (net.Conn, error) {
	if c.through != nil {
		return c.through(ctx)
	}
	address := c.address
	if c.network == "unix" {
		real, err := socket.Real(address)
		if err != nil {
			return nil, err
		}
		address = real
	}
	return (&net.Dialer{Timeout: proofPatience}).DialContext(ctx, c.network, address)
}

// demandOwner wants one of the right accounts to listen at a socket. Threat T07.
func (c *Caller) demandOwner(conn net.Conn) error {
	if c.network != "unix" || !socket.KnowsPeers {
		return nil
	}
	p := socket.PeerOf(conn)
	switch {
	case !p.Known:
		return fmt.Errorf("%w: the system does not report which account listens at %s", ErrNotOurs, c.address)
	case slices.Contains(c.owners, p.UID):
		return nil
	}
	return fmt.Errorf("%w: UID %d listens at %s. If that is the daemon's account, add --daemon-uid; otherwise stop that process", ErrNotOurs, p.UID, c.address)
}

// unreachable explains a failed connection.
func (c *Caller) unreachable(err error) error {
	if socket.Refused(err) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w (nothing listens at %s). Start it: callgate serve", ErrNoDaemon, c.address)
	}
	return fmt.Errorf("connect to the daemon at %s: %w", c.address, err)
}

// proofPatience bounds connecting, and the proof.
const proofPatience = 5 * time.Second

// demandProof asks on conn, before anything else, for the proof. Threat T07.
func (c *Caller) demandProof(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(proofPatience)); err != nil {
		return err
	}
	key, nonce := protocol.TokenKey(c.token), rand.Text()
	_, err := fmt.Fprintf(conn, "GET /v1/health?key=%s&nonce=%s HTTP/1.1\r\nHost: %s\r\n\r\n", protocol.KeyID(key), nonce, c.host)
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrNotOurs, c.address, err)
	}
	in := bufio.NewReader(conn)
	resp, err := readAnswer(in)
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrNotOurs, c.address, err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.body, 64<<10))
	var h protocol.Health
	if err != nil || resp.status != statusOK || resp.header["connection"] != "" || in.Buffered() != 0 || json.Unmarshal(body, &h) != nil ||
		!hmac.Equal([]byte(h.Proof), []byte(protocol.Proof(key, nonce, conn.RemoteAddr()))) {
		return fmt.Errorf("%w (%s, status %d): %s", ErrNotOurs, c.address, resp.status, unprovenCure(resp.status))
	}
	return conn.SetDeadline(time.Time{})
}

// unprovenCure is the fix for a daemon without a proof. Ours answers 400 when it does not know the
// token; so may any other.
func unprovenCure(status int) string {
	const elsewhere = "check listen and the state directory, and stop the other process"
	if status == statusBadRequest {
		return "either the token was revoked, rotated or has expired (callgate tokens list), or another program listens there: " + elsewhere
	}
	return elsewhere
}
