// Package pin checks a person's presence: to widen an agent's permissions over the local
// interface, a person must have typed the approver PIN on that terminal within the last fifteen
// minutes.
//
// The PIN is kept as a slow salted hash in the store. Tries are counted there before they are
// answered, one after the other, and five wrong ones in a row lock it. The unlocked terminals
// are kept in memory only.
package pin
