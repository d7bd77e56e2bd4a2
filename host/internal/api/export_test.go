package api

import (
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
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
func DecodeRequest(body []byte) (wire.Request, error) {
	var r wire.Request
	err := decodeStrict(body, &r)
	return r, err
}

// RefusedRows is how many refused requests of a token the audit has in a minute.
const RefusedRows = refusedRows

// Inert is the CSV form of a text.
func Inert(text string) string { return inert(text) }

// OpenAPI is the document as it is served.
func OpenAPI() []byte { return openapiDocument }

// Caller returns the owner of this secret, if it is in force.
func (t *Tokens) Caller(secret string) (authority.Caller, bool) {
	k, ok := t.find(secret)
	return k.caller, ok
}
