package replay

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// treePlaces are where clients and people keep the work trees of a repository inside of it.
var treePlaces = []string{"/.claude/worktrees/", "/.worktrees/"}

// repositories are the repositories of the sessions' roots, in their order. A root is a work
// tree of another directory by its place, or by a recorded git worktree add of its source; any
// other root is its own repository.
func repositories(sessions []Session) []string {
	type at struct{ source, root string }
	added := map[at]string{}
	for _, s := range sessions {
		for _, c := range s.Calls {
			for _, tree := range addedTrees(c) {
				if tree != s.Root {
					added[at{s.Source, tree}] = s.Root
				}
			}
		}
	}
	out := make([]string, len(sessions))
	for i, s := range sessions {
		out[i] = s.Root
		for range sessions { // a work tree may have been added in another one
			from := treeOf(out[i])
			if from == "" {
				from = added[at{s.Source, out[i]}]
			}
			if from == "" {
				break
			}
			out[i] = from
		}
	}
	return out
}

// treeOf is the repository of a work tree by its place; empty for another directory.
func treeOf(root string) string {
	for _, place := range treePlaces {
		if repository, name, ok := strings.Cut(root, place); ok && repository != "" && name != "" {
			return repository
		}
	}
	return ""
}

// addedTrees are the directories that a call makes with git worktree add, as far as words tell.
func addedTrees(c Call) (trees []string) {
	var input struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(c.Input, &input) != nil || !strings.Contains(input.Command, "worktree add") {
		return nil
	}
	words := strings.Fields(input.Command)
	for i := 2; i < len(words); i++ {
		if words[i-2] != "git" || words[i-1] != "worktree" || words[i] != "add" {
			continue
		}
		rest := words[i+1:]
		for len(rest) > 1 && strings.HasPrefix(rest[0], "-") {
			if slices.Contains([]string{"-b", "-B", "--reason"}, rest[0]) {
				rest = rest[1:]
			}
			rest = rest[1:]
		}
		if len(rest) == 0 || strings.ContainsAny(rest[0], "$`*~'\"") {
			continue
		}
		tree := strings.TrimRight(rest[0], ";&|)")
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(c.CWD, tree)
		}
		trees = append(trees, filepath.Clean(tree))
	}
	return trees
}
