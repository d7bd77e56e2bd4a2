// Package passkey has a person's device sign their approvals (WebAuthn with user verification).
//
// The challenge of each signature is the SHA-256 of a statement: this call, this answer, these
// rules, until then. So a signature counts for one answer, and anybody can check it later from the
// statement, the public key and the device's answer, without the daemon; see Check. The Keeper
// makes statements from the stored ask, never from a page, and each may be used once.
//
// Who may answer is not decided here: a verified signature is one property of the approver, for
// approvers.Policy. Credentials are one setting of the store, so a key added to the file by
// another program is noticed (threat T15).
//
// It may import the asks, the store's types and the WebAuthn library; the Gate verifies by it, the
// API enrols by it, and the CLI checks proofs by it.
//
// RATIONALE.md, "What does a passkey sign?".
package passkey
