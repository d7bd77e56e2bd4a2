// Package modules knows the tool modules: their files, their names, their permissions from a
// person, and the way of a call to them.
//
// Modules come from an fs.FS in the binary and from one directory of the operator's. A [Catalog]
// holds them. Its set of modules at one moment is a [Snapshot]; a decision uses one from its
// beginning to its end. [Snapshot.Lookup] finds the tool for a name: its exact name or alias, else
// the most literal glob covering it, else the fallback tool. The entry's Tool encodes the verbs'
// envelopes and checks the answers strictly, following docs/abi.md; an unsound answer is an error.
//
// [Catalog.Watch], [Catalog.Reload] and the changes below make the next set beside the one in
// force. A changed file is compiled, described, run on its own examples and called first, and
// changes nothing when one of these fails. The last snapshot with a module frees it. An unusable
// module is a [Problem] and never stops the others: its known names become entries with the error,
// so every call of them fails closed.
//
// A person grants permissions to a module; the module never grants them itself. The grants are in
// callgate.lock in the directory of modules, in readable JSON, and fix the loaded bytes (by
// SHA-256). Each entry is sealed with a key in the daemon's state directory, readable only for its
// account, and the state directory lists the seals in force: an entry changed outside Callgate, or
// put back, grants nothing and is a Problem. The directory kept has the bytes and the descriptions
// of the pinned version and of the one before, for one rollback. All of it goes through directory
// handles; links are not followed. [Catalog.Add], [Catalog.Pin], [Catalog.Rollback] and
// [Catalog.Remove] change lock, file and set together: all of a change is in the lock, in the audit
// and in force, or none of it.
//
// docs/security.md lists the attacks in the tests here: T05, T16, T18.
//
// It may import engine, wire, the store and, below it, sandbox; sandbox knows nothing of it. The
// gate, daemon, admin and toolkit call it.
package modules
