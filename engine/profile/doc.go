// Package profile decides action strings ("tool:bash:npm test") by lists of
// patterns, allow, ask and deny, with the meaning of Python 3.11's re.fullmatch.
// Source: docs/seeds.md, "Chorus: permission profiles".
//
// The package reads Python's syntax itself and refuses the same mistakes as Python, so a pattern
// means here what its author tested there. A construct of Python without an equal meaning here is
// refused too, as "not supported". From the syntax tree it makes one of two things:
//
//   - A program, for patterns without memory: its run is linear in the action's
//     length, look-around included. [Compiled.Offers] needs the same programs, to
//     tell whether patterns and a tool have an action in common.
//   - A pattern for regexp2, a backtracking library, for references, conditions, atomic groups and
//     possessive repeats. Classes, places, folded letters and empty repeats are written out, to
//     depend on nothing of the library's own.
//
// Both take from one budget for all patterns and actions of a decision. Who runs
// out of it is denied, with the pattern's name in the answer's note.
//
// A [Compiled] profile is immutable and safe for concurrent use.
package profile
