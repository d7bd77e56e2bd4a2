package webhook

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	neturl "net/url"
	"strconv"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/config"
)

// poster posts signed JSON to one address.
type poster struct {
	url        string
	secretFile string
	client     *http.Client
	now        func() time.Time
}

// newPoster checks the address. It follows no redirects, uses no proxy, and speaks without TLS
// only to this machine, even if the host's name resolves elsewhere.
func newPoster(url, secretFile string, roots *tls.Config, now func() time.Time) (*poster, error) {
	if err := config.CheckEndpoint(url); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	u, err := neturl.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if now == nil {
		now = time.Now
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	plain := &net.Dialer{Timeout: 10 * time.Second, Control: loopbackOnly}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if u.Scheme == "https" { // the parsed one: HTTP: is http: as well
				return dialer.DialContext(ctx, network, address)
			}
			return plain.DialContext(ctx, network, address)
		},
		TLSClientConfig: roots, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, DisableCompression: true,
		MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
	}
	return &poster{url: url, secretFile: secretFile, now: now, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// loopbackOnly refuses every address except this machine's own.
func loopbackOnly(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !ap.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%s is not on this machine, and the URL has no TLS", address)
	}
	return nil
}

// post sends body under an id of its own, or under the given one. The caller closes the
// answer's body.
func (p *poster) post(ctx context.Context, event, id string, body []byte) (resp *http.Response, requestID string, secret []byte, err error) {
	if secret, err = Secret(p.secretFile); err != nil {
		return nil, "", nil, err
	}
	if id == "" {
		id = rand.Text()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return nil, "", nil, err
	}
	timestamp := strconv.FormatInt(p.now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "callgate")
	req.Header.Set(HeaderEvent, event)
	req.Header.Set(HeaderRequest, id)
	req.Header.Set(HeaderTimestamp, timestamp)
	req.Header.Set(HeaderSignature, SignRequest(secret, id, timestamp, body))
	resp, err = p.client.Do(req)
	return resp, id, secret, err
}

// close ends idle connections.
func (p *poster) close() { p.client.CloseIdleConnections() }

// timedOut reports whether an error is a time-out.
func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}
