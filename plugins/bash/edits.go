package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// editsOnly reports whether every command of the line is a file-system command
// whose every target lies inside a working directory, or only reads.
func (c *call) editsOnly() bool {
	if c.line.Opaque != "" || c.line.Hidden != "" {
		return false
	}
	edits := false
	for _, cmd := range c.line.Commands {
		if ok, _ := c.line.readOnly(cmd, c); ok {
			if cmd.Name() == "cd" && !c.cdInside(cmd) {
				return false
			}
			continue
		}
		if !c.edits(cmd) {
			return false
		}
		edits = true
	}
	return edits
}

// edits judges one file-system command.
func (c *call) edits(cmd *Command) bool {
	if cmd.Name() == "" || cmd.Parent != nil || cmd.Qualified() || cmd.Words[0].Quoted || !safeAssigns(cmd) || !coverable(cmd) {
		return false
	}
	u := cmd.Use()
	return u.EditsOnly() && allLiteral(u.Words) && !laysOver(u) && !backsUpElsewhere(u) && c.plainTargets(cmd) && c.staysInside(cmd)
}

// laysOver reports whether a tree is copied over a directory that may exist, so
// that what it brings is not named.
func laysOver(u *program.Use) bool {
	if !u.Deep() || u.Row().Deep == "*" || len(u.With(program.Reads)) == 0 {
		return false
	}
	return u.Has("-T") || slices.ContainsFunc(u.With(program.Reads), func(w Word) bool { return program.LastName(w.Text) == "." })
}

// backsUpElsewhere reports whether the suffix of a copy that is kept leads out of
// the directory.
func backsUpElsewhere(u *program.Use) bool {
	return slices.ContainsFunc(u.Values("-i", "-I"), func(w Word) bool { return strings.ContainsAny(w.Text, "/*") })
}

// plainTargets reports whether the names of the files that a command touches are
// plain. Of globs, braces are, and a pattern of names whose files go away: each
// lies in the directory that is written before it. Quoted names are left to a
// person, as in the AgentScope seed, whose tests pin it.
func (c *call) plainTargets(cmd *Command) bool {
	for _, t := range c.line.touches(cmd) {
		w := t.word
		pattern := strings.ContainsAny(w.Text, "*?[")
		switch {
		case !w.Literal, w.Text == "", w.Quoted:
			return false
		case w.Glob && !w.Brace && !pattern, w.Glob && pattern && !(t.removes && cmd.Name() != "mv" && !w.Brace && inOneDirectory(w.Text)):
			return false
		}
	}
	return true
}

// inOneDirectory reports whether a glob is a pattern for some names of one
// directory.
func inOneDirectory(glob string) bool {
	dir, name := path.Split(glob)
	return !strings.ContainsAny(dir, "*?[") && !allFiles(name) && !strings.HasPrefix(name, ".")
}

// staysInside reports whether a command touches something, and nothing outside
// the working directories.
func (c *call) staysInside(cmd *Command) bool {
	named := false
	for _, touched := range c.line.touches(cmd) {
		if harmlessDevice(touched.path) {
			continue
		}
		if touched.derived {
			// The file inside a directory that cp would make need not exist; when
			// it does, it must not lead outside.
			if found, ok := c.target(touched); ok && found.Exists && found.Inside == "" {
				return false
			}
			continue
		}
		if touched.path == "" || !c.inside(touched) || c.outside(touched) {
			return false
		}
		named = true
	}
	return named
}
