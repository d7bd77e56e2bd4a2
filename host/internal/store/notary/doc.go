// Package notary signs the state of the audit, so that a copy of it elsewhere proves every row.
//
// It keeps the daemon's key, extends the tree over the rows, signs a checkpoint each minute with
// news and at the end, has witnesses sign it too where some are configured, and makes the files of
// package proof. Decisions never wait for it: an error is logged, and the next minute tries again.
//
// It may import the store and package proof; the daemon runs it, the API asks it.
//
// RATIONALE.md, "Why a tree beside the chain?".
package notary
