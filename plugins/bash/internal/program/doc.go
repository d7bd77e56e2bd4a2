// Package program knows the programs that people run in shells: which options
// and operands each takes, what those mean (a path that is read, a path that is
// written, a command that is run), and in which forms the program only reads.
//
// The knowledge is data: one Row for each program or sub-command, in the files
// table_*.go. Read parses the words of a command by its row into a Use; everything
// that the Bash tool says about a command (what it touches, whether it only reads,
// which rules name it, what it wraps) is answered from that one Use, so that no
// two answers can disagree about what an option means.
//
// What no row names is never safe: an unknown option, an operand too many, an
// unknown sub-command make a command one that may do anything.
package program
