package bash

import (
	"slices"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// gitPlaces are the variables that name what git writes to.
var gitPlaces = []string{"GIT_WORK_TREE", "GIT_DIR", "GIT_INDEX_FILE"}

// gitTrees adds the directories whose files git may change as a whole, what it
// removes or moves, and what it searches.
func (m *marker) gitTrees() {
	for _, a := range m.cmd.Assigns {
		if slices.Contains(gitPlaces, a.Name) {
			m.paths([]Word{a.Value}, tool.Write, "/**")
		}
	}
	u := m.cmd.Use()
	m.paths(u.With(program.Into), tool.Write, "/**")
	if u.Deep() {
		m.searched(u.Operands, nil)
	}
	switch {
	case u.Strange: // an alias, or a command of somebody's own
		for _, word := range u.Args() {
			m.paths(pieces(word), tool.Run, "")
		}
	case len(u.Sub) == 0, !u.Sweeps():
		return
	}
	for _, dir := range gitDirs(m.cmd) {
		m.add(tool.Tree, below(dir), tool.Write)
		for i, o := range u.Operands {
			if o.Literal {
				o.Text = program.Pathspec(o.Text)
				m.gitTree(joinDir(dir, pathText(o)), u.Roles[i])
			}
		}
	}
}

// gitTree adds what a sub-command that changes files is given as an operand. What
// is taken away goes with everything below it; of "." some files change.
func (m *marker) gitTree(p string, role program.Role) {
	m.add(tool.Tree, below(p), tool.Write)
	if role == program.Removes || role == program.Writes && program.LastName(p) != "." {
		m.add(tool.Tree, p, tool.Write)
	}
}

// gitSubcommand returns the index of the sub-command word of a git command, that
// behind the last word when there is none.
func gitSubcommand(cmd *Command) int {
	u := cmd.Use()
	if len(u.Sub) == 0 {
		return len(cmd.Words)
	}
	i := u.At - len(u.Sub)
	for i > 1 && cmd.Words[i].Text != u.Sub[0] {
		i--
	}
	return i
}
