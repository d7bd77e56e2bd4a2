package bash

import (
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// plainNames are the names without a leading dot, searched by rg.
const plainNames = "[^.]*"

// reads adds directories read with all below them.
func (m *marker) reads(name string, args []Word) {
	options, operands := arguments(args, "eAfBCmdDgtTjMC", "regexp", "file", "glob", "iglob", "type", "max-count", "directory", "include", "exclude", "rsh")
	switch name {
	case "grep", "egrep", "fgrep", "ugrep":
		if has(options, "-r", "-R", "--recursive", "--dereference-recursive") || recurses(options) {
			m.searched(operands, names(values(options, "--include")))
		}
		return
	case "rg":
		filters := names(values(options, "-g", "--glob", "--iglob"))
		if len(filters) == 0 && !has(options, "-.", "--hidden", "-u", "--unrestricted", "--pre") {
			filters = []string{plainNames}
		}
		m.searched(operands, filters)
		return
	case "ag", "ack", "7z":
		m.searched(operands, nil)
		return
	case "diff":
		if !has(options, "-r", "--recursive") {
			return
		}
	case "scp", "rsync":
		if !m.recurses() {
			return
		}
	}
	if strings.HasSuffix(name, "tar") {
		m.extracts(args)
	}
	m.paths(operands, tool.Read, "")
}

// recurses reports whether grep recurses by the action for directories.
func recurses(options []option) bool {
	for _, v := range values(options, "-d", "--directories") {
		if v.Text != "skip" && v.Text != "read" {
			return true
		}
	}
	return false
}

// searched adds the files read by a search: in its directories, or in the current one, those
// with names passing the filters. The first operand may be the text to find; as a path it is a
// name too many.
func (m *marker) searched(operands []Word, filters []string) {
	if len(operands) < 2 {
		operands = append(operands[:len(operands):len(operands)], Word{Text: ".", Literal: true})
	}
	if len(filters) == 0 {
		m.paths(operands, tool.Read, "")
	}
	for _, filter := range filters {
		m.paths(operands, tool.Read, "/**/"+filter)
	}
}

// names returns globs for names; nil when they are not plain, or take away.
func names(words []Word) []string {
	var list []string
	for _, w := range words {
		if !w.Literal || w.Text == "" || strings.ContainsAny(w.Text, "/!{}\\") {
			return nil
		}
		list = append(list, w.Text)
	}
	return list
}
