package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Upstream is a server that is reached over streamable HTTP.
type Upstream struct{ URL *url.URL }

// ParseUpstream reads a server's address: https, or http on this machine. It is not logged: it may
// hold a secret.
func ParseUpstream(text string) (Upstream, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Upstream{}, errors.New("the server's address cannot be read: want https://HOST/PATH")
	case u.Host == "" || u.User != nil || u.Fragment != "" || u.Opaque != "":
		return Upstream{}, errors.New("the server's address: want https://HOST/PATH, without an account and without a fragment")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return Upstream{}, fmt.Errorf("the server's address begins with %.20q: want https, or http on this machine", u.Scheme)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return Upstream{u}, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Definition is a digest of the address.
func (u Upstream) Definition() string { return digestOf("http", u.URL.String()) }

// door is the proxy between clients and one server over streamable HTTP.
type door struct {
	c      Config
	server *url.URL
	hosts  map[string]bool
	out    *http.Client

	mu      sync.Mutex
	clients map[[32]byte]*httpClient
}

// The bounds of a door.
const (
	maxClients = 256
	// idleLife is how long a client may be silent before its place goes to another one.
	idleLife = time.Hour
	// listLife is how long the server's tools are not read anew before a call: without an open
	// stream it cannot say that they changed.
	listLife = time.Minute
	// headPatience is how long a request's head may take.
	headPatience = 10 * time.Second
)

// httpClient is one client: a session of the server, or one account of it.
type httpClient struct {
	d *door
	j *judge

	mu       sync.Mutex
	used     time.Time
	deciding map[string]context.CancelFunc // by the request's id
	streams  map[*stream]bool
}

// Serve stands before a server of HTTP until ctx ends. It takes requests of this machine only; the
// listener is on a loopback address, and the path is that of the server.
func Serve(ctx context.Context, c Config, listener net.Listener, server Upstream) error {
	if err := CheckName(c.Server); err != nil {
		return err
	}
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return fmt.Errorf("listen on %s: want an address of this machine only, 127.0.0.1 or ::1", listener.Addr())
	}
	c.Note(fmt.Sprintf("MCP server %s of %s at http://%s%s", c.Server, c.Program, at, server.URL.EscapedPath()))
	d := newDoor(c, server.URL, at.Port)
	s := &http.Server{Handler: d, ReadHeaderTimeout: headPatience, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() {
		d.close()
		_ = s.Close() // its error is that of the listener
	})
	defer stop()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// upstreamClient sends to the server alone: no redirect is followed.
func upstreamClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport.DisableCompression = true                          // the answers are read
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func newDoor(c Config, server *url.URL, port int) *door {
	d := &door{c: c, server: server, hosts: map[string]bool{}, clients: map[[32]byte]*httpClient{}, out: upstreamClient()}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		d.hosts[net.JoinHostPort(host, fmt.Sprint(port))] = true
	}
	return d
}

// ServeHTTP answers one request. A page in a browser cannot use the door: the request names this
// machine as its host, and as its origin if it has one.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origins := r.Header.Values("Origin")
	switch origin := strings.Join(origins, " "); {
	case !d.hosts[r.Host]:
		http.Error(w, "Callgate: the Host header does not name this address", http.StatusForbidden)
	case len(origins) > 0 && !d.hosts[strings.TrimPrefix(origin, "http://")]:
		http.Error(w, "Callgate: requests of other origins are refused", http.StatusForbidden)
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/.well-known/") && r.URL.RawQuery == "":
		d.metadata(w, r)
	case r.URL.Path != d.server.Path || r.URL.RawQuery != "":
		http.Error(w, "Callgate: the MCP server is at "+d.server.Path, http.StatusNotFound)
	case r.Method == http.MethodPost || r.Method == http.MethodGet || r.Method == http.MethodDelete:
		c, err := d.client(r)
		if err != nil {
			http.Error(w, "Callgate: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		c.serve(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "Callgate: want GET, POST or DELETE", http.StatusMethodNotAllowed)
	}
}

// sessionHeader names a session of the older revision.
const sessionHeader = "Mcp-Session-Id"

// clientKey tells clients apart. An answer to a kept call belongs to the client that made it.
func clientKey(r *http.Request) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q", r.Header.Values(sessionHeader), r.Header.Values("Authorization"), r.Header.Values("User-Agent")))
}

// client is the client of a request.
func (d *door) client(r *http.Request) (*httpClient, error) {
	key := clientKey(r)
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.clients[key]
	if c == nil {
		if len(d.clients) >= maxClients {
			d.evict()
		}
		if len(d.clients) >= maxClients {
			return nil, errors.New("too many clients")
		}
		c = &httpClient{d: d, deciding: map[string]context.CancelFunc{}, streams: map[*stream]bool{}}
		c.j = newJudge(d.c, c.changed)
		c.j.tools.life = listLife
		d.clients[key] = c
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = time.Now()
	return c, nil
}

// evict ends the clients that were silent for long. The caller holds the lock.
func (d *door) evict() {
	for key, c := range d.clients {
		c.mu.Lock()
		idle := len(c.deciding) == 0 && len(c.streams) == 0 && time.Since(c.used) > idleLife
		c.mu.Unlock()
		if idle {
			c.j.withdraw()
			delete(d.clients, key)
		}
	}
}

// gone ends a client with its session.
func (d *door) gone(r *http.Request) {
	if r.Header.Get(sessionHeader) == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := clientKey(r)
	if c := d.clients[key]; c != nil {
		c.j.withdraw()
		delete(d.clients, key)
	}
}

func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.clients {
		c.j.withdraw()
	}
}

// changed lets a client with an open stream read the tools anew.
func (c *httpClient) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.streams {
		go s.send(event{data: []byte(`{"jsonrpc":"2.0","method":"` + methodChanged + `"}`)}) // a slow client must not hold the lock
		return
	}
}
