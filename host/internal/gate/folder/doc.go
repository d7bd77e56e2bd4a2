// Package folder holds the project folders a person trusted for an agent: which may be offered
// at all, which were trusted, and which of these still count. It knows nothing of calls;
// package gate asks it where an agent may read and edit without a question.
//
// Every doubt ends in "not trusted": a folder that was moved, replaced or is now refused by the
// laws does not count, and neither does an unreadable list.
package folder
