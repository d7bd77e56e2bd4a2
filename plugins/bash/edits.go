package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// editsOnly reports whether every command of the line only reads, or writes only files inside a
// working directory: a file-system command, or one with output to a file. RATIONALE.md, "Why is
// `> file` an edit?".
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
		if !c.edits(cmd) && !c.writesOutput(cmd) {
			return false
		}
		edits = true
	}
	return edits
}

// writesOutput reports whether a command only reads but for its redirections, and
// these write plain files inside the working directories.
func (c *call) writesOutput(cmd *Command) bool {
	ok, _ := c.line.readsApart(cmd, c)
	return ok && !slices.ContainsFunc(c.line.touches(cmd), c.strays)
}

// strays reports whether a touch writes something else than a plain file inside the working
// directories.
func (c *call) strays(t touch) bool {
	if t.access != write || c.line.harmless(t.path) {
		return false
	}
	return !t.word.Literal || t.word.Glob || t.word.Text == "" || t.path == "" || !c.inside(t) || c.outside(t) || c.replaced(t)
}

// editContent is the rule for what mode accept_edits allows: edits of plain files inside the
// working directories. RATIONALE.md, "Why is there a rule for edits beside the mode?".
const editContent = "files: edit"

// edited implements surroundings.edited. A command that sets a variable, or writes nothing, is not
// one of these: it may change what the others mean.
func (c *call) edited(cmd *Command) bool {
	writes := slices.ContainsFunc(c.line.touches(cmd), func(t touch) bool { return t.access == write && !c.line.harmless(t.path) })
	return writes && safeAssigns(cmd) && !setsVariables(cmd) && !changesDir(cmd.Name()) && (c.edits(cmd) || c.writesOutput(cmd))
}

// putsOutput implements surroundings.putsOutput.
func (c *call) putsOutput(cmd *Command) bool {
	return !slices.ContainsFunc(c.line.touches(cmd), func(t touch) bool { return t.redirected && c.strays(t) })
}

// editsBeside implements surroundings.editsBeside. Every other command only reads, or leaves the
// files of the project as they are, or runs code of the project: that could make the edit by
// itself. Anything else, such as git switch, may put a link in the way of a later edit.
func (c *call) editsBeside() bool {
	return !slices.ContainsFunc(c.line.Commands, func(cmd *Command) bool {
		if changesDir(cmd.Name()) {
			return !c.cdInside(cmd)
		}
		ok, _ := c.line.readsApart(cmd, c)
		return !ok && !c.edits(cmd) && !forwards(cmd) && !c.runsProject(cmd) && !keepsTree(cmd)
	})
}

// forwards reports whether cmd runs the command inside it unchanged; that one is judged by itself.
func forwards(cmd *Command) bool {
	return cmd.Wraps && trusted(cmd) && safeAssigns(cmd) && cmd.Use().Forwards()
}

// runsProject reports whether cmd runs code of the project: by a program made for it, or as a
// script inside the working directories.
func (c *call) runsProject(cmd *Command) bool {
	u := cmd.Use()
	switch {
	case len(cmd.Words) == 0 || !safeAssigns(cmd):
		return false
	case trusted(cmd) && u.Projects():
		return true
	case cmd.Qualified():
		return leadsIn(c.place(cmd, cmd.Words[0], read))
	}
	return !cmd.Inline && !cmd.Stdin && len(u.Operands) > 0 && slices.Index(u.Roles, program.Runs) == 0 && leadsIn(c.place(cmd, u.Operands[0], read))
}

// keepsTree reports whether cmd is a command of git that leaves the files of the project as they
// are; its hooks are code of the project.
func keepsTree(cmd *Command) bool {
	return trusted(cmd) && safeAssigns(cmd) && slices.Contains([]string{"git add", "git commit", "git push", "git fetch", "git tag"}, cmd.Use().Command())
}

// edits judges one file-system command.
func (c *call) edits(cmd *Command) bool {
	if cmd.Name() == "" || cmd.Parent != nil || cmd.Qualified() || cmd.Words[0].Quoted || !safeAssigns(cmd) || !c.line.plainlyRun(cmd) {
		return false
	}
	u := cmd.Use()
	return u.EditsOnly() && allLiteral(u.Words) && !laysOver(u) && !backsUpElsewhere(u) && c.plainTargets(cmd) && c.staysInside(cmd)
}

// laysOver reports whether a tree is copied over a possibly existing directory: the files in it
// are not named.
func laysOver(u *program.Use) bool {
	if !u.Deep() || u.Row().Deep == "*" || len(u.With(program.Reads)) == 0 {
		return false
	}
	return u.Has("-T") || slices.ContainsFunc(u.With(program.Reads), func(w Word) bool { return program.LastName(w.Text) == "." })
}

// backsUpElsewhere reports whether the suffix of a backup leads out of the directory.
func backsUpElsewhere(u *program.Use) bool {
	return slices.ContainsFunc(u.Values("-i", "-I"), func(w Word) bool { return strings.ContainsAny(w.Text, "/*") })
}

// plainTargets reports whether the files touched by a command have plain names. Braces are
// plain, and so is a pattern of names for files to remove or replace (sed -i): each lies in the
// directory written before it. Quoted names of moved or removed files are left to a person, as
// in AgentScope, whose tests pin it.
func (c *call) plainTargets(cmd *Command) bool {
	removes := slices.ContainsFunc(c.line.touches(cmd), func(t touch) bool { return t.removes })
	replaces := strings.HasSuffix(cmd.Name(), "sed")
	for _, t := range c.line.touches(cmd) {
		w := t.word
		pattern := strings.ContainsAny(w.Text, "*?[")
		gone := t.removes && cmd.Name() != "mv" || replaces && !t.redirected
		switch {
		case !w.Literal, w.Text == "", w.Quoted && removes:
			return false
		case w.Glob && !w.Brace && !pattern, w.Glob && pattern && !(gone && !w.Brace && inOneDirectory(w.Text)):
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

// hands reports whether a touch gives a secret another name, or shows it: sed without -i prints, and
// a copy under a plain name may be read freely. RATIONALE.md, "Why is a copy of a secret no edit?".
func (c *call) hands(t touch) bool {
	return (t.access == read || t.removes && t.cmd.Name() == "mv") && c.secret(t)
}

// staysInside reports whether a command touches something, nothing outside the working directories,
// and no secret but to change or to remove it.
func (c *call) staysInside(cmd *Command) bool {
	named := false
	for _, touched := range c.line.touches(cmd) {
		if c.line.harmless(touched.path) {
			continue
		}
		if touched.derived {
			// The file made by cp inside a directory need not exist; an existing one must not
			// lead outside.
			if slices.ContainsFunc(c.found(touched), func(f tool.Target) bool { return f.Exists && f.Inside == "" }) {
				return false
			}
			continue
		}
		if touched.path == "" || !c.inside(touched) || c.outside(touched) || c.hands(touched) || c.replaced(touched) {
			return false
		}
		named = true
	}
	return named
}
