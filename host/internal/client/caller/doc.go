// Package caller has a daemon decide calls: it connects, has the daemon prove itself, sends one
// request and takes only an answer signed by the daemon. It owns the connection's bytes, with a
// small HTTP/1.1 of its own: a hook is a process for each call, and net/http with its dependencies
// would be most of its start (RATIONALE.md, "Why does the hook run before the program is
// initialised?").
//
// It may import wire, protocol, tokenfile and socket; the hooks call it, and package client, the
// part for people's requests.
package caller
