package storetest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy stands between a program and a server, to partition them. Its methods are safe for
// concurrent use.
type Proxy struct {
	listener net.Listener

	mu     sync.Mutex
	flows  *sync.Cond
	socket string // of the server
	silent bool
	conns  map[net.Conn]bool
}

// NewProxy starts a proxy to a server, for the length of the test.
func NewProxy(t testing.TB, s *Server) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, socket: s.Socket(), conns: map[net.Conn]bool{}}
	p.flows = sync.NewCond(&p.mu)
	t.Cleanup(func() {
		_ = listener.Close() // nothing was written
		p.Silence(false)
		p.Cut()
	})
	go p.serve()
	return p
}

// Place is the URL of a schema's URL behind the proxy.
func (p *Proxy) Place(schema string) (string, error) {
	u, err := url.Parse(schema)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Del("host")
	q.Set("sslmode", "disable")
	u.Host, u.RawQuery = p.listener.Addr().String(), q.Encode()
	return u.String(), nil
}

// Silence stops all bytes, as a cut network does, or lets them go on.
func (p *Proxy) Silence(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = on
	p.flows.Broadcast()
}

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close() // both ends see it
	}
}

// Lead leads new connections to another server, and ends those to the one before.
func (p *Proxy) Lead(s *Server) {
	p.mu.Lock()
	p.socket = s.Socket()
	p.mu.Unlock()
	p.Cut()
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		socket := p.socket
		p.mu.Unlock()
		server, err := net.Dial("unix", socket)
		if err != nil {
			_ = client.Close() // as a server that is away
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		go p.pump(client, server)
		go p.pump(server, client)
	}
}

// pump passes bytes on, until one of the ends closes.
func (p *Proxy) pump(from, to net.Conn) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range []net.Conn{from, to} {
			delete(p.conns, c)
			_ = c.Close() // its other end is gone
		}
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		p.mu.Lock()
		for p.silent {
			p.flows.Wait()
		}
		p.mu.Unlock()
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
