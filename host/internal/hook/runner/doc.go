// Package runner is the common part of the hooks: the payload's limit, the deadline before the
// client's, the call to the daemon with its waits, the texts of a denial, and the watch over a
// client that has ended. Client is a whole hook for clients with one event before a call.
//
// It may import the caller, the card's texts, and wire. The hooks' packages, process and doctor
// call it.
package runner
