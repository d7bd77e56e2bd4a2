package console

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// Beyond is a console for browsers of other machines: over TLS, under one origin. CertFile, KeyFile,
// Listen and Origin are required.
type Beyond struct {
	// Listen is an address with port, Origin the one address in browsers: https://HOST[:PORT].
	Listen, Origin    string
	CertFile, KeyFile string
	// Provider and Keys let people sign in; both nil for one-time links alone.
	Provider *Provider
	Keys     *Keys
}

// Provider is an OpenID Connect provider, and who of its accounts may come in.
type Provider struct {
	Issuer, ClientID string
	// Secret reads the client's secret; nil for a public client.
	Secret func() (string, error)
	// Person is the name of the person with a subject, as the operator says now; empty for none.
	Person func(subject string) string
	// Lend gives the rights of an approver of this name.
	Lend func(person string, hold time.Duration) (secret string, alive context.Context, end func(), err error)
}

// Open listens for browsers of other machines, if the console serves them. Without it a link opens a
// port of the loopback.
func (s *Server) Open() error {
	b := s.c.Beyond
	if b == nil {
		return nil
	}
	cert := &certificate{certFile: b.CertFile, keyFile: b.KeyFile, now: s.c.Now}
	if _, err := cert.get(nil); err != nil {
		return err
	}
	origin, err := url.Parse(b.Origin)
	if err != nil {
		return fmt.Errorf("console.origin: %w", err)
	}
	l, err := net.Listen("tcp", b.Listen)
	if err != nil {
		return fmt.Errorf("console.listen: %w; stop the other program, or set another port", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.Answers("tcp", l.Addr().String())
	if origin.Port() == "" {
		s.c.Answers("tcp", net.JoinHostPort(origin.Hostname(), "443"))
	} else {
		s.c.Answers("tcp", origin.Host)
	}
	s.name, s.origin = origin.Host, b.Origin
	s.serve(tls.NewListener(netutil.LimitListener(l, maxConns), &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: cert.get, NextProtos: []string{"http/1.1"},
	}))
	s.c.Log.Info("the web console answers", "address", l.Addr().String(), "origin", b.Origin)
	return nil
}

// certificate is read again when its file changes, so that a renewed one needs no restart.
type certificate struct {
	certFile, keyFile string
	now               func() time.Time

	mu      sync.Mutex
	held    *tls.Certificate
	changed time.Time // the file's, when it was read
	looked  time.Time
}

// lookEvery bounds how often the file is looked at.
const lookEvery = time.Minute

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); c.held == nil || now.Sub(c.looked) >= lookEvery {
		c.looked = now
		info, err := os.Stat(c.certFile)
		if err == nil && (c.held == nil || !info.ModTime().Equal(c.changed)) {
			var read tls.Certificate
			if read, err = tls.LoadX509KeyPair(c.certFile, c.keyFile); err == nil {
				c.held, c.changed = &read, info.ModTime()
			}
		}
		if c.held == nil {
			return nil, fmt.Errorf("console.tls: %w", err)
		}
	}
	return c.held, nil // an unreadable new one leaves the old one in force
}

// addresses bound the requests of each address without a session: burst at once, then rate in a
// second. Safe for concurrent use.
type addresses struct {
	burst, rate float64
	now         func() time.Time

	mu   sync.Mutex
	each map[netip.Prefix]*paced
}

func newAddresses(burst, rate float64, now func() time.Time) *addresses {
	return &addresses{burst: burst, rate: rate, now: now, each: map[netip.Prefix]*paced{}}
}

// maxAddresses bounds the memory; when it is full, all begin anew.
const maxAddresses = 4096

// take reports whether an address may make one more request now.
func (a *addresses) take(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	bits := 32
	if ip := from.Addr().Unmap(); ip.Is6() {
		bits = 64 // one customer's
	}
	net, err := from.Addr().Unmap().WithZone("").Prefix(bits)
	if err != nil {
		return false
	}
	a.mu.Lock()
	if len(a.each) >= maxAddresses {
		clear(a.each)
	}
	one := a.each[net]
	if one == nil {
		one = &paced{burst: a.burst, rate: a.rate, now: a.now}
		a.each[net] = one
	}
	a.mu.Unlock()
	return one.take()
}
