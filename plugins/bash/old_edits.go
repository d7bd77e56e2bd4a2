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

func (c *call) oldEdits(cmd *Command) bool {
	t := editTables[cmd.Name()]
	if t == nil {
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
	return true
}

// plainNames reports whether words are plain file names: nothing the shell
// replaces.
func plainNames(words []Word) bool {
	for _, w := range words {
		if !w.Literal || w.Glob || w.Quoted && strings.TrimSpace(w.Text) != "" {
			return false
		}
	}
	return true
}
