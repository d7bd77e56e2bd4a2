package bash

import "strings"

// editPrograms are the file-system commands that accept_edits allows, each with
// the options that keep it to the files it names. Source: the AgentScope seed's
// ACCEPT_EDITS row; options because an unknown one may name other files.
var editPrograms = map[string]string{
	"mkdir": "-pv -m= --parents --verbose --mode=",
	"touch": "-acm -d= -t= --date= --no-create",
	"rm":    "-rRfivd --recursive --force --verbose --dir --interactive=?",
	"rmdir": "-pv --parents --verbose --ignore-fail-on-non-empty",
	"mv":    "-finvuT -t= --force --interactive --no-clobber --verbose --update=? --target-directory= --no-target-directory",
	"cp":    "-finvuprRT -t= --force --interactive --no-clobber --verbose --update=? --recursive --target-directory= --no-target-directory",
	"sed":   "",
}

var editTables = func() map[string]*table {
	rows := make([]row, 0, len(editPrograms))
	for name, options := range editPrograms {
		rows = append(rows, row{command: name, options: options})
	}
	return indexRows(rows)
}()

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
	t := editTables[cmd.Name()]
	if t == nil || cmd.Parent != nil || cmd.Qualified() || cmd.Words[0].Quoted || !safeAssigns(cmd) || !coverable(cmd) {
		return false
	}
	if cmd.Name() == "sed" {
		if s := readSed(cmd.Args()); !s.inPlace || !s.harmless() || !plainNames(s.files) {
			return false
		}
	} else {
		options, operands := t.split(cmd.Args())
		for _, o := range options {
			if !t.option(o) {
				return false
			}
		}
		if !plainNames(operands) || !plainNames(values(options, "-t", "--target-directory")) {
			return false
		}
	}
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
