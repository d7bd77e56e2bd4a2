// Package api is the gate's HTTP interface: the daemon's side ([Server],
// [Listen], [OpenTokens]) and the side of the programs that talk to it
// ([Client]).
//
// It serves one machine: a unix socket that only its owner may open, or a
// loopback address. Browsers are kept out (Host, Origin, content type, no CORS),
// every operation but two wants a bearer token, and a check token can do nothing
// but have its own agent's calls checked. Whatever goes wrong, the answer carries
// a decision that denies: a client that looks at decision.behavior alone is safe.
//
// The document openapi.json beside this file describes every operation.
package api
