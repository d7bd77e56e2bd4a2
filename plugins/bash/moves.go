package bash

import (
	"slices"
	"strings"
)

// moves reports whether the line may change the current directory or the destinations of links:
// by a cd, by another or unreadable change of the shell's state, and by programs placing or
// removing links. Any other program runs in a directory of its own, and leaves the meaning of
// relative paths unchanged. Source: threat T11.
func (c *call) moves() bool {
	if strings.TrimSpace(string(c.in.Command)) == "" || len(c.changesShell()) > 0 {
		return true
	}
	if ok, _ := c.line.readsOnly(anywhere{}); ok {
		return false
	}
	return slices.ContainsFunc(c.line.Commands, func(cmd *Command) bool { return slices.Contains(linkers, cmd.Name()) })
}

// linkers are programs placing, moving or removing links and directories.
var linkers = []string{
	"7z", "bsdtar", "chroot", "cp", "cpio", "git", "install", "link", "ln", "mount", "mv", "patch", "rename", "rm", "rmdir", "rsync", "stow", "tar", "umount", "unlink", "unzip",
}

// anywhere is surroundings without facts: moves does not depend on the files a line reads.
type anywhere struct{}

func (anywhere) repoRuns() bool         { return false }
func (anywhere) secret(touch) bool      { return false }
func (anywhere) seeks(string) bool      { return false }
func (anywhere) shadowed(*Command) bool { return true }
func (anywhere) unresolved(touch) bool  { return false }
func (anywhere) replaced(touch) bool    { return false }

func (anywhere) place(*Command, Word, access) string { return "" }

func (anywhere) readsThere(string) bool   { return false }
func (anywhere) editsBeside() bool        { return false }
func (anywhere) edited(*Command) bool     { return false }
func (anywhere) putsOutput(*Command) bool { return false }
