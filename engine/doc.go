// Package engine decides whether a tool call may run: allow, deny, or ask a
// human. It is the table of the design's section 3 and nothing else.
//
// The order is deny rules, ask rules, tool checks, allow rules, mode. [Decide]
// walks it for one [Request] and returns a [Decision] whose zero value denies.
// The package is pure: no I/O, no goroutines, no clock. It sees a tool only
// through the four verbs of [Tool] and never interprets the content of a rule,
// which is the tool's own language.
//
// Errors never widen. Any error of a verb, and any error that the caller met
// while it prepared the request, ends in deny or ask, in every mode.
package engine
