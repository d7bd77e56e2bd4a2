// Package corpus runs policy cases: files with one case per line, each with the required or
// forbidden answers to a call, through an evaluator.
//
// The directory of a file is its kind and the form of its lines: must-not-allow, must-allow,
// suggestions, match, actions; in a directory of any other name a line is {"name", "request",
// "want"}, a request of the machine interface and the required parts of the answer. The file's
// name is the class. testdata/corpus/README.md describes the members.
package corpus
