// Package paths knows what file paths mean to the tool modules: which a rule's
// glob names, which are protected from being written, which hold secrets, and
// which cannot be judged at all.
//
// It is pure: what the file system says comes from the host, as tool.Target.
package paths
