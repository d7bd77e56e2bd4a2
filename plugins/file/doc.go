// Package file judges calls reading or changing named files: Read, Write, Edit, MultiEdit,
// NotebookEdit and Delete take one, ReadMany and ApplyPatch several, under the names agents give
// them.
//
// A rule's content is a glob over paths (see package paths). Writing a protected path is a
// bypass-immune ask; in accept_edits a change inside a working directory is allowed; reading is
// read-only, except of secrets. Source: docs/seeds.md, "Dangerous Path Protection".
package file
