package link

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxAnswer bounds an answer of the REST API, in bytes. Discord's largest, a server
// with its roles, is far below.
const maxAnswer = 8 << 20

var errLong = errors.New("the answer is too long")

// heard is the result of a try as seen by the transport: discordgo reports an answer in six
// shapes, and some not at all.
type heard struct {
	status int
	header http.Header
}

type heardKey struct{}

// transport notes status and headers of each answer, bounds it, and removes the headers of the
// rate limits: discordgo would sleep under a lock because of them (pitfall 2).
type transport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if h, ok := r.Context().Value(heardKey{}).(*heard); ok {
		h.status, h.header = answer.StatusCode, answer.Header.Clone()
	}
	for name := range answer.Header {
		if strings.HasPrefix(strings.ToLower(name), "x-ratelimit-") {
			delete(answer.Header, name)
		}
	}
	answer.Body = &bounded{answer.Body, maxAnswer}
	return answer, nil
}

// bounded is a body that fails behind its limit.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errLong
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLong
	}
	return n, err
}

// newTransport reaches servers as the standard one does, with limits on each step.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	t.MaxConnsPerHost = 64
	t.ResponseHeaderTimeout = tryTime
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}

// httpClient follows no redirect: an answer with one is a wrong answer.
func httpClient(next http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport{next},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// tryTime is how long one try may take.
const tryTime = 15 * time.Second

func listening(ctx context.Context) (context.Context, *heard) {
	h := &heard{}
	return context.WithValue(ctx, heardKey{}, h), h
}
