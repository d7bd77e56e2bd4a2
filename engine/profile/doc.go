// Package profile decides action strings ("tool:bash:npm test") by lists of
// patterns, allow, ask and deny, with the meaning of Python 3.11's re.fullmatch.
// Source: the Chorus seed, "Permission Profiles", and the design's section 5.
//
// The package reads Python's syntax itself and refuses what Python refuses, so
// that a pattern means here what its author tried out there. What Python takes
// and cannot be given its meaning here is refused too, as "not supported". From
// the tree that it read it makes one of two things:
//
//   - A program, for patterns without memory: its run is linear in the action's
//     length, look-around included. [Compiled.Offers] needs the same programs, to
//     tell whether patterns and a tool have an action in common.
//   - A pattern for regexp2, which backtracks, for references, conditions, atomic
//     groups and possessive repeats. Classes, places, folded letters and empty
//     repeats are written out, so that nothing depends on that library's own.
//
// Both take from one budget for all patterns and actions of a decision. Who runs
// out of it is denied, with the pattern's name in the answer's note.
//
// A [Compiled] profile is immutable and safe for concurrent use.
package profile
