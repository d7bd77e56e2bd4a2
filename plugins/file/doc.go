// Package file judges calls that read or change one file: Read, Write, Edit,
// MultiEdit and NotebookEdit, under the names agents give them.
//
// A rule's content is a glob over paths (see package paths). Writing what is
// protected is a bypass-immune ask; in accept_edits a change inside a working
// directory is allowed; reading is read-only, except of secrets.
// Source: the AgentScope seed's file tools and dangerous paths.
package file
