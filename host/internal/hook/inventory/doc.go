// Package inventory finds Callgate's hooks in the files of the agents' clients: which client has
// one, whether the files show it in force, and what stays open. It reads files, and starts and writes nothing.
//
// It may import the hooks' rooms; the daemon and the CLI call it.
package inventory
