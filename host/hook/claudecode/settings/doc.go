// Package settings reads, explains and edits the settings files of Claude Code,
// as far as hooks go. Reading tells which hooks a session started in a directory
// would run, where each is from, and what switches hooks off. Editing adds,
// updates and removes Callgate's own hooks by changing those bytes alone:
// everything else in the file stays as it was written.
package settings
