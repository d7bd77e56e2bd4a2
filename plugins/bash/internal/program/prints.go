package program

import (
	"slices"
	"strings"
)

// A substitution stands for the output of a command, as far as its words say.

// PrintsPlain reports whether the use prints only numbers, dates, and names and hashes of
// revisions: words without signs that split, unlike the beginning of any option, and without
// the path of a secret.
func (u *Use) PrintsPlain() bool {
	if ok, _ := u.ReadsOnly(); !ok || slices.ContainsFunc(u.Words, func(w Word) bool { return !w.Literal && !w.Plain || w.Glob }) {
		return false
	}
	only := func(names ...string) bool {
		return !slices.ContainsFunc(u.Options, func(o Option) bool { return !slices.Contains(names, o.Name) })
	}
	switch u.Command() {
	case "git merge-base", "git rev-list":
		return only("-a", "--octopus", "--fork-point", "-n", "--max-count", "--max-parents", "--count", "--first-parent", "--all", "-C")
	case "git rev-parse":
		// It repeats a word that is no revision, and of HEAD:PATH prints the contents' hash.
		return only("--short", "--verify", "-q", "--abbrev-ref", "-C") && len(u.Operands) > 0 && !slices.ContainsFunc(u.Operands, func(w Word) bool {
			return strings.Contains(w.Text, ":") || !strings.HasPrefix(w.Text, "HEAD") && !strings.HasPrefix(w.Text, "@{") && !strings.HasPrefix(w.Text, "origin/") && w.Text != "main" && w.Text != "master"
		})
	case "git describe":
		return only("--tags", "--abbrev", "--always", "--all", "--long", "--exact-match", "-C")
	case "git branch":
		return only("--show-current", "-C") && u.Has("--show-current")
	case "git symbolic-ref":
		return only("--short", "-q", "-C")
	case "git log", "git show":
		return only("-n", "-#", "--format", "-s", "--pretty", "-C") && slices.ContainsFunc(append(u.Values("--format"), u.Values("--pretty")...), func(w Word) bool {
			return slices.Contains([]string{"%H", "%h", "%ct", "%at", "%cs", "%as", "format:%H", "format:%h"}, w.Text)
		})
	case "date", "gdate":
		return !slices.ContainsFunc(u.Words[1:], func(w Word) bool {
			return strings.HasPrefix(w.Text, "+") && (strings.HasPrefix(w.Text, "+-") || strings.ContainsAny(w.Text, " \t\n/."))
		})
	case "wc", "gwc":
		return len(u.Operands) == 0 && only("-l", "-c", "-w", "-m", "--lines", "--words", "--bytes", "--chars")
	case "grep", "egrep", "fgrep":
		return u.Has("-c") && len(u.With(Reads)) <= 1 && !u.Has("-r", "-R", "-H")
	case "nproc", "seq":
		return true
	}
	return false
}

// PrintsNames tells whether the use lists names of files and directories.
func (u *Use) PrintsNames() bool {
	if ok, _ := u.ReadsOnly(); !ok || slices.ContainsFunc(u.Words, func(w Word) bool { return !w.Literal }) {
		return false
	}
	switch u.Command() {
	case "git ls-files":
		return !u.Has("-s", "-u", "--format", "--eol", "--debug")
	case "find", "gfind", "fd", "fdfind":
		return len(u.Spans) == 0 && !u.Has("-printf", "-ls", "-l")
	case "rg":
		return u.Has("-l", "--files")
	case "grep":
		return u.Has("-l")
	case "ls":
		return !u.Has("-l", "-s", "-i")
	}
	return false
}
