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
// A check may wait for a human. It then streams its progress, if the client asks
// for that, and ends with one result; a stream that ends without it is no
// answer, and [Client.Check] never makes an allow of anything but a whole one.
// Before a Client sends its token over a new connection, the daemon has to prove
// that it knows it.
//
// The document openapi.json beside this file describes every operation.
package api
