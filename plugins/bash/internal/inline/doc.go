// Package inline reads programs of another language on a command line (python3 -c CODE), and
// finds those that only compute and print.
//
// It knows words, not meanings: every name, attribute and module of the program has to be on a
// list, so that no name can write, run, connect or reach the interpreter's internals. Anything
// unlisted or not understood makes the answer no. RATIONALE.md, "Which Python only reads?".
package inline
