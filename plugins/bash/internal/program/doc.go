// Package program knows the programs people run in shells: the options and operands of each,
// their meaning (a path to read, a path to write, a command to run), and the forms in which the
// program only reads.
//
// The knowledge is data: one Row for each program or sub-command, in the files table_*.go. Read
// parses the words of a command by its row into a Use. Every statement of the Bash tool about a
// command (its files, whether it only reads, the matching rules, the command inside) comes from
// that one Use, so no two can disagree about an option.
//
// A command is safe only by a row: an unknown option, an operand too many or an unknown
// sub-command may do anything.
package program
