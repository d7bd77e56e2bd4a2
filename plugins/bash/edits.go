package bash

import (
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
	if !rowed(u) {
		return c.oldEdits(cmd) && c.staysInside(cmd)
	}
	return u.EditsOnly() && plainNames(u.Operands) && plainNames(optionValues(u)) && c.staysInside(cmd)
}

// optionValues are the values of all options.
func optionValues(u *program.Use) []Word {
	var out []Word
	for _, o := range u.Options {
		if o.Has {
			out = append(out, o.Value)
		}
	}
	return out
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

// plainNames reports whether words are plain file names: nothing the shell
// replaces. Quoted names are left to a person, as in the AgentScope seed, whose
// tests pin it.
func plainNames(words []Word) bool {
	for _, w := range words {
		if !w.Literal || w.Glob || w.Quoted && strings.TrimSpace(w.Text) != "" {
			return false
		}
	}
	return true
}
