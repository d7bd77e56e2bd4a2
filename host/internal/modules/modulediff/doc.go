// Package modulediff puts the calls of the audit to two versions of a tool module and lists the
// differences, the dangerous ones first.
//
// The audit keeps the input of a call with its secrets masked, and neither its directory nor
// the state of the file system: both versions get the kept input, in the imaginary project of
// rule examples. So a difference shows how the versions differ, and no difference is no proof.
// RATIONALE.md, "What does `tool diff` compare?".
package modulediff
