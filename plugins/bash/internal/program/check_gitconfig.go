package program

import (
	"path"
	"slices"
	"strings"
)

// gitConfigVerbs are the reading words and options of git config.
var gitConfigVerbs = []string{"--get", "--get-all", "--get-regexp", "-l"}

// gitConfigScopes are options that still read when a key stands alone.
var gitConfigScopes = []string{"--global", "--local", "--system", "--worktree", "-f", "-t", "--bool", "--int", "--bool-or-int", "--path", "-z", "--show-origin", "--show-scope", "--includes", "--default"}

// gitConfigKeys returns the operands of a reading git config, its key first, or why it may set
// something.
func gitConfigKeys(u *Use) (keys []Word, sets string) {
	keys = u.Operands
	reads := u.Has(gitConfigVerbs...) || len(keys) == 1 && strings.Contains(keys[0].Text, ".") && !slices.ContainsFunc(u.Options, func(o Option) bool {
		return o.At >= u.At && !slices.Contains(gitConfigScopes, o.Name)
	})
	if len(keys) > 0 && !reads && (keys[0].Text == "get" || keys[0].Text == "list") {
		reads, keys = true, keys[1:]
	}
	switch {
	case !reads:
		return nil, "git config without --get or --list may set something"
	case len(keys) > 2:
		return nil, "git config with that many values may set something"
	}
	return keys, ""
}

// gitConfigReads requires a command that sets nothing, and shows no possible secret: CI systems
// keep tokens in http.extraheader, people in url.*.insteadOf. RATIONALE.md, "Why is `git config
// --list` no read?".
func gitConfigReads(u *Use) string {
	keys, sets := gitConfigKeys(u)
	files := u.Values("-f")
	switch {
	case sets != "":
		return sets
	case u.Has("--name-only"), len(files) == 1 && files[0].Literal && path.Base(files[0].Text) == ".gitmodules":
		return ""
	case len(keys) == 0:
		return "git config shows all settings, and some may hold tokens"
	}
	shown := gitShownKey
	if u.Has("--get-regexp", "--regexp") {
		shown = gitShownPattern
	}
	if !keys[0].Literal || !shown(keys[0].Text) {
		return "git config " + keys[0].Text + " may show a secret"
	}
	return ""
}

// ShowsSettings reports whether the use is a git config that shows settings of this place, and does
// nothing else. They may hold tokens.
func (u *Use) ShowsSettings() bool {
	if u.Command() != "git config" || u.Strange {
		return false
	}
	if _, sets := gitConfigKeys(u); sets != "" {
		return false
	}
	return !slices.ContainsFunc(u.Options, func(o Option) bool {
		return !o.Known || o.Name == "-f" || o.At < u.At || !slices.Contains(gitConfigVerbs, o.Name) && !slices.Contains(gitConfigScopes, o.Name) && o.Name != "--name-only"
	})
}

// gitConfigShown are settings without secrets, and whole sections of such, with a dot at their
// end. A star stands for a name between two dots. Addresses are shown here as by git remote -v.
// Source: git-config(1).
var gitConfigShown = []string{
	"add.", "advice.", "alias.", "am.", "apply.", "blame.", "branch.", "checkout.", "clean.", "clone.", "color.", "column.", "commit.", "commitgraph.", "core.", "diff.", "difftool.", "extensions.", "feature.", "fetch.", "filter.", "format.pretty",
	"fsck.", "fsmonitor.", "gc.", "gpg.", "grep.", "gui.", "help.", "i18n.", "index.", "init.", "interactive.", "log.", "maintenance.", "man.", "merge.", "mergetool.", "notes.", "pack.", "pager.", "protocol.", "pull.", "push.",
	"rebase.", "receive.", "rerere.", "revert.", "safe.", "sequence.", "showbranch.", "sparse.", "splitindex.", "stash.", "status.", "submodule.", "tag.", "trailer.", "transfer.", "uploadpack.", "user.email", "user.name", "user.signingkey", "user.useconfigonly",
	"author.", "committer.", "versionsort.", "worktree.", "lfs.repositoryformatversion", "github.user", "include.", "includeif.", "http.postbuffer", "http.sslverify", "http.version", "http.lowspeedlimit", "http.lowspeedtime", "http.maxrequests",
	"remote.pushdefault", "remote.*.url", "remote.*.pushurl", "remote.*.fetch", "remote.*.push", "remote.*.mirror", "remote.*.prune", "remote.*.tagopt", "remote.*.skipdefaultupdate", "remote.*.promisor", "remote.*.partialclonefilter", "remote.*.gh-resolved",
}

// gitShownKey tells whether a key is one of a setting without a secret.
func gitShownKey(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(gitConfigShown, func(known string) bool {
		before, after, wild := strings.Cut(known, "*")
		switch {
		case wild:
			return len(key) > len(before)+len(after) && strings.HasPrefix(key, before) && strings.HasSuffix(key, after)
		case strings.HasSuffix(known, "."):
			return strings.HasPrefix(key, known)
		}
		return key == known
	})
}

// gitShownPattern tells whether a regular expression names settings without a
// secret alone: it is bound to the beginning, and each of its alternatives reads
// like a key, or like a section's name.
func gitShownPattern(pattern string) bool {
	text, ok := strings.CutPrefix(pattern, "^")
	if !ok {
		return false
	}
	bare := strings.TrimSuffix(text, "$")
	if inner, ok := strings.CutPrefix(bare, "("); ok {
		if bare, ok = strings.CutSuffix(inner, ")"); !ok {
			return false
		}
	} else if strings.Contains(bare, "|") {
		return false
	}
	for _, one := range strings.Split(bare, "|") {
		key := strings.NewReplacer(`\.`, ".", ".*", "x", ".+", "x", "[^.]+", "x", "[^.]*", "x").Replace(strings.TrimSuffix(one, ".*"))
		section, rest, dotted := strings.Cut(key, ".")
		whole := slices.Contains(gitConfigShown, strings.ToLower(section)+".")
		if strings.ContainsAny(key, `\()[]{}^$?*+`) || !whole && (!dotted || rest == "" || !gitShownKey(key)) {
			return false
		}
	}
	return true
}

// gitConfigTouches returns the changed file.
func gitConfigTouches(u *Use) []Touch {
	if _, sets := gitConfigKeys(u); sets == "" {
		return nil
	}
	var out []Touch
	for _, file := range u.Values("-f") {
		out = append(out, Touch{Word: file, Access: WriteAccess})
	}
	return out
}

// gitConfigAsks names a changed key that can make git run a program.
func gitConfigAsks(u *Use) string {
	if _, sets := gitConfigKeys(u); sets == "" {
		return ""
	}
	if u.Has("--rename-section") {
		return "git config --rename-section can make git run a program"
	}
	for _, word := range u.Args() {
		if gitRuns(word.Text) || !word.Literal {
			return "git config " + word.Text + " can make git run a program"
		}
	}
	return ""
}
