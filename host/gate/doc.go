// Package gate wires the host's rooms into one decision: it builds a call's
// context from what the operator configured and what the caller may say of
// itself, lets the tool's module describe the call, resolves its targets,
// gathers the rules, decides with package engine, asks a human where it must,
// and audits before it answers.
//
// Nothing here widens: whatever fails on the way ends in deny or ask, and a
// decision that cannot be audited is a denial.
package gate
