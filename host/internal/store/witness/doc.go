// Package witness signs checkpoints of other people's audits: only those that extend the one it
// signed last. So a log that went back, or was rewritten, finds no signature.
//
// It answers in the HTTP form of C2SP tlog-witness, which package notary speaks. It needs no store
// and no daemon; it may import package proof and the packages for private files.
//
// RATIONALE.md, "Why a tree beside the chain?".
package witness
