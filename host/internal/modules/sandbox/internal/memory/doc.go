// Package memory is the linear memory of guests on the host's side: a fixed range of addresses
// ([Region]), counted against the common memory of all modules ([Budget]), and restorable to an
// earlier state ([Tracked], [Image]), at a cost proportional to a call's writes.
//
// The system's features decide how writes are found ([Best], [Faults]); a missing feature costs
// time, never the result.
package memory

// PageSize is the size of one page of WebAssembly memory in bytes.
const PageSize = 65536
