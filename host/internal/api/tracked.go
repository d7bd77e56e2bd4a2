package api

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// tracked notes whether an answer has begun, and the input of its MAC.
type tracked struct {
	http.ResponseWriter
	began bool
	// request is set when the client sent a nonce, key when its token is known.
	request *protocol.Binding
	body    hash.Hash
	key     []byte
	life    context.Context // of the token; nil without one
}

// whileInForce is the request for as long as its token is in force: its waiting, for a human's
// answer or events, ends with the token. done frees its resources.
func whileInForce(w http.ResponseWriter, r *http.Request) (bound *http.Request, done func()) {
	t, ok := w.(*tracked)
	if !ok || t.life == nil {
		return r, func() {}
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(t.life, cancel)
	return r.WithContext(ctx), func() { stop(); cancel() }
}

// WriteHeader implements http.ResponseWriter.
func (t *tracked) WriteHeader(status int) {
	t.began = true
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *tracked) Write(p []byte) (int, error) {
	t.began = true
	return t.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// checkNonce refuses a weak or malformed nonce.
func checkNonce(r *http.Request) error {
	values := r.Header.Values(protocol.NonceHeader)
	if len(values) == 0 {
		return nil
	}
	if n := len(values[0]); len(values) > 1 || n < protocol.MinNonce || n > protocol.MaxNonce {
		return failure(http.StatusBadRequest, protocol.CodeBadRequest, "header "+protocol.NonceHeader+": want one of 16 to 128 bytes of random text")
	}
	return nil
}

// hashed is a body hashed while it is read.
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
	nonce := r.Header.Get(protocol.NonceHeader)
	if nonce == "" {
		return
	}
	t.request = &protocol.Binding{Nonce: nonce, Method: r.Method, Target: r.RequestURI}
	t.body = sha256.New()
	r.Body = hashed{r.Body, t.body}
}

// macOf is the MAC of an answer written to w; empty when its client wants none or has no key.
func macOf(w http.ResponseWriter, status int, answer []byte) string {
	t, ok := w.(*tracked)
	if !ok || t.request == nil || t.key == nil {
		return ""
	}
	b := *t.request
	copy(b.Body[:], t.body.Sum(nil))
	return b.MAC(t.key, status, answer)
}
