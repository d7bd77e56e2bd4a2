package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// gitReaders are the sub-commands of git that leave the work tree as it is.
var gitReaders = []string{
	"add", "annotate", "archive", "blame", "branch", "cat-file", "commit", "config", "count-objects", "describe", "diff", "fetch", "for-each-ref",
	"format-patch", "fsck", "gc", "grep", "hash-object", "help", "init", "log", "ls-files", "ls-remote", "ls-tree", "merge-base", "name-rev", "notes",
	"prune", "push", "range-diff", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "show-ref", "status", "symbolic-ref", "tag",
	"update-ref", "var", "verify-commit", "version", "whatchanged", "worktree", "clone", "",
}

// gitPlaces are options of git whose value is a directory that it fills.
var gitPlaces = []string{"--work-tree", "--directory", "--prefix", "--output-directory", "--git-dir", "--separate-git-dir"}

// gitTrees adds the directories whose files git may change as a whole, and what
// it removes or moves.
func (m *marker) gitTrees() {
	sub, name := gitSubcommand(m.cmd), ""
	var rest []Word
	if sub < len(m.cmd.Words) {
		name, rest = m.cmd.Words[sub].Text, m.cmd.Words[sub+1:]
	}
	m.gitPlaces(name)
	options, operands := arguments(rest, "bBcm", "source", "message", "directory", "prefix")
	switch {
	case name == "clone" && len(operands) > 1, name == "worktree" && len(operands) > 1 && operands[0].Text == "add":
		m.paths(operands[1:2], tool.Write, "/**")
	case name == "grep": // searches what is tracked
		m.searched(operands, nil)
	}
	if slices.Contains(gitReaders, name) || onlyIndex(name, options) {
		return
	}
	for _, dir := range gitDirs(m.cmd) {
		m.add(tool.Tree, below(dir), tool.Write)
		for _, o := range operands {
			if !o.Literal {
				continue
			}
			o.Text = pathspec(o.Text)
			p := joinDir(dir, pathText(o))
			m.add(tool.Tree, below(p), tool.Write)
			if name == "rm" || name == "mv" || lastName(p) != "." && (name == "checkout" || name == "restore" || name == "clean") {
				m.add(tool.Tree, p, tool.Write)
			}
		}
	}
}

// onlyIndex tells whether a sub-command changes what will be committed, and no
// file.
func onlyIndex(name string, options []option) bool {
	switch name {
	case "restore":
		if slices.ContainsFunc(options, func(o option) bool { return !strings.HasPrefix(o.name, "--") && strings.Contains(o.name, "W") }) {
			return false
		}
		return has(options, "-S", "--staged") && !has(options, "-W", "--worktree")
	case "reset":
		return !has(options, "--hard", "--merge", "--keep")
	}
	return false
}

// pathspec is the path in one of git's path patterns, without its magic:
// ":(glob)x", ":/x", ":!x". Source: gitglossary(7), "pathspec".
func pathspec(text string) string {
	rest, ok := strings.CutPrefix(text, ":")
	if !ok {
		return text
	}
	if _, after, long := strings.Cut(rest, ")"); long && strings.HasPrefix(rest, "(") {
		return after
	}
	return strings.TrimLeft(rest, "/!^:")
}

// gitPlaces adds what options and variables name as places to write to.
func (m *marker) gitPlaces(sub string) {
	for _, a := range m.cmd.Assigns {
		if a.Name == "GIT_WORK_TREE" || a.Name == "GIT_DIR" || a.Name == "GIT_INDEX_FILE" {
			m.paths([]Word{a.Value}, tool.Write, "/**")
		}
	}
	for i, word := range m.cmd.Words {
		name, value, joined := strings.Cut(word.Text, "=")
		switch {
		case slices.Contains(gitPlaces, name) && joined:
			word.Text = value
			m.paths([]Word{word}, tool.Write, "/**")
		case slices.Contains(gitPlaces, name) && i+1 < len(m.cmd.Words):
			m.paths(m.cmd.Words[i+1:i+2], tool.Write, "/**")
		case (sub == "archive" || sub == "format-patch") && (name == "-o" || name == "--output") && !joined && i+1 < len(m.cmd.Words):
			m.paths(m.cmd.Words[i+1:i+2], tool.Run, "")
		case name == "--output" && joined:
			word.Text = value
			m.paths([]Word{word}, tool.Run, "")
		}
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
