// Package replay puts recorded calls to a whole gate of its own and reports how often it would
// have asked, about what, and the rules that would have saved asks.
//
// The gate is the product's: its store, engine and modules in this process, in a temporary
// directory, with an approver who approves everything. No call is run. Recorded paths are moved
// below the temporary directory, where each project is an empty repository: things of the
// recorded machine (a file's links, a project's own rules) are missing. RATIONALE.md, "What is
// a fair replay?".
package replay
