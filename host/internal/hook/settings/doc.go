// Package settings reads, explains and edits the settings files of Claude Code, as far as hooks go.
// Reading lists the hooks of a session in a directory, the origin of each, and switches against
// hooks. Editing adds, updates and removes Callgate's own hooks by changing those bytes alone:
// everything else in the file stays unchanged.
package settings
