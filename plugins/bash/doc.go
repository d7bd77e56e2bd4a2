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
//
// Three kinds of files follow each other:
//
//   - The reading turns text into Commands: parse walks the syntax, command, word,
//     redirect and evaluate read its parts, dir follows cd, runs what a command runs
//     in turn; dialect says whose syntax it is, line holds the result. What a program
//     makes of its words is package program's to say, for every question.
//   - The verbs answer from it: tool has them all, call what one call brings along.
//     check rests on safety and hijack (what a person must see), readonly and edits;
//     match on rule, ruleset, match, spelling and code; suggest on suggest and
//     nearmiss; describe on describe, touches, paths, moves and shellstate.
//   - The marks, in marks*.go, tell the host what Callgate's protection of itself
//     asks about, and nothing else reads them.
package bash
