// Package store keeps what must outlive the daemon: rules, sessions, asks and
// the audit, in one SQLite file.
//
// One process writes a store at a time; [Open] takes an advisory lock beside the
// file and names the process that holds it. All writes go through one goroutine
// that gathers what is waiting into one transaction, so that a method returns
// only when its change is durable and a hundred of them share one fsync. Rules
// and sessions are also kept in memory, so that deciding a call reads no disk.
//
// A store never repairs itself by forgetting: a file that is corrupt, newer
// than this program, or writable by others is refused and left as it is.
package store
