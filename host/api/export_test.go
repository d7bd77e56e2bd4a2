package api

import (
	"crypto/sha256"
	"io"
	"net"
	"net/http"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/presence"
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

// ReadStream reads a check's stream as the client does, with every line proven.
func ReadStream(in io.Reader) (gate.Result, error) {
	return readStream(in, func([]byte, string) error { return nil }, func(Progress) {})
}

// The headers of a request's nonce and of an answer's MAC.
const (
	NonceHeader = nonceHeader
	MACHeader   = macHeader
)

// AnswerMAC is the MAC of an answer to a request whose body was read, as a daemon
// makes it that knows the token.
func AnswerMAC(token string, r *http.Request, body []byte, status int, answer []byte) string {
	b := binding{nonce: r.Header.Get(nonceHeader), method: r.Method, target: r.RequestURI, body: sha256.Sum256(body)}
	return b.mac(tokenKey(token), status, answer)
}

// RefusedRows is how many refused requests of a token the audit has in a minute.
const RefusedRows = refusedRows

// Prove answers as a daemon that knows the token.
func Prove(token, nonce string, daemon net.Addr) string { return proof(tokenKey(token), nonce, daemon) }

// Inert is what a text becomes in CSV.
func Inert(text string) string { return inert(text) }

// OpenAPI is the document as it is served.
func OpenAPI() []byte { return openapiDocument }

// Caller tells whose secret this is, if it is in force.
func (t *Tokens) Caller(secret string) (gate.Caller, bool) {
	k, ok := t.find(secret)
	return k.caller, ok
}

// UseTicket has the client send a ticket that it was not given.
func (c *Client) UseTicket(t presence.Ticket) { c.ticket.Store(&t) }
