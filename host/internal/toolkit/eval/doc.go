// Package eval is Callgate's machine interface: one JSON request per line in,
// one JSON answer per line out, in the same order. It needs no daemon, no store
// and no network, and reads nothing from disk but the tool modules; a request's
// context.links stand in for the file system.
//
// A bad line answers {"id", "error"} and the rest goes on.
package eval
