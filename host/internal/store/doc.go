// Package store keeps data beyond the daemon's life: rules, sessions, asks and the audit, in one
// SQLite file or one schema of PostgreSQL.
//
// One process writes a store at a time; [Open] takes an advisory lock beside the file and names the
// process that holds it. All writes go through one goroutine: it gathers waiting changes into one
// transaction, so a method returns only when its change is durable and a hundred of them share one
// fsync. Rules and sessions are also kept in memory, so deciding a call reads no disk.
//
// A store never repairs itself by forgetting: it refuses and leaves alone a file with damage, from
// a newer program, or with write permission for others.
//
// It may import engine, wire and the types of an ask; every room but the sandbox may call it.
package store
