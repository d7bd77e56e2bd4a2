// Package corpus runs policy cases: files with one case per line, each saying
// what a call must or must not be answered, through an evaluator.
//
// The directory that holds a file is its kind and says how a line is read:
// must-not-allow, must-allow, suggestions, match, actions; in a directory of any
// other name a line is {"name", "request", "want"}, a request of the machine interface
// and the parts of the answer that must be so. The file's name is the class.
// testdata/corpus/README.md describes the members.
package corpus
