package api

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
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/presence"
)

// ErrNoDaemon is an endpoint where nothing listens.
var ErrNoDaemon = errors.New("no daemon is running")

// ErrNotOurs is a daemon that does not know the client's token. The token was
// not sent to it.
var ErrNotOurs = errors.New("what listens there could not prove that it is this daemon")

// Client talks to a daemon. Its methods are safe for concurrent use. Its errors
// are *Error when the daemon refused, and otherwise say what to do.
type Client struct {
	network, address string
	token            string
	// owners are the accounts that may listen at a socket.
	owners []int
	host   string
	http   *http.Client
	// ticket is what Unlock gave; nil before, and where there is a terminal.
	ticket atomic.Pointer[presence.Ticket]
}

// DialOption changes what Dial returns.
type DialOption func(*Client)

// DaemonUID says which account the daemon runs as: a socket at which another one
// listens is not used. Without it that is one's own account, or root. Over TCP
// it cannot be seen.
func DaemonUID(uid int) DialOption { return func(c *Client) { c.owners = []int{uid} } }

// Dial returns a client of the daemon at endpoint: the path of a socket, or a
// loopback address with port, each also with unix: or http:// before it. token
// is the token itself (see ReadToken). It does not connect yet. On every new
// connection the daemon has to run as the right account, where a socket tells
// that, and to prove that it knows the token, before the token is sent; then
// each answer has to prove that it is the one to its request. Proxies and
// redirects are never used.
func Dial(endpoint, token string, opts ...DialOption) (*Client, error) {
	network, address, err := parseEndpoint(endpoint)
	if err != nil {
		return nil, fmt.Errorf("endpoint %q: %w", endpoint, err)
	}
	if !wholeToken.MatchString(token) {
		return nil, errors.New("the token is none of callgate's: read it from agents/NAME.token or admin.token in the state directory")
	}
	c := &Client{network: network, address: address, token: token, host: address, owners: []int{os.Geteuid(), 0}}
	for _, o := range opts {
		o(c)
	}
	if network == "unix" {
		c.host = socketHost
	}
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return c.connect(ctx) },
			MaxIdleConnsPerHost: 4,
			IdleConnTimeout:     idlePatience / 2,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the daemon answered with a redirect, which it never does")
		},
	}
	return c, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

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
		return "", "", fmt.Errorf("%q is not a loopback address: the daemon serves its own machine only", host)
	}
	return "tcp", net.JoinHostPort(ip.String(), port), nil
}

// connect opens a connection and has the daemon prove itself on it.
func (c *Client) connect(ctx context.Context) (net.Conn, error) {
	address := c.address
	if c.network == "unix" {
		real, err := realSocket(address)
		if err != nil {
			return nil, c.unreachable(err)
		}
		address = real
	}
	conn, err := (&net.Dialer{Timeout: proofPatience}).DialContext(ctx, c.network, address)
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

// demandOwner wants one of the right accounts to listen at a socket. Threat T07.
func (c *Client) demandOwner(conn net.Conn) error {
	if c.network != "unix" || !knowsPeers {
		return nil
	}
	p := connPeer(conn)
	switch {
	case !p.Known:
		return fmt.Errorf("%w: the system does not tell which account listens at %s", ErrNotOurs, c.address)
	case slices.Contains(c.owners, p.UID):
		return nil
	}
	return fmt.Errorf("%w: the account with uid %d listens at %s: name the daemon's account with --daemon-uid, or stop what listens there", ErrNotOurs, p.UID, c.address)
}

// unreachable explains a connection that failed.
func (c *Client) unreachable(err error) error {
	if isRefused(err) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w at %s: start it with: callgate serve", ErrNoDaemon, c.address)
	}
	return fmt.Errorf("connect to the daemon at %s: %w", c.address, err)
}

// proofPatience bounds connecting, and the proof.
const proofPatience = 5 * time.Second

// demandProof asks on conn, before anything else, for the proof. Threat T07.
func (c *Client) demandProof(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(proofPatience)); err != nil {
		return err
	}
	key, nonce := tokenKey(c.token), rand.Text()
	_, err := fmt.Fprintf(conn, "GET /v1/health?key=%s&nonce=%s HTTP/1.1\r\nHost: %s\r\n\r\n", keyID(key), nonce, c.host)
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrNotOurs, c.address, err)
	}
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return fmt.Errorf("%w (%s): %w", ErrNotOurs, c.address, err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var h Health
	if err != nil || resp.StatusCode != http.StatusOK || resp.Close || in.Buffered() != 0 || json.Unmarshal(body, &h) != nil ||
		!hmac.Equal([]byte(h.Proof), []byte(proof(key, nonce, conn.RemoteAddr()))) {
		return fmt.Errorf("%w (%s, status %d): %s", ErrNotOurs, c.address, resp.StatusCode, unprovenCure(resp.StatusCode))
	}
	return conn.SetDeadline(time.Time{})
}

// unprovenCure says what to do about a daemon that did not prove itself. Ours
// answers 400 when it does not know the token; so may any other.
func unprovenCure(status int) string {
	const elsewhere = "check listen: and the state directory, and stop what else listens there"
	if status == http.StatusBadRequest {
		return "either the token was revoked, rotated or has expired (callgate tokens list), or another daemon listens there: " + elsewhere
	}
	return elsewhere
}
