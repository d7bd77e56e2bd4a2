// Package file judges calls that read or change files they name: Read, Write,
// Edit, MultiEdit, NotebookEdit and Delete take one, ReadMany and ApplyPatch
// several, under the names agents give them.
//
// A rule's content is a glob over paths (see package paths). Writing what is
// protected is a bypass-immune ask; in accept_edits a change inside a working
// directory is allowed; reading is read-only, except of secrets.
// Source: the AgentScope seed's file tools and dangerous paths.
package file
