// Package memory is the linear memory of guests, as the host has it: a range of
// addresses that stays where it is ([Region]), is counted against what all modules
// have together ([Budget]), and can be put back to what it was ([Tracked], [Image]),
// at a cost that goes by what a call wrote.
//
// What the system offers decides how that is found out ([Best], [Faults]); what a
// system does not offer costs time, never the result.
package memory

// PageSize is the size of one page of WebAssembly memory in bytes.
const PageSize = 65536
