// Package replay asks two versions of a tool module about the calls of the audit and
// says what they answer differently, the dangerous differences first.
//
// The audit keeps the input of a call with its secrets masked, and neither where the
// call ran nor what was in the file system: both versions are asked about the input as
// it is kept, in the imaginary project of rule examples. So a difference shows how the
// versions differ, and no difference is no proof.
package replay
