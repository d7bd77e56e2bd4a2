// Package client talks to a daemon: it is the side of the commands and hooks of package api's
// interface.
//
// Before a [Client] sends its token over a new connection, the daemon must prove that it knows it,
// and each answer must prove that it belongs to its request. A check may wait for a human;
// [Client.Check] never makes an allow of anything but a complete and sound answer.
//
// It may import wire, engine and the store's types, and never the gate; hooks, the CLI, the
// demo, the doctor and, inside the daemon's process, the console call it.
package client
