package paths

import (
	"slices"
	"strings"
)

// environmentFile reports whether a folded name is an environment file with
// real values in it, as opposed to an example of one. A glob may stand for one.
func environmentFile(name string) bool {
	suffix, ok := strings.CutPrefix(name, ".env")
	if !ok || suffix != "" && !strings.ContainsRune("._-~*?[", rune(suffix[0])) {
		return false
	}
	return !example(name)
}

// example reports whether a folded name declares an example without real values.
func example(name string) bool {
	for _, word := range []string{"example", "sample", "template", "dist", "defaults", "tmpl", "tpl"} {
		if rest, ok := strings.CutSuffix(name, word); ok && rest != "" && strings.ContainsRune("._-", rune(rest[len(rest)-1])) {
			return true
		}
		if strings.HasPrefix(name, word+".") && (strings.HasSuffix(name, ".env") || strings.HasSuffix(name, ".tfvars")) {
			return true
		}
	}
	return false
}

// gitDirectory reports whether a path makes a directory of plain files a git repository, or makes
// git run code in one, without any ".git" as a name of its own (threat T19).
func gitDirectory(s split) bool {
	last := len(s.segments) - 1
	if slices.ContainsFunc(s.segments[:last], isGitName) || slices.Contains(s.aliases[last], "head") {
		return true
	}
	return last > 0 && slices.Contains(s.aliases[last-1], "hooks") &&
		slices.ContainsFunc(s.aliases[last], func(name string) bool { return gitHooks[name] })
}

// isGitName reports whether a directory's name is typical for bare repositories: "project.git".
func isGitName(name string) bool { return strings.HasSuffix(foldName(name), ".git") }

// gitFiles are the files of a git directory with influence on the programs git runs.
var gitFiles = names("head", "config", "config.worktree", "hooks", "info", "commondir", "gitdir", "modules", "worktrees", "objects")

// gitHooks are the programs git runs from a directory of hooks.
var gitHooks = names(
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
	"post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive",
	"post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman",
	"post-index-change",
)
