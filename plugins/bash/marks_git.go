package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// gitPlaces are the variables for the places git writes to.
var gitPlaces = []string{"GIT_WORK_TREE", "GIT_DIR", "GIT_INDEX_FILE"}

// gitTrees adds the directories with files that git may change as a whole, removes or moves, or
// searches.
func (m *marker) gitTrees() {
	for _, a := range m.cmd.Assigns {
		if slices.Contains(gitPlaces, a.Name) {
			m.paths([]Word{a.Value}, tool.Write, "/**")
		}
	}
	u := m.cmd.Use()
	m.paths(u.With(program.Into), tool.Write, "/**")
	m.gitContents(u)
	switch {
	case u.Strange: // an alias, or an external command
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

// gitTree adds an operand of a sub-command that changes files. A removed one goes with
// everything below it; of "." some files change.
func (m *marker) gitTree(p string, role program.Role) {
	m.add(tool.Tree, below(p), tool.Write)
	if role == program.Removes || role == program.Writes && program.LastName(p) != "." {
		m.add(tool.Tree, p, tool.Write)
	}
}

// gitSubcommand returns the index of the sub-command word of a git command, else the length of
// Words.
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

// gitCopiers are sub-commands copying or printing the whole of a commit.
var gitCopiers = []string{"git archive", "git bundle create", "git fast-export", "git worktree add"}

// gitContents adds the directories with contents shown or copied by git. A word other than a
// path of the working tree is a revision, and stands for all of it.
func (m *marker) gitContents(u *program.Use) {
	here := Word{Text: ".", Literal: true}
	for _, o := range u.Operands {
		if path, ok := behindRevision(o); ok {
			m.paths([]Word{path}, tool.Read, "")
		}
	}
	switch name := u.Command(); {
	case name == "git clone" && len(u.Operands) > 0 && !isURL(u.Operands[0].Text):
		m.paths(u.Operands[:1], tool.Read, "")
	case name == "git grep":
		m.searched(u.Operands, nil)
		for i, o := range u.Operands {
			if i > 0 && revision(o) && !slices.ContainsFunc(u.Words[:u.Index(i)], func(w Word) bool { return w.Text == "--" }) {
				m.paths([]Word{here}, tool.Read, "")
			}
		}
	case u.Has("--batch-all-objects"), slices.Contains(gitCopiers, name):
		places := u.With(program.Reads)
		if len(places) == 0 || slices.ContainsFunc(places, revision) {
			places = append(slices.Clip(places), here)
		}
		m.paths(places[min(len(places)-1, revisions(name)):], tool.Read, "")
	case name == "git log" && u.Has("-p", "-U", "-W", "-c", "--cc", "-L", "--patch-with-raw", "--patch-with-stat"), name == "git diff", name == "git show", name == "git stash show":
		for _, o := range u.Operands {
			if strings.Contains(o.Text, "/") && gitPath(o.Text) || o.Text == "." {
				m.paths([]Word{o}, tool.Read, "")
			}
		}
	}
}

// behindRevision returns the path behind a revision that the line computes ($(git rev-parse
// HEAD):PATH, $REV:PATH).
func behindRevision(word Word) (Word, bool) {
	if word.Literal {
		return Word{}, false
	}
	text := word.Text[strings.LastIndexAny(word.Text, "$`)}")+1:]
	_, path, found := strings.Cut(text, ":")
	if !found || path == "" {
		return Word{}, false
	}
	return Word{Text: path, Literal: true}, true
}

// revisions is how many operands of a sub-command name the source of the copy, not a path.
func revisions(name string) int {
	if name == "git archive" {
		return 1
	}
	return 0
}

// revision reports whether an operand of git may be a revision: no slash, dot or sign of a
// pattern makes it a path.
func revision(word Word) bool {
	return !word.Literal || word.Text != "" && (strings.ContainsAny(word.Text, "~^@:") || !strings.ContainsAny(word.Text, "/.*"))
}

// gitPath reports whether an operand with a slash looks like a path, and not like
// the name of a branch on a remote.
func gitPath(text string) bool {
	return !strings.ContainsAny(text, "~^@:") && !strings.Contains(text, "..")
}
