// Package presence knows whether a person is there: whoever widens what an agent
// may do over the local interface has typed the approver PIN on that terminal
// within the last fifteen minutes.
//
// The PIN is kept as a slow salted hash in the store. Tries are counted there
// before they are answered, one after the other, and five wrong ones in a row
// lock it. Who has unlocked is kept in memory only. Source: design section 8.
package presence
