package api

import (
	"io"
	"net"

	"github.com/callgate/callgate/host/gate"
)

// Operations lists the routes as "METHOD path".
func Operations() []string {
	var out []string
	for _, rt := range routes {
		out = append(out, rt.method+" "+rt.path)
	}
	return out
}

// DecodeRequest decodes the body of a check.
func DecodeRequest(body []byte) (gate.Request, error) {
	var r gate.Request
	err := decodeStrict(body, &r)
	return r, err
}

// ReadStream reads a check's stream as the client does.
func ReadStream(in io.Reader) (gate.Result, error) { return readStream(in, func(Progress) {}) }

// Prove answers as a daemon that knows the token.
func Prove(token, nonce string, daemon net.Addr) string { return proof(tokenKey(token), nonce, daemon) }

// Inert is what a text becomes in CSV.
func Inert(text string) string { return inert(text) }

// OpenAPI is the document as it is served.
func OpenAPI() []byte { return openapiDocument }
