// Package api is the gate's HTTP interface, the daemon's side ([Server], [Listen],
// [OpenTokens]); package client is the other.
//
// It serves one machine: a unix socket only its owner may open, or a loopback address. Browsers are
// kept out (Host, Origin, content type, no CORS), every operation but two requires a bearer token,
// and a check token can do nothing but have its own agent's calls checked. Every failure's answer
// carries a denying decision: a client looking at decision.behavior alone is safe.
//
// A check may wait for a human. It then streams its progress, on the client's request, and ends
// with one result; a stream without it is no answer.
//
// The document openapi.json beside this file describes every operation.
//
// It may import the gate, admin, authority, the store, the modules and client/protocol; daemon
// calls it.
package api
