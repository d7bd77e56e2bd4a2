package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"
)

// A client that sends a nonce gets each JSON answer with a MAC, keyed with its
// token, over the request and the answer: nobody between the two can exchange an
// answer, nor bring one of another request (threat T07). Streams of events and
// exports have none.

// The headers of a request's nonce and of an answer's MAC.
const (
	nonceHeader = "Callgate-Nonce"
	macHeader   = "Callgate-MAC"
)

// ErrUnproven is an answer without the MAC that only the daemon can make for
// this very request. It is not taken.
var ErrUnproven = errors.New("the answer is not proven to be the daemon's answer to this request")

// binding is the request that an answer belongs to.
type binding struct {
	nonce, method string
	// target is the path with the query, as it went over the wire.
	target string
	body   [sha256.Size]byte
}

// mac is the MAC of an answer to the request. An error may be told before the
// body was read, so from status 400 on the body does not count.
func (b binding) mac(key []byte, status int, answer []byte) string {
	if status >= http.StatusBadRequest {
		b.body = sha256.Sum256(nil)
	}
	sum := sha256.Sum256(answer)
	mac := hmac.New(sha256.New, key)
	for _, part := range []string{"callgate answer", b.nonce, b.method, b.target,
		hex.EncodeToString(b.body[:]), strconv.Itoa(status), hex.EncodeToString(sum[:])} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// finalLine is the last line of a check's stream without its MAC: what the MAC
// is over. name is result or problem.
func finalLine(name string, value []byte) []byte {
	return fmt.Appendf(nil, "{%q:%s}", name, value)
}

// checkNonce refuses a nonce that proves little or is not one.
func checkNonce(r *http.Request) error {
	values := r.Header.Values(nonceHeader)
	if len(values) == 0 {
		return nil
	}
	if n := len(values[0]); len(values) > 1 || n < minNonce || n > maxNonce {
		return failure(http.StatusBadRequest, CodeBadRequest, "header "+nonceHeader+": want one of 16 to 128 bytes of random text")
	}
	return nil
}

// hashed is a body that is hashed as it is read.
type hashed struct {
	io.ReadCloser
	sum hash.Hash
}

// Read implements io.Reader.
func (h hashed) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.sum.Write(p[:n])
	return n, err
}

// bind notes the request, if its client sent a nonce.
func (t *tracked) bind(r *http.Request) {
	nonce := r.Header.Get(nonceHeader)
	if nonce == "" {
		return
	}
	t.request = &binding{nonce: nonce, method: r.Method, target: r.RequestURI}
	t.body = sha256.New()
	r.Body = hashed{r.Body, t.body}
}

// mac is the MAC of an answer; empty when the client wants none or has no key.
func (t *tracked) mac(status int, answer []byte) string {
	if t.request == nil || t.key == nil {
		return ""
	}
	b := *t.request
	copy(b.body[:], t.body.Sum(nil))
	return b.mac(t.key, status, answer)
}

// macOf is the MAC that an answer written to w carries.
func macOf(w http.ResponseWriter, status int, answer []byte) string {
	if t, ok := w.(*tracked); ok {
		return t.mac(status, answer)
	}
	return ""
}

// proven checks the MAC of an answer to one of the client's requests.
func (c *Client) proven(r *http.Request, status int, answer []byte, mac string) error {
	b := binding{nonce: r.Header.Get(nonceHeader), method: r.Method, target: r.URL.RequestURI()}
	body, err := r.GetBody()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, body); err != nil {
		return fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	copy(b.body[:], sum.Sum(nil))
	if !hmac.Equal([]byte(mac), []byte(b.mac(tokenKey(c.token), status, answer))) {
		return ErrUnproven
	}
	return nil
}
