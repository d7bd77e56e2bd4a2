package api

import (
	"context"
	"hash"
	"net/http"
)

// tracked notes whether an answer has begun, and what its MAC is made of.
type tracked struct {
	http.ResponseWriter
	began bool
	// request is set when the client sent a nonce, key when its token is known.
	request *binding
	body    hash.Hash
	key     []byte
	life    context.Context // of the token; nil without one
}

// whileInForce is the request for as long as its token is in force: what waits
// for it, a human's answer or events, ends with the token. done frees what that
// takes.
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
