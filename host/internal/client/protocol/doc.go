// Package protocol is the common knowledge of the daemon's HTTP interface and its client: the
// bodies of requests and answers beyond package wire, the codes of errors, the daemon's proof of a
// token, and the binding of an answer to its request.
//
// The document openapi.json of package api describes every operation.
package protocol
