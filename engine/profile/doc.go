// Package profile decides action strings ("tool:bash:npm test") by lists of
// patterns, allow, ask and deny, with the meaning of Python 3.11's re.fullmatch.
// Source: the Chorus seed, "Permission Profiles", and the design's section 5.
//
// The package reads Python's syntax itself and refuses what Python refuses, so
// that a pattern means here what its author tried out there. Patterns without
// back-references, atomic groups, possessive repeats and conditionals are
// matched by a simulation that is linear in the action's length, look-around
// included; the others by backtracking. Both count their steps, and a decision
// that runs out of them denies: the bound is the same on every machine and
// needs no clock.
//
// A [Compiled] profile is immutable and safe for concurrent use.
package profile
