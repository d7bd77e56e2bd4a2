// Package paths knows the meaning of file paths for the tool modules: matches of a rule's glob,
// protection from writing, secrets, and unjudgeable paths.
//
// It is pure: facts of the file system come from the host, as tool.Target.
package paths
