// Package pin keeps what the operator granted to tool modules: which bytes are
// loaded (by SHA-256), what they may answer for, and whether their word counts.
//
// The grants are in callgate.lock in the directory of modules, in JSON that people
// read. Each entry is sealed with a key in the daemon's state directory, which only
// its account can read, and the state directory notes the seals in force: an entry
// that was changed outside Callgate, and one that was put back, grants nothing and
// is told. Beside the lock, in the directory kept, are the bytes and the descriptions
// of the pinned version and of the one before, for one rollback. All of it goes
// through directory handles; links are not followed. Threats T16, T18.
package pin
