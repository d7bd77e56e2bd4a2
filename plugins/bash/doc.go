// Package bash is the Bash tool module: it analyses shell command lines for Callgate.
//
// Everything rests on one analysis (Analyze): the line is parsed once, and every simple command
// in it, wherever it hides (lists, pipes, groups, substitutions, wrappers such as env and
// xargs, the literal script of sh -c), becomes a Command in a normal form. Rules, read-only
// detection, safety asks, suggestions and targets all use those commands, so they cannot
// disagree about a line.
//
// Anything uncertain makes the line opaque: it is never read-only, no allow rule with a content
// covers it, and every deny or ask rule matches it.
//
// Values assigned on the line are followed (variables), so a loop over words is read as each of
// its rounds; a computed word can be anything.
//
// Three kinds of files follow each other:
//
//   - The reading turns text into Commands: parse walks the syntax, command, word,
//     redirect and evaluate read its parts, dir follows cd, runs finds the commands run
//     by commands; dialect names the shell, line holds the result. Package program
//     interprets the words of each program.
//   - The verbs use it: tool has them all, call holds the data of one call.
//     check rests on safety and hijack (always a person's decision), readonly and edits;
//     match on rule, ruleset, match, spelling and code; suggest on suggest and
//     nearmiss; describe on describe, touches, paths, moves and shellstate.
//   - The marks, in marks*.go, give the host the possible effects of a line, for Callgate's
//     protection of itself and for deny and ask rules. No allowance rests on them.
package bash
