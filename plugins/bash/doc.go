// Package bash is the Bash tool module: it tells Callgate what a shell command
// line means.
//
// Everything rests on one analysis (Analyze): the line is parsed once, and every
// simple command in it, wherever it hides (lists, pipes, groups, substitutions,
// wrappers such as env and xargs, the literal script of sh -c), becomes a Command
// in a normal form. Rules, read-only detection, safety asks, suggestions and
// targets are all answered from those commands, so that no two of them can
// disagree about what a line runs.
//
// What cannot be read with certainty makes the line opaque: it is never
// read-only, no allow rule with a content covers it, and every deny or ask rule
// matches it.
package bash
